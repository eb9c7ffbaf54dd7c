// What floats (popovers, lists, dialogs) stands beside the app in the document, and so does not know whether the app is
// light or dark, which the style sheet asks.

export function lendTheme() {
  const app = document.querySelector(".stApp");
  if (!app || app.lendsTheme) return;
  const lend = () => {
    document.body.style.colorScheme = getComputedStyle(app).colorScheme;
  };
  app.lendsTheme = new MutationObserver(lend);
  app.lendsTheme.observe(app, { attributes: true, attributeFilter: ["class", "style"] });
  lend();
}
