// The map: where a lesson stands between a sentence and the weights.

import { html, svg } from "../../../../crf/figures/shared/dom.js";

const grid = (count, draw) => Array.from({ length: count }, (_, i) => draw(i)).join("");
const dot = (x, y, r = 3) => `M${x - r} ${y}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0`;
const net = (rows) =>
  grid(
    rows * rows,
    (i) =>
      `M4 ${4 + 8 * Math.floor(i / rows)}L18 ${8 + 8 * (i % 2)}M18 ${8 + 8 * (i % 2)}L32 ${4 + 8 * Math.floor(i / rows)}`,
  );
const lattice = grid(9, (i) => `M4 ${4 + 8 * Math.floor(i / 3)}L18 ${4 + 8 * (i % 3)}L32 ${4 + 8 * Math.floor(i / 3)}`);
const nine = grid(9, (i) => dot(4 + 14 * (i % 3), 4 + 8 * Math.floor(i / 3)));
// Each icon: lines and filled shapes in a box of 36 by 24.
const ICONS = {
  sentence: ["M2 8h12M19 8h6M30 8h4M2 16h6M13 16h8M26 16h8", ""],
  network: [net(3), `${[4, 12, 20].map((y) => dot(4, y) + dot(32, y)).join("")}${dot(18, 8)}${dot(18, 16)}`],
  scores: ["", grid(12, (i) => (i % 5 === 1 ? "" : `M${1 + 9 * (i % 4)} ${1 + 8 * Math.floor(i / 4)}h7v6h-7z`))],
  trellis: [lattice, nine],
  loss: ["M3 2C6 26 14 22 34 21M17 10l7 7M24 12v5h-5", dot(15, 10, 3.5)],
  weights: ["M2 4h32M2 12h32M2 20h32", dot(10, 4) + dot(24, 12) + dot(14, 20)],
};

export function writeMap(nav, map, lit, label) {
  nav.setAttribute("aria-label", label);
  nav.replaceChildren();
  for (const { name, label, href, keeps } of map) {
    const link = html(
      "a",
      { href, "data-keeps": keeps, "aria-label": label, ...(name === lit && { "aria-current": "page" }) },
      nav,
    );
    const icon = svg("svg", { viewBox: "0 0 36 24", width: 36, height: 24, "aria-hidden": "true", class: name }, link);
    const [lines, shapes] = ICONS[name] ?? ["", ""];
    svg("path", { class: "lines", d: lines }, icon);
    svg("path", { class: "shapes", d: shapes }, icon);
    html("span", {}, link, label);
  }
}
