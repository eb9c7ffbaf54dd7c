// The picture as a file of its own: light, transparent, readable without any style sheet or font of ours.

import { SVG, svg } from "../shared/dom.js";
import { EDGE } from "./layout.js";

const FONTS = "'Source Sans 3', 'Source Sans Pro', 'Segoe UI', Helvetica, Arial, 'DejaVu Sans', sans-serif";
const INK = "#1b2126";
const KEY_LINE = 18;

export function standalone(stage, { label, keys, names, background = null }) {
  const left = names.length ? 104 : 0;
  const [width, height] = ["width", "height"].map((name) => Number(stage.getAttribute(name)));
  const whole = Math.max(left + width, 420);
  const root = svg("svg", { xmlns: SVG, width: whole, height: height + keys.length * KEY_LINE + 8, role: "img" });
  root.setAttribute("viewBox", `0 0 ${whole} ${root.getAttribute("height")}`);
  root.setAttribute("font-family", FONTS);
  svg("title", {}, root, label);
  if (background) svg("rect", { width: whole, height: root.getAttribute("height"), fill: background }, root);
  const copy = svg("g", { transform: `translate(${left} 0)` }, root);
  for (const child of stage.children) copy.append(child.cloneNode(true));
  for (const part of copy.querySelectorAll(".hit, .ring")) part.remove();
  for (const part of copy.querySelectorAll(".ink")) part.setAttribute(part.localName === "text" ? "fill" : "stroke", INK);
  for (const part of copy.querySelectorAll("*"))
    for (const name of part.getAttributeNames())
      if (/^(class|style|tabindex|role|aria-.*)$/.test(name)) part.removeAttribute(name);
  for (const { text, y } of names) svg("text", { x: 0, y, "font-size": 13, fill: INK }, root, text);
  keys.forEach((text, k) => svg("text", { x: EDGE, y: height + k * KEY_LINE + 14, "font-size": 13, fill: INK }, root, text));
  return new XMLSerializer().serializeToString(root);
}
