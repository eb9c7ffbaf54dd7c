// The picture of Graphs: a factor graph, a table of one day, the CRF's kin, or pipes, as the beat asks.

import { fill, html } from "../../crf/figures/shared/dom.js";
import { Sheet } from "../shared/ui/stage/sheet.js";
import { drawGraph } from "./graph.js";
import { drawKin } from "./kin.js";
import { drawPipes } from "./pipes.js";
import { drawTable } from "./table.js";

const SKELETON = `
<div class="graphs" data-figure="graphs">
  <svg role="group"><defs><marker id="tip" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="9" markerHeight="9" orient="auto"><path d="M0 0L10 5L0 10Z"></path></marker></defs></svg>
  <div class="switch" role="group"></div>
</div>`;
const PARTS = { graph: drawGraph, table: drawTable, kin: drawKin, pipes: drawPipes };

export class GraphsPicture {
  root;
  svg;
  host;
  view;
  sheet;
  live;
  part;

  constructor(el, host, signal) {
    this.root = fill(el, SKELETON);
    this.svg = this.root.querySelector("svg");
    this.host = host;
    const watch = new ResizeObserver(() => this.draw());
    watch.observe(this.root);
    signal.addEventListener("abort", () => watch.disconnect());
  }

  show(view, live) {
    this.view = view;
    this.live = live;
    this.svg.setAttribute("aria-label", view.heading);
  }

  showNow(now) {
    if (now.picture) Object.assign(this.view.picture, now.picture);
    this.view.picture.now = now;
    this.draw();
  }

  draw() {
    const [width, height] = [this.root.clientWidth, this.root.clientHeight];
    if (!this.view || !width || !height) return;
    const picture = this.view.picture;
    if (this.part !== picture.part) {
      this.sheet?.root.remove();
      const root = this.svg.appendChild(document.createElementNS(this.svg.namespaceURI, "g"));
      this.sheet = new Sheet(root, ["back", "lines", "marks", "texts"]);
      this.root.dataset.part = this.part = picture.part;
    }
    this.svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    const k = Math.min(Math.max(Math.min(width / 1280, height / 423), 0.6), 1.9);
    this.root.style.setProperty("--k", String(k));
    this.sheet.begin();
    const choice = PARTS[picture.part]({
      sheet: this.sheet,
      picture,
      now: picture.now,
      words: picture.words,
      width,
      height,
      k,
      phone: width < 640,
      host: this.host,
    });
    this.sheet.end();
    this.writeSwitch(choice);
    this.root.classList.toggle("still", !this.live);
  }

  // Two or more values of a control, side by side: { name, values: [[value, label]], chosen }.
  writeSwitch(choice) {
    const group = this.root.querySelector(".switch");
    group.hidden = !choice || !this.live;
    const shape = JSON.stringify(choice?.values ?? []);
    if (group.dataset.shape !== shape)
      group.replaceChildren(
        ...(choice?.values ?? []).map(([value, label]) =>
          html("button", { type: "button", "data-value": value }, null, label),
        ),
      );
    group.dataset.shape = shape;
    for (const button of group.querySelectorAll("button")) {
      button.setAttribute("aria-pressed", String(button.dataset.value === choice?.chosen));
      button.onclick = () => this.host.set(choice.name, button.dataset.value);
    }
  }
}
