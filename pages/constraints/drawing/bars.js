// One bar of all probability for each way: cut only while decoding, or in training, too.

import { decimal } from "../../../crf/figures/shared/decimal.js";
import { hatching } from "../../../crf/figures/flow/hatching.js";
import { clipped, put, svg } from "../../../crf/figures/shared/dom.js";
import { share } from "../../../crf/figures/trellis/numbers.js";

export class Bars {
  svg;

  constructor(root) {
    this.svg = svg("svg", { role: "img" }, root);
  }

  draw({ share: part, p, p_held: held, path, words }, { width, height, k, phone, edge }) {
    this.svg.replaceChildren();
    put(this.svg, { width, height });
    this.svg.setAttribute("aria-label", words.label);
    hatching(svg("defs", {}, this.svg), "spent", 9, "currentColor", 2.4);
    const size = phone ? 16 : Math.min(22 * k, height * 0.055);
    const wide = width - 2 * edge;
    const high = Math.min(height * 0.22, 104 * k);
    const tops = [height * 0.17, height * 0.65];
    const text = (x, y, words, classes) =>
      (svg("text", { x, y, class: classes }, this.svg, words).style.fontSize = `${size}px`);
    const bar = (x, y, amount, classes) =>
      svg(
        "rect",
        { x, y, width: Math.max(amount * wide - 2, 1), height: high, rx: 4, class: classes, "data-p": amount },
        this.svg,
      );
    const [a, b] = tops;
    const middle = (a + high + b) / 2;
    for (const [x0, x1] of [
      [p, held],
      [part, part > 0 ? 1 : 0],
    ]) {
      svg(
        "path",
        {
          class: "grows",
          d: `M${edge + x0 * wide} ${a + high}C${edge + x0 * wide} ${middle} ${edge + x1 * wide} ${middle} ${edge + x1 * wide} ${b}`,
        },
        this.svg,
      );
    }
    text(edge, a - size, words.decoding, "title");
    text(edge, b - size, words.training, "title");
    bar(edge, a, p, "best");
    bar(edge + p * wide, a, part - p, "rest");
    if (part < 1) bar(edge + part * wide, a, 1 - part, "spent");
    if (part > 0) {
      bar(edge, b, held, "best");
      bar(edge + held * wide, b, 1 - held, "rest");
    }
    const room = (amount) => Math.floor((amount * wide - 14) / (size * 0.52));
    const note = (x, y, amount, words) =>
      room(amount) > 8 && text(x + (amount * wide) / 2, y + high / 2, clipped(words, room(amount)), "note");
    note(edge + part * wide, a, 1 - part, `${words.broken} ${share(1 - part)}`);
    note(edge + p * wide, a, part - p, `${words.others} ${share(part - p)}`);
    if (part > 0) note(edge + held * wide, b, 1 - held, `${words.others} ${share(1 - held)}`);
    for (const [y, amount] of [
      [a, p],
      [b, held],
    ])
      text(edge, y + high + size * 0.95, decimal(amount.toFixed(3).replace(/^0/, "")), "value");
    text(
      edge + wide,
      b + high + size,
      clipped(`${words.best}: ${path}`, Math.floor((wide * 0.8) / (size * 0.55))),
      "path",
    );
  }
}
