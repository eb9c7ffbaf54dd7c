// A drawing that Python has laid out: shapes with a style each. It is made here as it is sent, of the shapes below only.

import { fill, followWords, svg } from "../shared/dom.js";
import { whenData } from "../shared/model.js";
import { offerWays } from "../shared/save.js";

const SHAPES = ["line", "path", "rect", "circle", "text"];
const ACROSS = ["x", "x1", "x2", "cx"];
const NARROW = 600; // less room than that: its plot gives way, as far as to
const SHORTEST = 150;
const SKELETON = `
<div class="drawing" role="group">
  <div class="scroll"><svg role="img"></svg></div>
  <button type="button" class="save" data-export="no">SVG</button>
</div>`;

export default {
  render({ model, el, signal }) {
    const root = fill(el, SKELETON);
    const stage = root.querySelector("svg");
    let [text, drawn, drawing] = ["", 0, null];
    const draw = () => {
      const width = widthFor(root.clientWidth, drawing);
      if (width !== drawn) drawAll(root, stage, drawing, width);
      drawn = width;
      root.style.setProperty("--unit", width / (stage.clientWidth || width)); // of the drawing in px of the page
      const scroll = stage.parentElement;
      scroll.tabIndex = scroll.scrollWidth > scroll.clientWidth ? 0 : -1; // what scrolls can be scrolled by keys
    };
    offerWays(root.querySelector(".save"), root);
    followWords((name) => {
      for (const part of stage.querySelectorAll("[data-speaks]")) part.classList.toggle("lit", name !== "" && part.dataset.speaks === name);
    }, signal);
    whenData(model, signal, (data) => {
      const sent = JSON.stringify(data.drawing);
      if (sent === text) return;
      [text, drawn, drawing] = [sent, 0, data.drawing];
      draw();
    });
    const watch = new ResizeObserver(draw);
    watch.observe(root);
    signal.addEventListener("abort", () => watch.disconnect());
  },
};

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
