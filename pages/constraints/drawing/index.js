// The pictures of the lesson on constraints: the flow with its hatching, two bars, and the decoders' readings.

import { html } from "../../../crf/figures/shared/dom.js";
import { Bars } from "./bars.js";
import { Flow } from "./flow.js";
import { Readings } from "./readings.js";

const PICTURES = { broken: Flow, breaks: Flow, switch: Flow, part: Flow, train: Bars, who: Readings };
const [WIDTH, HEIGHT, PHONE] = [1280, 412, 640];


export class ConstraintsPicture {
  root; host; view; part; kind; beat;

  constructor(el, host, signal) {
    this.root = html("div", { class: "cuts", "data-figure": "constraints" });
    el.replaceChildren(this.root);
    this.host = host;
    const watch = new ResizeObserver(() => this.draw(null));
    watch.observe(this.root);
    document.fonts.addEventListener("loadingdone", () => this.draw(null), { signal });
    signal.addEventListener("abort", () => watch.disconnect());
  }

  show(view) {
    this.view = view;
    const Kind = PICTURES[view.beat];
    if (this.kind !== Kind) {
      this.root.replaceChildren();
      this.part = new Kind(this.root, this.host);
    }
    this.kind = Kind;
  }

  showNow(now) {
    Object.assign(this.view.picture, now.picture, { now });
    const from = this.beat;
    this.beat = this.view.beat;
    this.draw(from);
  }

  // `from`: the beat that was on screen; null where only the size has changed.
  draw(from) {
    const { clientWidth: width, clientHeight: height } = this.root;
    if (!this.view || !width || !height) return;
    const phone = width < PHONE;
    const k = phone ? 1 : Math.min(Math.max(Math.min(width / WIDTH, height / HEIGHT), 0.8), 2);
    this.part.draw(this.view.picture, this.view.beat, { width, height, phone, k, edge: phone ? 14 : 40 * k }, from);
  }
}
