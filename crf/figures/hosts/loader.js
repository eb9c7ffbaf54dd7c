// Modules from texts. `texts` has them in the order in which they need each other; a path that one imports from is
// replaced by the
// address of the module that is already there. Returns the module named.
async function load(texts, name) {
  const addresses = {};
  for (const [path, text] of Object.entries(texts)) {
    const placed = text.replace(
      /^(import .*) from "(\..*)";$/gm,
      (_, what, to) => `${what} from "${addresses[new URL(to, `file:///${path}`).pathname.slice(1)]}";`,
    );
    addresses[path] = URL.createObjectURL(new Blob([placed], { type: "text/javascript" }));
  }
  return import(addresses[name]);
}

// A place for a model's figure that nothing of the page around reaches, with its own style.
function place(el, css, model) {
  const shadow = el.attachShadow({ mode: "open" });
  const style = document.createElement("style");
  style.textContent = css;
  const made = document.createElement("div");
  made.className = "crf-figure alone";
  made.crfFigure = { model };
  shadow.append(style, made);
  return made;
}
