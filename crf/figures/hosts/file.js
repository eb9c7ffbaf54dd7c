// Figures in a file of their own, without a server: what is chosen stays here. The page around is told how high the file is.

const page = await unzipped(document.getElementById("crf-page").textContent);

async function draw(el, { entry, data, style }) {
  const { default: figure } = await load(page.modules, entry);
  const values = { data: { save: page.save, ...data } };
  const model = {
    get: (name) => values[name],
    set: (name, value) => (values[name] = value),
    save_changes() {},
    on() {},
    off() {},
  };
  figure.render({ model, el: place(el, page.styles[style], model), signal: new AbortController().signal });
}

page.figures.forEach((figure, k) => draw(document.querySelector(`[data-crf="${k}"]`), figure));
if (window.parent !== window) {
  const root = document.documentElement;
  new ResizeObserver(() =>
    window.parent.postMessage({ crfHeight: Math.ceil(root.getBoundingClientRect().height) }, "*"),
  ).observe(root);
}
