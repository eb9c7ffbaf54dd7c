// Any figure of HTML and SVG as an SVG file of its own: on white paper whatever the theme, no style sheet, no font of ours.

import { SVG, html, put, svg } from "./dom.js";

const EXPORTED = {
  fonts: {
    "sans-serif": "'Source Sans 3', 'Segoe UI', Helvetica, Arial, 'DejaVu Sans', sans-serif",
    serif: "'Source Serif 4', Georgia, 'DejaVu Serif', serif",
  },
  light: { "--crf-ink": "#1b2126", "--crf-paper": "#ffffff", "--crf-panel": "#f3f5f7", "--crf-accent": "#0067a3" },
  inlined: [
    "fill",
    "fill-opacity",
    "stroke",
    "stroke-width",
    "stroke-opacity",
    "stroke-dasharray",
    "stroke-linecap",
    "stroke-linejoin",
    "opacity",
    "font-size",
    "font-style",
    "font-weight",
    "text-anchor",
    "stop-color",
  ],
};
const COLOURS = ["fill", "stroke", "stop-color"];

// What is marked data-export="no" is left out, and so is what cannot be seen; what is marked "only" is seen in files
// alone; a text
// marked "description" describes the picture.
export function figureAsSvg(root) {
  const kept = root.getAttribute("style");
  const scrolled = Array.from(root.querySelectorAll(".scroll"), (part) => [part, part.scrollLeft]);
  root.dataset.exporting = "";
  for (const [part] of scrolled) part.scrollLeft = 0;
  for (const [name, value] of Object.entries(EXPORTED.light)) root.style.setProperty(name, value);
  root.style.colorScheme = "light";
  try {
    return new XMLSerializer().serializeToString(drawn(root));
  } finally {
    delete root.dataset.exporting;
    root.setAttribute("style", kept ?? "");
    for (const [part, left] of scrolled) part.scrollLeft = left;
  }
}

function drawn(root) {
  const frame = root.getBoundingClientRect();
  const out = svg("svg", { xmlns: SVG, role: "img", "font-family": EXPORTED.fonts["sans-serif"] });
  svg("title", {}, out, root.getAttribute("aria-label") ?? root.dataset.figure);
  const description = root.querySelector('[data-export="description"]')?.textContent;
  if (description) svg("desc", {}, out, description);
  const paper = svg("rect", { x: -4, y: -4, fill: EXPORTED.light["--crf-paper"] }, out);
  const extent = { width: 0, height: 0 };
  const context = { frame, extent, colour: plainColours() };
  for (const child of root.children) drawHtml(child, out, context);
  const [width, height] = [Math.ceil(extent.width) + 6, Math.ceil(extent.height) + 6];
  put(out, { width, height, viewBox: `-4 -4 ${width} ${height}` });
  put(paper, { width, height });
  return out;
}

// A button for each way to save a figure.
export function saveButtons(host, root, { look = "", before }) {
  for (const [way, text] of [
    ["svg", "SVG"],
    ["png", "PNG"],
  ]) {
    const button = html(
      "button",
      { type: "button", class: look, "data-way": way, "data-title": `${way}_title` },
      host,
      text,
    );
    button.onclick = () => {
      before();
      saveAs(way, root);
    };
  }
}

// A button offers the ways to save its figure. Its words come with the figure's data, in the reader's language.
export function offerWays(button, root) {
  const words = root.closest(".crf-figure")?.crfFigure?.model.get("data").save ?? {};
  const ways = html("div", { class: "ways", popover: "auto", "data-export": "no" });
  saveButtons(ways, root, { before: () => ways.hidePopover() });
  ways.ontoggle = () => {
    const box = button.getBoundingClientRect();
    Object.assign(ways.style, {
      left: `${Math.max(0, box.right - ways.offsetWidth)}px`,
      top: `${Math.min(box.bottom + 2, innerHeight - ways.offsetHeight)}px`,
    });
  };
  button.textContent = words.save ?? "SVG";
  button.title = words.title ?? "";
  button.dataset.export = "no";
  button.after(ways);
  button.popoverTargetElement = ways;
}

// The same, by a button of its own after the figure: call it once.
export function offerSave(root) {
  const button = html("button", { type: "button", class: "save-figure" });
  root.after(button);
  offerWays(button, root);
}

