// The picture of the lesson From words to scores: each beat has its own drawing.

import { fill } from "../../../crf/figures/shared/dom.js";
import { Columns } from "./columns.js";
import { Mistakes } from "./mistakes.js";
import { NetworkDrawing } from "./network.js";
import { Targets } from "./targets.js";
import { TrainingDrawing } from "./training.js";

const SKELETON = `
<div class="words-figure" data-figure="words">
  <div class="tools"></div><div class="canvas"><svg role="group"></svg></div>
</div>`;
const DRAWINGS = {
  network: NetworkDrawing,
  replace: NetworkDrawing,
  train: TrainingDrawing,
  batches: Targets,
  good: Columns,
  errs: Mistakes,
};

export class WordsPicture {
  root;
  host;
  view;
  drawing;
  kind;
  veils = false;

  constructor(el, host, signal) {
    this.root = fill(el, SKELETON);
    this.host = host;
    const watch = new ResizeObserver(() => this.draw());
    watch.observe(this.root);
    document.fonts.addEventListener("loadingdone", () => this.draw(), { signal });
    signal.addEventListener("abort", () => {
      watch.disconnect();
      this.drawing?.end?.();
    });
  }

  show(view, live) {
    this.view = view;
    const Drawing = DRAWINGS[view.beat];
    if (!(this.drawing instanceof Drawing)) {
      this.drawing?.end?.();
      for (const part of this.root.querySelectorAll(".tools, svg")) part.replaceChildren();
      for (const part of this.root.querySelectorAll(".canvas > :not(svg)")) part.remove();
      this.drawing = new Drawing(this.root, this.host);
    }
    this.drawing.live = live;
    this.root.dataset.of = view.beat;
    this.root.querySelector("svg").setAttribute("aria-label", view.heading);
  }

  showNow(now, moves = false, veils = this.veils) {
    if (now.picture) Object.assign(this.view.picture, now.picture);
    delete now.picture;
    this.view.picture.now = now;
    this.veils = veils;
    this.draw(moves);
  }

  get heading() {
    return this.root.closest(".stage")?.querySelector(".heading");
  }

  // Where the lesson's words begin.
  get edge() {
    return this.heading ? parseFloat(getComputedStyle(this.heading).paddingLeft) : 40;
  }

  // Menus and switches stand beside the question, where there is room.
  placeTools() {
    const tools = this.root.querySelector(".tools");
    const high = this.heading?.offsetHeight ?? 62;
    tools.style.top = this.root.clientWidth < 760 ? "" : `${-(high + Math.max(tools.offsetHeight, 24)) / 2}px`;
  }

  draw(moves = false) {
    const canvas = this.root.querySelector(".canvas");
    const [width, height] = [canvas.clientWidth, canvas.clientHeight];
    if (!this.view || width < 60 || height < 60) return;
    const svg = canvas.querySelector("svg");
    this.placeTools();
    this.root.classList.toggle("presented", Number(getComputedStyle(this.root).getPropertyValue("--magnify")) > 1);
    const k = Math.min(Math.max(Math.min(width / 1280, height / 400), 0.8), 1.8);
    svg.setAttribute("width", String(width));
    svg.setAttribute("height", String(height));
    this.root.style.setProperty("--k", String(k));
    this.drawing.draw({
      svg,
      picture: this.view.picture,
      now: this.view.picture.now,
      veils: this.veils,
      moves,
      width,
      height,
      k,
      edge: this.edge,
      phone: width < 640,
    });
  }
}
