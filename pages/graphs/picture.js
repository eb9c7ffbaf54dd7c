// The picture of Graphs: a factor graph, a table of one day, the CRF's kin, or pipes, as the beat asks.

import { html } from "../../crf/figures/shared/dom.js";
import { ofParts } from "../shared/ui/stage/parts.js";
import { Sheet } from "../shared/ui/stage/sheet.js";
import { drawGraph } from "./graph.js";
import { drawKin } from "./kin.js";
import { drawPipes } from "./pipes.js";
import { drawTable } from "./table.js";

const SKELETON = `
<svg role="group"><defs><marker id="tip" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="9" markerHeight="9" orient="auto"><path d="M0 0L10 5L0 10Z"></path></marker></defs></svg>
<div class="switch" role="group"></div>`;
const DRAWN = { graph: drawGraph, table: drawTable, kin: drawKin, pipes: drawPipes };

class Graph {
  root;
  svg;
  host;
  sheet;
  live;

  constructor(root, host) {
    Object.assign(this, { root, host });
    this.svg = root.querySelector("svg");
    const drawing = this.svg.appendChild(document.createElementNS(this.svg.namespaceURI, "g"));
    this.sheet = new Sheet(drawing, ["back", "lines", "marks", "texts"]);
  }

  draw(picture, size, { live, heading }) {
    this.live = live;
    this.root.dataset.part = picture.part;
    this.svg.setAttribute("aria-label", heading);
    this.svg.setAttribute("viewBox", `0 0 ${size.width} ${size.height}`);
    this.sheet.begin();
    const { now, words } = picture;
    const choice = DRAWN[picture.part]({ ...size, sheet: this.sheet, picture, now, words, host: this.host });
    this.sheet.end();
    this.writeSwitch(choice);
    this.root.classList.toggle("still", !live);
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

const parts = Object.fromEntries(Object.keys(DRAWN).map((part) => [part, class extends Graph {}]));

export const GraphsPicture = ofParts("graphs", parts, {
  skeleton: SKELETON,
  of: ({ picture }) => picture.part,
  high: 423,
  scale: [0.6, 1.9],
  phone: undefined,
});
