// Two pieces of trellis, and the one that they make.

import { html, put, svg } from "../../crf/figures/shared/dom.js";
import { drawTrick } from "./trees.js";

export class Trick {
  svg;
  host;

  constructor(root, host) {
    this.host = host;
    this.svg = svg("svg", { role: "group" }, html("div", { class: "costs" }, root));
  }

  draw(picture, { width, height }, { heading }) {
    sized(this.svg, width, height, heading);
    drawTrick(this.svg, picture, width, height, (from, to) => this.host.set("way", `${from}.${to}`));
  }
}

// A drawing's size, and the size of its letters.
export function sized(drawing, width, height, heading) {
  put(drawing, { width, height, "aria-label": heading });
  drawing.style.setProperty("--k", String(width < 640 ? 0.82 : Math.min(Math.max(width / 1280, 0.8), 1.6)));
}
