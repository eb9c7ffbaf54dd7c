// Needs export.js
// A drawing that Python has laid out: shapes with a style each. It is made here as it is sent, of the shapes below only.

const SHAPES = ["line", "path", "rect", "circle", "text"];
const drawings = new WeakMap(); // parentElement -> its drawing as text

export default function ({ data, parentElement }) {
  const root = parentElement.querySelector(".drawing");
  const stage = root.querySelector("svg");
  const text = JSON.stringify(data.drawing);
  if (!drawings.has(parentElement)) {
    root.querySelector(".save").onclick = () => saveFigure(root);
    followWords((name) => {
      for (const part of stage.querySelectorAll("[data-speaks]")) part.classList.toggle("lit", name !== "" && part.dataset.speaks === name);
    });
  }
  if (drawings.get(parentElement) === text) return;
  drawings.set(parentElement, text);
  const { figure, label, width, height, shapes } = data.drawing;
  root.dataset.figure = figure;
  root.setAttribute("aria-label", label);
  stage.setAttribute("aria-label", label);
  stage.setAttribute("viewBox", `0 0 ${width} ${height}`);
  stage.replaceChildren();
  for (const { tag, place, style, text: words, title, speaks } of shapes) {
    if (!SHAPES.includes(tag)) continue;
    const part = svg(tag, { ...place, class: style, ...(speaks && { "data-speaks": speaks }) }, stage, tag === "text" ? words : null);
    if ("stroke-width" in place) part.style.strokeWidth = place["stroke-width"];
    if (title) svg("title", {}, part, title);
  }
}
