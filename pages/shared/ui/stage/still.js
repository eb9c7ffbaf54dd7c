// A still of the flow beside the picture: words, columns, and a caption.

import { FlowDrawing } from "../../../../crf/figures/flow/columns.js";
import { html, svg } from "../../../../crf/figures/shared/dom.js";
import { arrange } from "./arrange.js";

export class Still {
  root;
  columns;
  words;
  values;

  constructor(parent, columns, words, values) {
    Object.assign(this, { columns, words, values });
    this.root = html("div", { class: "still", "aria-hidden": true }, null);
    this.row = html("div", { class: "words" }, this.root);
    this.box = html("div", { class: "flow" }, this.root);
    this.drawing = new FlowDrawing(svg("svg", {}, this.box));
    for (const { text } of columns) html("bdi", {}, this.row, text);
    this.root.append(caption(words.alone));
    parent.prepend(this.root);
  }

  layout() {
    const { fontFamily } = getComputedStyle(this.row);
    const { at, size, middles, spaces } = arrange(
      this.columns.map(({ text }) => text),
      this.root.clientWidth,
      fontFamily,
    );
    this.row.style.font = `700 ${size}px/1.2 ${fontFamily}`;
    middles.forEach((middle, t) => {
      const { style } = this.row.children[t];
      [style.left, style.maxWidth] = [`${middle}px`, `${spaces[t]}px`];
    });
    this.drawing.layout(this.box.clientHeight, at, this.columns, this.words, getComputedStyle(this.root).fontFamily);
    this.drawing.draw(this.values);
  }
}

// The caption of a still: the words at one end of the pad.
export function caption(text) {
  return html("p", { class: "shows" }, null, text.replace(/[←→]/g, "").trim());
}
