// One entry of the browser's history for each page: what a page writes into the address while one
// works on it replaces the entry; only another page makes a new one. An old address that leads on to
// another page is replaced, too: Back must not lead there again.

export default function () {
  if (window.history.pushState.ofThisApp) return;
  const push = window.history.pushState.bind(window.history);
  const pushState = (state, unused, url) => {
    const same = url && new URL(url, document.baseURI).pathname === window.location.pathname;
    const moved = navigator.userActivation && !navigator.userActivation.hasBeenActive; // a page sent the reader on
    if (same || moved) window.history.replaceState(state, unused, url);
    else push(state, unused, url);
  };
  pushState.ofThisApp = true;
  window.history.pushState = pushState;
}
