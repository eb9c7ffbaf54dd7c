// Needs export.js
// A drawing that Python has laid out: shapes with a style each. It is made here as it is sent, of the shapes below only.

const SHAPES = ["line", "path", "rect", "circle", "text"];
const ACROSS = ["x", "x1", "x2", "cx"];
const NARROW = 600; // less room than that: its plot gives way, as far as to
const SHORTEST = 150;
const drawings = new WeakMap(); // parentElement -> { text: its drawing as text, draw }

export default function ({ data, parentElement }) {
  const root = parentElement.querySelector(".drawing");
  const stage = root.querySelector("svg");
  const text = JSON.stringify(data.drawing);
  if (!drawings.has(parentElement)) {
    root.querySelector(".save").onclick = () => saveFigure(root);
    followWords((name) => {
      for (const part of stage.querySelectorAll("[data-speaks]")) part.classList.toggle("lit", name !== "" && part.dataset.speaks === name);
    });
    new ResizeObserver(() => drawings.get(parentElement).draw()).observe(root);
  }
  if (drawings.get(parentElement)?.text === text) return;
  let drawn = 0;
  const draw = () => {
    const width = widthFor(root.clientWidth, data.drawing);
    if (width !== drawn) drawAll(root, stage, data.drawing, width);
    drawn = width;
    const scroll = stage.parentElement;
    scroll.tabIndex = scroll.scrollWidth > scroll.clientWidth ? 0 : -1; // what scrolls can be scrolled by keys
  };
  drawings.set(parentElement, { text, draw });
  draw();
}

function widthFor(room, { width, plot }) {
  if (!plot || room >= NARROW) return width;
  const [from, to] = plot;
  return Math.max(room - 4, from + SHORTEST + width - to);
}

function drawAll(root, stage, { figure, label, width, height, plot, shapes }, drawnWidth) {
  const [from, to] = plot ?? [0, width];
  const across = (x) => x + ((drawnWidth - width) * (Math.min(Math.max(x, from), to) - from)) / (to - from);
  root.dataset.figure = figure;
  root.setAttribute("aria-label", label);
  stage.setAttribute("aria-label", label);
  stage.setAttribute("viewBox", `0 0 ${drawnWidth} ${height}`);
  stage.style.minWidth = drawnWidth < width ? `${drawnWidth}px` : "";
  stage.replaceChildren();
  for (const { tag, place, style, text: words, title, speaks } of shapes) {
    if (!SHAPES.includes(tag)) continue;
    const part = svg(tag, { ...moved(place, across), class: style, ...(speaks && { "data-speaks": speaks }) }, stage, tag === "text" ? words : null);
    if ("stroke-width" in place) part.style.strokeWidth = place["stroke-width"];
    if (title) svg("title", {}, part, title);
  }
}

// Where a shape stands once its plot is drawn narrower.
function moved(place, across) {
  const found = { ...place };
  for (const name of ACROSS) if (name in place) found[name] = across(place[name]);
  if ("width" in place) found.width = across(place.x + place.width) - found.x;
  if ("d" in place) found.d = place.d.replace(/([ML])(\S+)/g, (_, step, x) => step + across(Number(x)).toFixed(1));
  return found;
}
