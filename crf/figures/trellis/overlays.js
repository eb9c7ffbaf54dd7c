// What is laid over the trellis: the prefixes that were given up.

import { svg } from "../shared/dom.js";

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

// The best prefix until a change of mind, and the one that wins, shown from there until the next column is complete.
export function drawFlips(data, { place, layer }) {
  const lasts = data.tags.length - 1;
  const prefix = (rows, style) => {
    const group = svg("g", { class: style }, layer.paths);
    drawWay(group, place, [...rows.entries()], style === "abandoned" ? 5 : 3);
    return group;
  };
  const drawn = data.flips.map(({ step, known, rows, wins }) => ({
    from: step,
    to: known + lasts,
    groups: [prefix(rows, "abandoned"), prefix(wins, "preferred way")],
  }));
  return (index) => {
    const tracing = data.steps[index].kind === "backtrace";
    for (const { from, to, groups } of drawn)
      for (const group of groups) group.classList.toggle("on", !tracing && from <= index && index <= to);
  };
}
