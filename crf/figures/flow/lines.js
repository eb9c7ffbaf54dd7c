// What stands over and under the columns: names that several words form, and tag sequences.

import { html, put, svg } from "../shared/dom.js";
import { HEAD, LINE } from "./layout.js";

// Names: what belongs together is underlaid, with its kind under the words.
export function drawSpans(layer, heads, { columns, spans = [] }, { middles, wides, whole }) {
  columns.forEach((_, k) => put(heads[k].word, { y: spans.some(({ from, to }) => from <= k && k < to) ? 17 : 21 }));
  layer.replaceChildren();
  for (const { from, to, kind, colour } of spans) {
    const x = Math.max(middles[from] - wides[from] / 2, 1);
    const end = Math.min(middles[to - 1] + wides[to - 1] / 2, whole - 1);
    const group = svg("g", { "data-kind": kind, "data-from": from, "data-to": to }, layer);
    svg(
      "rect",
      {
        x,
        y: 1,
        width: end - x,
        height: HEAD - 3,
        rx: 6,
        fill: `rgb(${colour})`,
        "fill-opacity": 0.2,
        stroke: `rgb(${colour})`,
      },
      group,
    );
    const free = !columns.slice(from, to).some(({ marked }) => marked);
    if (free)
      svg(
        "text",
        { class: "kind ink", x: (x + end) / 2, y: 29, "font-size": 10.5, "font-weight": 700, "text-anchor": "middle" },
        group,
        kind,
      );
  }
}

// Tag sequences under the columns; where one differs from the first it is boxed. Returns their names.
export function drawLines(layer, { lines }, { middles, width }, top, tags) {
  const wide = Math.max(width, 58);
  layer.replaceChildren();
  lines.forEach((line, row) =>
    line.tags.forEach((tag, k) => {
      const differs = tag !== lines[0].tags[k];
      const x = middles[k];
      const y = top + row * LINE;
      if (differs)
        svg(
          "rect",
          {
            class: "cell ink",
            x: x - wide / 2,
            y: y + 2,
            width: wide,
            height: LINE - 5,
            rx: 3,
            fill: "none",
            "stroke-width": 1.5,
          },
          layer,
        );
      const { colour } = tags.get(tag) ?? {};
      if (colour) svg("rect", { x: x - wide / 2 + 5, y: y + 8, width: 8, height: 8, fill: `rgb(${colour})` }, layer);
      svg(
        "text",
        {
          class: `line ink ${differs ? "differs" : ""}`,
          x: x + 5,
          y: y + 16.5,
          "font-size": 12,
          "text-anchor": "middle",
          ...(differs && { "font-weight": 700 }),
        },
        layer,
        tag,
      );
    }),
  );
  return lines.map(({ name, text }, row) => {
    const shown = html("p", {}, null, `${name} `);
    if (text) html("small", {}, shown, text);
    if (!row) shown.style.marginTop = `${top}px`;
    return shown;
  });
}
