// Figures in a file of their own, without a server: what is chosen stays here. The page around is told how high the file is.

const page = JSON.parse(document.getElementById("crf-page").textContent);

async function unzipped(text) {
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).json();
}

async function draw(el, { entry, data, style }) {
  const { default: figure } = await load(page.modules, entry);
  const values = { data: { save: page.save, ...(await unzipped(data)) } };
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
