// What four number formats hold: lanes with walls and two growing products, or the ways into a cell; besides a pair of trellises
// with "forbidden" written in two ways, and a chart of ways by formats.

import { decimal } from "../../crf/figures/shared/decimal.js";
import { html, isolated } from "../../crf/figures/shared/dom.js";
import { ofParts } from "../shared/ui/stage/parts.js";
import { Lanes } from "./lanes.js";
import { Pair } from "./pair.js";

const SKELETON = `
<svg class="lanes" role="img"></svg>
<label class="count"><span></span><input type="range" min="1"><output></output></label>
<input class="offset" type="range" step="any">
<svg class="pair" role="img"></svg>
<div class="chart" role="table"></div>`;
const BEAD = 60; // ms from a factor to the next
const NEAR = 0.008; // share of the axis: closer than this to the largest score, c snaps to it

class Formats {
  root;
  view;
  lanes;
  pair;
  host;
  drawn;
  growing;
  moved = false; // whether a slider is on its way

  constructor(root, host) {
    Object.assign(this, { root, host });
    this.find = (part) => this.root.querySelector(part);
    this.lanes = new Lanes(this.find(".lanes"));
    this.pair = new Pair(this.find(".pair"));
    this.slides(
      this.find(".count input"),
      () => this.takeCount(),
      (resting) => this.host.set("words", this.now.count, resting),
    );
    this.slides(
      this.find(".offset"),
      () => this.takeOffset(),
      (resting) => this.host.set("c", this.now.c === this.largest ? "" : this.now.c.toFixed(3), resting),
    );
  }

  end() {
    clearInterval(this.growing);
  }

  get now() {
    return this.view.picture.now;
  }

  get largest() {
    return Math.max(...this.view.picture.ways.map((way) => way.score));
  }

  // A native slider: `take` reads it, `set(resting)` tells the host. After a drag the keys are the lesson's again.
  slides(input, take, set) {
    input.oninput = () => {
      this.moved = true;
      clearInterval(this.growing);
      take();
      this.lanes.draw(this.now);
      this.writeCount();
      set(false);
    };
    input.onchange = () => {
      this.moved = false;
      set(true);
    };
    input.onpointerup = () => input.blur();
  }

  takeCount() {
    this.now.count = Number(this.find(".count input").value);
  }

  takeOffset() {
    const { min, max, value } = this.find(".offset");
    const c = Number(value);
    this.now.c = Math.abs(c - this.largest) < NEAR * (Number(max) - Number(min)) ? this.largest : c;
    this.now.c_text = `c = ${decimal(this.now.c.toFixed(2).replace("-", "−"))}`;
  }

  // ---------------------------------------------------------------- what is drawn

  show(view, live) {
    const before = this.view;
    this.view = view;
    this.moved = false;
    const kind = view.picture.rows ? "chart" : view.picture.sides ? "pair" : view.picture.ways ? "ways" : "runs";
    this.root.dataset.shows = kind;
    this.root.dataset.live = live;
    this.root.classList.toggle("turns", Boolean(before) && before.beat !== view.beat);
    for (const part of [".lanes", ".pair", ".chart"]) this.find(part).setAttribute("aria-label", view.heading);
    if (kind === "chart") this.writeChart();
    const input = this.find(".count input");
    if (kind === "runs") {
      Object.assign(input, { max: String(view.picture.longest), value: String(view.picture.count) });
      this.find(".count span").textContent = view.picture.words;
    }
    if (kind === "runs" && this.veiled(before) && !this.veiled(view)) this.grow();
  }

  veiled(view) {
    return Boolean(view?.picture.now.bet && !view.picture.now.bet.revealed);
  }

  // While a slider is on its way, it is ahead of what was asked for.
  taken(now) {
    if (!this.moved) return now;
    const { count, c, c_text } = this.now;
    return { ...now, count, c, c_text };
  }

  draw(picture, { width, height, phone }) {
    if (height < 60) return;
    const below = phone && this.root.dataset.shows === "runs" ? this.find(".count").offsetHeight : 0;
    if (picture.lanes) this.lanes.layout(this.view, width, height - below);
    if (picture.sides) this.pair.draw(picture.sides, width, height);
    if (!picture.lanes || !this.lanes.at) return;
    this.lanes.draw(this.now);
    this.writeCount();
    if (picture.ways) this.placeOffset();
  }

  writeCount() {
    const { count } = this.now;
    if (count === undefined) return;
    if (!this.moved) this.find(".count input").value = String(count);
    this.find("output").textContent = String(count);
  }

  // The slider of c lies on the axis.
  placeOffset() {
    const input = this.find(".offset");
    const { left, right, floor, low, high } = this.lanes.at;
    input.hidden = typeof this.now.c !== "number" || !this.view.picture.ways.length;
    input.setAttribute("aria-label", "c");
    input.setAttribute("aria-valuetext", this.now.c_text);
    Object.assign(input, { min: String(low), max: String(high) });
    if (!this.moved) input.value = String(this.now.c);
    Object.assign(input.style, { left: `${left - 14}px`, width: `${right - left + 28}px`, top: `${floor - 16}px` });
  }

  // Bead after bead, from where the question had stopped; none under reduced motion.
  grow() {
    clearInterval(this.growing);
    if (matchMedia("(prefers-reduced-motion: reduce)").matches) return;
    const until = this.now.count;
    let count = Math.min(20, until);
    this.growing = setInterval(() => {
      count += 1;
      if (count >= until || !this.root.isConnected || this.now.count !== until) clearInterval(this.growing);
      if (this.view.picture.values && this.now.count === until)
        this.lanes.draw({ ...this.now, count: Math.min(count, until) }, until);
    }, BEAD);
  }

  // ---------------------------------------------------------------- the chart

  writeChart() {
    const chart = this.find(".chart");
    const { formats, rows } = this.view.picture;
    chart.replaceChildren();
    const head = html("div", { role: "row", class: "head" }, chart);
    html("span", { role: "columnheader" }, head);
    for (const name of formats) html("b", { role: "columnheader" }, head, name);
    for (const { name, note, cells } of rows) {
      const row = html("div", { role: "row" }, chart);
      const title = html("div", { role: "rowheader", class: "method" }, row);
      html("b", {}, title, name);
      html("span", {}, title, note);
      for (const [k, { share, kind, head, tail }] of cells.entries()) {
        const cell = html(
          "div",
          { role: "cell", class: `until ${kind}${share > 0.5 ? " far" : ""}`, style: `--share: ${share}` },
          row,
        );
        html("i", { "aria-hidden": "true" }, cell, formats[k]);
        html("b", {}, cell, isolated(head));
        html("span", {}, cell, isolated(tail));
      }
    }
  }
}

export const StabilityPicture = ofParts(
  "stability",
  { formats: Formats },
  { root: "formats", skeleton: SKELETON, of: () => "formats" },
);
