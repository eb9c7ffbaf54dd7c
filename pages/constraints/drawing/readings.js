// Each decoder's reading of the same scores in blocks, with a cross where a step breaks the rule.

import { grouped } from "../../../crf/figures/shared/decimal.js";
import { clipped, put, svg } from "../../../crf/figures/shared/dom.js";

const PITCH = 62; // px of a column at least

export class Readings {
  svg;

  constructor(root) {
    this.svg = svg("svg", { role: "img" }, root);
  }

  draw({ rows, tags, tokens, words }, { width, height, k, phone, edge }) {
    this.svg.replaceChildren();
    put(this.svg, { width, height });
    this.svg.setAttribute("aria-label", words.label);
    const size = phone ? 13 : Math.min(20 * k, height / (rows.length + 1) / 2.4);
    const [name, mark, measured] = phone ? [104, 26, 0] : [226 * k, 44 * k, 210 * k];
    const room = width - 2 * edge - name - mark - measured;
    const view = Math.max(Math.min(tokens.length, Math.floor(room / (phone ? 40 : PITCH * k))), 1);
    const [pitch, head] = [room / view, size * 2.3];
    const line = (height - head) / Math.max(rows.length, 1);
    const [wide, high] = [pitch * 0.74, Math.min(line * 0.72, 48 * k)];
    const x = (t) => edge + name + (t + 0.5) * pitch;
    const text = (at, y, words, classes, letters = size) =>
      (svg("text", { x: at, y, class: classes }, this.svg, words).style.fontSize = `${letters}px`);
    for (let t = 0; t < view; t++)
      text(
        x(t),
        head / 2,
        clipped(tokens[t], Math.max(Math.floor(pitch / (size * 0.52)), 2)),
        "word",
        phone ? size * 0.92 : size * 1.12,
      );
    if (measured) text(width - edge - measured / 2, head / 2, words.measured, "name", size * 0.9);
    rows.forEach((row, r) => {
      const y = head + (r + 0.5) * line;
      const obeys = !row.breaks.length;
      text(edge, y, clipped(row.name, Math.floor(name / (size * 0.5))), "decoder", Math.min(size, phone ? 13 : 99));
      const group = svg("g", { class: "reading", "data-obeys": String(obeys) }, this.svg);
      for (let t = 0; t < view; t++) {
        const { name: tag, colour } = tags[row.path[t]];
        if (t)
          svg(
            "path",
            {
              class: row.breaks.includes(t) ? "step broken" : "step",
              d: `M${x(t - 1) + wide / 2} ${y}H${x(t) - wide / 2}`,
            },
            group,
          );
        svg(
          "rect",
          { x: x(t) - wide / 2, y: y - high / 2, width: wide, height: high, rx: 5, fill: `rgb(${colour})` },
          group,
        );
        const letters = Math.min(size, (wide - 6) / (tag.length * 0.62));
        const made = svg("text", { x: x(t), y, class: "tag" }, group, tag);
        Object.assign(made.style, { fontSize: `${letters}px`, fill: "#fff" });
      }
      for (const t of row.breaks) {
        const at = t === 0 ? x(0) - wide / 2 : t > view - 1 ? x(view - 1) + wide / 2 : (x(t - 1) + x(t)) / 2;
        if (t > view) continue;
        const radius = Math.min(15 * k, high * 0.4);
        svg("circle", { class: "badge", cx: at, cy: y, r: radius }, group);
        svg(
          "path",
          {
            class: "badge",
            d: `M${at - radius * 0.42} ${y - radius * 0.42}l${radius * 0.84} ${radius * 0.84}m0 ${-radius * 0.84}l${-radius * 0.84} ${radius * 0.84}`,
          },
          group,
        );
      }
      text(edge + name + room + mark / 2, y, obeys ? "✓" : "✗", "verdict", size * 1.2);
      svg("title", {}, group, obeys ? words.yes : words.no);
      if (measured && row.measured !== null)
        text(width - edge - measured / 2, y, grouped(row.measured), row.measured ? "count bad" : "count", size * 1.1);
    });
  }
}
