// The trellis as it stands, as a file of its own: light and transparent whatever the theme, styles inlined, no font of ours.

import { SVG, svg } from "../shared/dom.js";

const INLINED = ["fill", "stroke", "stroke-width", "stroke-dasharray", "stroke-linecap", "opacity", "font-size", "font-weight", "text-anchor"];
const FONTS = "'Source Sans 3', 'Source Sans Pro', 'Segoe UI', Helvetica, Arial, 'DejaVu Sans', sans-serif";
const PAPER = { "--crf-ink": "#1b2126", "--crf-paper": "#ffffff", "--crf-panel": "#f3f5f7", "--crf-accent": "#0067a3" };

const LEAST_WIDTH = 320; // px: room for a key's words

// Any CSS colour as rgb(): viewers of SVG know no color-mix().
function colourResolver() {
  const context = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
  const known = new Map();
  return (colour) => {
    if (!/^(color|rgba?|oklab|oklch|#)/.test(colour)) return colour;
    if (!known.has(colour)) {
      context.clearRect(0, 0, 1, 1);
      context.fillStyle = colour;
      context.fillRect(0, 0, 1, 1);
      const [r, g, b, alpha] = context.getImageData(0, 0, 1, 1).data;
      known.set(colour, alpha ? `rgb(${r},${g},${b})` : "none");
    }
    return known.get(colour);
  };
}

function copyOf(element, resolve) {
  const style = getComputedStyle(element);
  if (style.display === "none") return null;
  const copy = element.cloneNode(false);
  for (const name of ["class", "style", "tabindex", "data-step", "data-cell", "data-from", "pathLength"]) copy.removeAttribute(name);
  if (element.closest(".dots, .hits")) return null;
  if (element.childElementCount === 0 && style.visibility === "hidden") return null;
  for (const name of INLINED) {
    const value = style.getPropertyValue(name);
    if (value && value !== "normal" && value !== "auto") copy.setAttribute(name, name === "fill" || name === "stroke" ? resolve(value) : value.replaceAll('"', "'"));
  }
  for (const child of element.childNodes) {
    const part = child.nodeType === Node.TEXT_NODE ? child.cloneNode() : copyOf(child, resolve);
    if (part) copy.append(part);
  }
  if (element.localName !== "text") return copy;
  copy.setAttribute("dy", "0.35em"); // centred, for viewers that know no dominant-baseline
  if (!style.paintOrder.startsWith("stroke") || style.stroke === "none") return copy;
  const halo = copy.cloneNode(true); // nor any paint-order
  halo.setAttribute("fill", copy.getAttribute("stroke"));
  copy.setAttribute("stroke", "none");
  const both = svg("g");
  both.append(halo, copy);
  return both;
}

// What the lines and rings mean, in rows no wider than the picture; what the reader has switched off is left out.
// It is drawn into the SVG from that height on; returns the height with it.
function drawKeys(items, root, { width, top, resolve }) {
  const [indent, gap] = [8, 20];
  const [sampleWidth, rowHeight, keyGap] = [28, 20, 6];
  let [x, y] = [indent, top + rowHeight / 2];
  for (const item of items) {
    const style = getComputedStyle(item);
    const sample = item.querySelector("svg.sample");
    if (!sample || style.visibility === "hidden" || item.getAttribute("aria-pressed") === "false") continue;
    const size = parseFloat(style.fontSize);
    const needed = sampleWidth + keyGap + textWidth(item.textContent, style);
    if (x > indent && x + needed > width - indent) [x, y] = [indent, y + rowHeight];
    const key = svg("g", { transform: `translate(${x} ${y})` }, root);
    const line = svg("g", { transform: "translate(0 -6)" }, key);
    for (const part of sample.children) {
      const copy = copyOf(part, resolve);
      if (copy) line.append(copy);
    }
    svg("text", { x: sampleWidth + keyGap, y: size / 3, "font-size": size, fill: resolve(style.color) }, key, item.textContent);
    x += needed + gap;
  }
  return y + rowHeight / 2 + indent;
}

function textWidth(text, { fontSize, fontFamily }) {
  const context = new OffscreenCanvas(1, 1).getContext("2d");
  context.font = `${fontSize} ${fontFamily}`;
  return context.measureText(text).width;
}

// One SVG of the tag names, the trellis and the key to its lines, with the step's sentence as its description.
export function standalone(names, trellis, { title, description }) {
  const stage = names.closest(".stepper");
  const kept = Object.keys(PAPER).map((name) => [name, stage.style.getPropertyValue(name)]);
  for (const [name, value] of Object.entries(PAPER)) stage.style.setProperty(name, value);
  const drawn = onPaper(names, trellis, { title, description });
  for (const [name, value] of kept) stage.style.setProperty(name, value);
  return drawn;
}

function onPaper(names, trellis, { title, description }) {
  const resolve = colourResolver();
  const left = names.getAttribute("width");
  const width = Math.max(LEAST_WIDTH, Number(left) + Number(trellis.getAttribute("width")));
  const root = svg("svg", { xmlns: SVG, width, role: "img", "font-family": FONTS });
  svg("title", {}, root, title);
  svg("desc", {}, root, description);
  for (const [part, x] of [[trellis, left], [names, 0]]) {
    const group = svg("g", { transform: `translate(${x} 0)` }, root);
    for (const child of part.children) {
      const copy = copyOf(child, resolve);
      if (copy) group.append(copy);
    }
  }
  const items = names.closest(".stepper").querySelectorAll(".legend .key:not(.of-way)"); // nobody points at a file
  const height = drawKeys(items, root, { width, top: Number(trellis.getAttribute("height")), resolve });
  root.setAttribute("height", height);
  root.setAttribute("viewBox", `0 0 ${width} ${height}`);
  return { width, height, name: fileName(title), text: new XMLSerializer().serializeToString(root) };
}

function fileName(title) {
  return title.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-");
}
