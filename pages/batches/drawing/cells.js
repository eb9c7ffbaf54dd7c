// What the pictures share: cells with a number and a level, words above a row, a frame around a column.

import { clipped, put, svg } from "../../../crf/figures/shared/dom.js";
import { exact, number, plain } from "../../../crf/figures/trellis/numbers.js";

export const LETTERS = 0.22; // of a cell's width: the size of its number
const FILM = 2.5; // px of a level that means "little"

// An empty drawing as large as its place.
export function sheet(drawing, { width, height }) {
  drawing.replaceChildren();
  put(drawing, { width, height, viewBox: `0 0 ${width} ${height}` });
  const pattern = svg(
    "pattern",
    { id: "never", width: 7, height: 7, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" },
    svg("defs", {}, drawing),
  );
  svg("path", { d: "M0 0V7", stroke: "currentColor", "stroke-width": 2.4 }, pattern);
  return drawing;
}

export function text(parent, x, y, size, words, classes = "") {
  const made = svg("text", { x, y, class: classes }, parent, words);
  made.style.fontSize = `${size}px`;
  return made;
}

// `value`: null is not known yet; -Infinity is hatched, nan is ink. `share` is the level of the vessel.
export function cell(parent, x, y, wide, high, { value, share = 0, digits = 2, classes = "" }) {
  const known = value !== null && value !== undefined;
  const amount = known ? number(value === "nan" ? Number.NaN : value) : null;
  const never = amount === Number.NEGATIVE_INFINITY;
  const group = svg(
    "g",
    {
      class: `cell ${classes}${known ? "" : " unknown"}${never ? " never" : ""}${Number.isNaN(amount) ? " nan" : ""}`,
      "data-value": known ? exact(amount) : "",
    },
    parent,
  );
  const box = { x: x - wide / 2, y: y - high / 2, width: wide, height: high, rx: Math.min(7, high / 3) };
  svg("rect", { class: "body", ...box }, group);
  if (known && share > 0) {
    const level = Math.max(share * high, FILM);
    svg(
      "rect",
      { class: "level", x: box.x, y: y + high / 2 - level, width: wide, height: level, rx: Math.min(6, level / 2) },
      group,
    );
    if (share > 0.03 && share < 0.97)
      svg(
        "path",
        {
          class: "ticks",
          d: `M${box.x + 1} ${y + high / 2 - level}h12M${box.x + wide - 1} ${y + high / 2 - level}h-12`,
        },
        group,
      );
  }
  svg("rect", { class: "frame", ...box }, group);
  if (known)
    text(group, x, y, Math.min(high * 0.72, wide * LETTERS, 26), plain(amount, digits).replace("NaN", "nan"), "number");
  return group;
}

// A word over a column; "": there is none.
export function word(parent, x, y, size, name, { none, room, bold = false, least = 0 }) {
  const letters = name ? size : Math.max(size * 0.8, least);
  return text(
    parent,
    x,
    y,
    letters,
    name ? clipped(name, Math.max(Math.floor(room / (letters * 0.52)), 3)) : none,
    name ? `word${bold ? " now" : ""}` : "none",
  );
}

export function frame(parent, x, y, width, height) {
  return svg("rect", { class: "current", x, y, width, height, rx: 11 }, parent);
}