async function saveAs(way, root) {
  const text = figureAsSvg(root);
  const name = fileName(root.getAttribute("aria-label") ?? root.dataset.figure);
  const blob = new Blob([text], { type: "image/svg+xml" });
  return download(way === "svg" ? blob : await rasterised(text), `${name}.${way}`);
}

// A title without what no file's name may have; letters of every script stay.
export function fileName(title) {
  return [...title.toLowerCase().replaceAll(/[^\p{L}\p{M}\p{N}]+/gu, "-")].slice(0, 60).join("");
}

function download(blob, name) {
  const link = html("a", { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

async function rasterised(text) {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
  await image.decode();
  const sharpness = Math.min(2, 16000 / image.width);
  const canvas = new OffscreenCanvas(Math.round(sharpness * image.width), Math.round(sharpness * image.height));
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  return canvas.convertToBlob({ type: "image/png" });
}

// Any CSS colour as rgb() and its opacity: viewers of SVG know no color-mix().
function plainColours() {
  const pen = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
  const known = new Map();
  return (text) => {
    if (!known.has(text)) {
      pen.clearRect(0, 0, 1, 1);
      pen.fillStyle = text;
      pen.fillRect(0, 0, 1, 1);
      const [r, g, b, alpha] = pen.getImageData(0, 0, 1, 1).data;
      known.set(text, { rgb: `rgb(${r},${g},${b})`, alpha: Math.round((100 * alpha) / 255) / 100 });
    }
    return known.get(text);
  };
}

// Where a box lies in the picture, which it makes at least so large.
function reached(box, { frame, extent }) {
  const [x, y] = [box.left - frame.left, box.top - frame.top];
  extent.width = Math.max(extent.width, x + box.width);
  extent.height = Math.max(extent.height, y + box.height);
  return [x, y];
}

function drawHtml(node, out, context) {
  const style = getComputedStyle(node);
  const box = node.getBoundingClientRect();
  if (style.display === "none" || style.visibility === "hidden" || style.opacity === "0" || box.width <= 1) return;
  if (node.localName === "svg") return drawSvg(node, box, out, context);
  const { colour } = context;
  const [x, y] = reached(box, context);
  const rect = (grow, paint) =>
    svg(
      "rect",
      {
        x: x - grow,
        y: y - grow,
        width: box.width + 2 * grow,
        height: box.height + 2 * grow,
        rx: parseFloat(style.borderTopLeftRadius) || 0,
        ...paint,
      },
      out,
    );
  const ground = colour(style.backgroundColor);
  if (ground.alpha) rect(0, { fill: ground.rgb, "fill-opacity": ground.alpha });
  if (style.backgroundImage.startsWith("repeating"))
    svg("path", { d: hatching(x, y, box), fill: "none", stroke: colour(style.borderTopColor).rgb }, out);
  const wide = (line) => (style[`${line}Style`] === "none" ? 0 : parseFloat(style[`${line}Width`]));
  const stroke = (line) => ({
    stroke: colour(style[`${line}Color`]).rgb,
    "stroke-width": wide(line),
    ...(style[`${line}Style`] === "dashed" && { "stroke-dasharray": "4 3" }),
  });
  const top = wide("borderTop");
  if (top && wide("borderLeft"))
    rect(-top / 2, { fill: "none", ...stroke("borderTop"), "stroke-opacity": colour(style.borderTopColor).alpha });
  else if (wide("borderBottom") && colour(style.borderBottomColor).alpha)
    svg("line", { x1: x, x2: x + box.width, y1: y + box.height, y2: y + box.height, ...stroke("borderBottom") }, out);
  if (wide("outline"))
    rect(parseFloat(style.outlineOffset) + wide("outline") / 2, { fill: "none", ...stroke("outline") });
  for (const child of node.childNodes) {
    if (child.nodeType === Node.TEXT_NODE) drawText(child, style, out, context);
    else if (child.nodeType === Node.ELEMENT_NODE) drawHtml(child, out, context);
  }
  if (node.matches("input:not([type=range], [type=checkbox])")) {
    const size = parseFloat(style.fontSize);
    const text = svg(
      "text",
      { x: x + parseFloat(style.paddingLeft), y: y + box.height / 2 + 0.34 * size },
      out,
      node.value,
    );
    put(text, { "font-size": size, "font-weight": style.fontWeight, fill: colour(style.color).rgb });
    if (isSerif(style)) text.setAttribute("font-family", EXPORTED.fonts.serif);
  }
}

// Diagonals that fill a box.
function hatching(x, y, { width, height }) {
  let d = "";
  for (let left = 4 - height; left < width; left += 5) {
    const [from, to] = [Math.max(left, 0), Math.min(left + height, width)];
    d += `M${x + from} ${y + height - (from - left)}L${x + to} ${y + height - (to - left)}`;
  }
  return d;
}

// A line of text for each line on screen, as wide as there, whatever the font is.
function drawText(node, style, out, { frame, colour }) {
  const range = document.createRange();
  let line = null;
  for (const { 0: word, index } of node.data.matchAll(/\S+/g)) {
    range.setStart(node, index);
    range.setEnd(node, index + word.length);
    const box = range.getBoundingClientRect();
    if (!box.width) continue;
    if (line && Math.abs(line.top - box.top) < 3) line.text.textContent += ` ${word}`;
    else {
      const size = parseFloat(style.fontSize);
      const y = box.top - frame.top + box.height / 2 + 0.34 * size;
      const text = svg(
        "text",
        {
          x: box.left - frame.left,
          y,
          "font-size": size,
          "font-weight": style.fontWeight,
          fill: colour(style.color).rgb,
          ...(style.textDecorationLine === "line-through" && { "text-decoration": "line-through" }),
        },
        out,
        word,
      );
      if (isSerif(style)) text.setAttribute("font-family", EXPORTED.fonts.serif);
      line = { top: box.top, text, left: box.left };
    }
    asWide(line.text, box.right - line.left);
  }
}

const isSerif = ({ fontFamily }) => /serif/i.test(fontFamily.replaceAll("sans-serif", ""));
const asWide = (text, width) => put(text, { textLength: width, lengthAdjust: "spacingAndGlyphs" });

function drawSvg(node, box, out, context) {
  const { colour } = context;
  const [x, y] = reached(box, context);
  const [, , wide] = (node.getAttribute("viewBox") ?? "").split(/[ ,]+/).map(Number);
  const scale = wide ? box.width / wide : 1;
  const group = svg("g", { transform: `translate(${x} ${y})${scale === 1 ? "" : ` scale(${scale})`}` }, out);
  const copy = (from, into) => {
    const style = getComputedStyle(from);
    if (style.display === "none" || (style.visibility === "hidden" && !from.childElementCount)) return;
    const made = from.cloneNode(false);
    for (const name of made.getAttributeNames())
      if (/^(class|style|tabindex|role|pathLength|aria-.*|data-.*)$/.test(name)) made.removeAttribute(name);
    for (const name of EXPORTED.inlined) {
      const value = style.getPropertyValue(name);
      if (!value || value === "normal" || value === "auto") continue;
      if (COLOURS.includes(name) && value !== "none" && !value.startsWith("url")) {
        const { rgb, alpha } = colour(value);
        made.setAttribute(name, alpha ? rgb : "none");
        if (alpha < 1 && name === "stop-color") put(made, { "stop-color": rgb, "stop-opacity": alpha });
        else if (alpha && alpha < 1) made.setAttribute(`${name}-opacity`, alpha);
      } else if (!(name.endsWith("-opacity") && made.hasAttribute(name) && value === "1"))
        made.setAttribute(name, value);
    }
    if (style.transform !== "none") {
      // of the style sheet or of the element, about its origin
      const [x, y] = style.transformOrigin.split(" ").map(parseFloat);
      made.setAttribute("transform", `translate(${x} ${y}) ${style.transform} translate(${-x} ${-y})`);
    }
    into.append(made);
    if (from.localName === "text") {
      if (style.dominantBaseline === "central") made.setAttribute("dy", "0.34em");
      made.removeAttribute("dominant-baseline"); // not every viewer knows it
      if (isSerif(style)) made.setAttribute("font-family", EXPORTED.fonts.serif);
      made.textContent = Array.from(from.childNodes)
        .filter((part) => part.localName !== "title")
        .map((part) => part.textContent)
        .join("");
      if (from.getComputedTextLength()) asWide(made, from.getComputedTextLength());
      if (style.paintOrder.startsWith("stroke") && style.stroke !== "none") {
        // a halo
        const under = made.cloneNode(true);
        under.setAttribute("fill", made.getAttribute("stroke"));
        made.before(under);
        made.setAttribute("stroke", "none");
      }
      return;
    }
    for (const child of from.children) copy(child, made);
  };
  for (const child of node.children) copy(child, group);
}
