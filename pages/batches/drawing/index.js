// The pictures of the lesson on batches: a beat has one of five.

import { html } from "../../../crf/figures/shared/dom.js";
import { Changes } from "./changes.js";
import { Code } from "./code.js";
import { Grid } from "./grid.js";
import { Slabs } from "./slabs.js";
import { Terms } from "./terms.js";

const PICTURES = { loop: Grid, best: Grid, same: Changes, shapes: Slabs, score: Terms, bug: Code };
const [WIDTH, HEIGHT, PHONE] = [1280, 412, 640];
const LEAST = 18; // px of letters on a projector

export class BatchesPicture {
  root; host; view; part; beat;

  constructor(el, host, signal) {
    this.root = html("div", { class: "batch", "data-figure": "batches" });
    el.replaceChildren(this.root);
    this.host = host;
    const watch = new ResizeObserver(() => this.draw(false));
    watch.observe(this.root);
    signal.addEventListener("abort", () => watch.disconnect());
  }

  show(view) {
    this.view = view;
    if (this.beat !== view.beat) {
      this.root.replaceChildren();
      this.part = new PICTURES[view.beat](this.root, this.host);
    }
    this.beat = view.beat;
  }

  showNow(now, moves = false) {
    Object.assign(this.view.picture, now.picture, { now });
    this.draw(moves);
  }

  draw(moves) {
    const { clientWidth: width, clientHeight: height } = this.root;
    if (!this.view || !width || !height) return;
    const phone = width < PHONE;
    const least = getComputedStyle(this.root).getPropertyValue("--magnify") ? LEAST : 0;
    const k = phone ? 1 : Math.min(Math.max(Math.min(width / WIDTH, height / HEIGHT), 0.8), 2);
    this.part.draw(this.view.picture, { width, height, phone, k, least, edge: phone ? 14 : 40 * k }, moves);
  }
}
