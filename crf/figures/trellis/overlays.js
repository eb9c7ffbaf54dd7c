// What is laid over the trellis: other decoders' paths, and the prefixes that were given up.

import { svg } from "../shared/dom.js";

const GROWS = { viterbi: 1.5, greedy: 4, posterior: 6.5, kbest: 3 };

export function ring(parent, b, grow, attributes) {
  const size = { x: b.x - grow, y: b.y - grow, width: b.width + 2 * grow, height: b.height + 2 * grow };
  return svg("rect", { ...size, rx: 4 + grow, ...attributes }, parent);
}

// A way through cells: `nodes`, with a ring around each that is `grow` larger, and the edges between them.
export function drawWay(parent, place, nodes, grow, attributes = {}) {
  nodes.forEach((node, i) => {
    ring(parent, place.box(node), grow, attributes);
    if (i) svg("path", { d: place.edge(nodes[i - 1], node), ...attributes }, parent);
  });
}

// A path appears column by column, as far as the recursion has come: at the step `closes` says for a column.
export function drawPath({ style, rows }, { place, layer, closes, reveals, total }) {
  const lines = svg("g", { class: "overlay" }, layer.paths);
  const rings = svg("g", { class: "overlay" }, style === "kbest" ? layer.paths : layer.rings);
  for (const side of style === "viterbi" ? ["outer", "inner"] : [""]) {
    rows.forEach((row, column) => {
      const rx = style === "posterior" ? 12 : 4 + GROWS[style];
      const here = ring(rings, place.box([column, row]), GROWS[style], { class: `${style} ${side}`, rx });
      reveals[style === "posterior" ? total : closes.get(column)].push(here); // that one knows all of the sentence
      if (style === "posterior" || column === 0) return;
      const d = place.edge([column - 1, rows[column - 1]], [column, row]);
      const later = Math.max(closes.get(column), closes.get(column - 1));
      reveals[later].push(svg("path", { d, class: `${style} ${side}` }, lines));
    });
  }
  return [lines, rings];
}

// The best prefix until a change of mind, and the one that wins, shown from there until the next column is complete.
export function drawFlips(data, { place, layer }) {
  const lasts = data.tags.length - 1;
  const prefix = (rows, style) => {
    const group = svg("g", { class: style }, layer.paths);
    drawWay(group, place, [...rows.entries()], style === "abandoned" ? 5 : 3);
    return group;
  };
  const drawn = data.flips.map(({ step, known, rows, wins }) => ({ from: step, to: known + lasts, groups: [prefix(rows, "abandoned"), prefix(wins, "preferred way")] }));
  return (index) => {
    const tracing = data.steps[index].kind === "backtrace";
    for (const { from, to, groups } of drawn) for (const group of groups) group.classList.toggle("on", !tracing && from <= index && index <= to);
  };
}
