// Observed minus expected: how training pushes each transition's score.

import { decimal } from "../../../crf/figures/shared/decimal.js";
import { put, svg } from "../../../crf/figures/shared/dom.js";
import { share, signed } from "../../../crf/figures/trellis/numbers.js";

const MOST = 8; // rows

export class Pushes {
  root;
  rows;

  constructor(parent) {
    this.root = svg("svg", { class: "instead", role: "img" }, parent);
  }

  layout({ picture: trellis, words }, width, height) {
    const rows = trellis.learn.slice(0, MOST);
    const phone = width < 640;
    const k = phone ? 0.74 : Math.min(width / 1280, 1.6);
    const pitch = Math.min((height - 56 * k) / Math.max(rows.length, 1), 50 * k);
    const [name, observed, expected, push] = phone ? [0.33, 0.48, 0.68, 0.88] : [0.2, 0.33, 0.52, 0.76];
    const largest = Math.max(1, ...rows.map((row) => Math.max(row.observed, row.expected)));
    const unit = (width * (phone ? 0.085 : 0.14)) / largest;
    put(this.root, { width, height });
    this.root.replaceChildren();
    const group = svg("g", { class: "pushes" }, this.root);
    group.style.fontSize = `${19 * k}px`;
    const text = (cls, x, y, content) => svg("text", { class: cls, x, y }, group, content);
    for (const [key, x] of Object.entries({ observed, expected, push })) text("head", width * x, 22 * k, words[key]);
    text("head", width * ((observed + expected) / 2), 22 * k, "−");
    text("head", width * ((expected + push) / 2), 22 * k, "=");
    this.rows = rows.map((row, i) => {
      const y = 50 * k + (i + 0.5) * pitch;
      const tall = Math.min(pitch * 0.62, 30 * k);
      const bar = (cls, x, value) =>
        svg(
          "rect",
          {
            class: cls,
            x: Math.min(x, x + value * unit),
            y: y - tall / 2,
            width: Math.max(Math.abs(value * unit), 1.5),
            height: tall,
            rx: 3,
          },
          group,
        );
      text("name", width * name, y, `${trellis.tags[row.from].name} → ${trellis.tags[row.to].name}`);
      bar("observed", width * observed - (phone ? 8 : 30) * k, row.observed);
      text("value", width * observed - (phone ? 14 : 42) * k, y, String(row.observed));
      const pushed = svg("g", { class: "pushed" }, group);
      if (row.expected === null) return pushed; // while a bet waits
      bar("expected", width * expected - (phone ? 8 : 30) * k, row.expected);
      text(
        "value",
        width * expected - (phone ? 14 : 42) * k,
        y,
        share(Math.min(row.expected, 1)) === "1" && row.expected > 1.005
          ? decimal(row.expected.toFixed(2))
          : share(row.expected),
      );
      const body = bar(row.push < 0 ? "push lower" : "push", width * push, row.push);
      pushed.append(
        body,
        svg(
          "text",
          { class: row.push < 0 ? "value after" : "value", x: width * push + (row.push < 0 ? 10 : -10), y },
          null,
          signed(row.push),
        ),
      );
      return pushed;
    });
    svg("path", { class: "zero", d: `M${width * push} ${40 * k}V${50 * k + rows.length * pitch}` }, group);
  }

  draw(_now, veils) {
    for (const row of this.rows) row.style.opacity = veils ? 0 : 1;
  }
}
