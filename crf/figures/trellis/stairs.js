// The staircase under a path: a bar for each score, from where the sum stood to where it stands, up to the gap to log Z.

import { decimal } from "../shared/decimal.js";
import { filledText, put, svg } from "../shared/dom.js";
import { number, plain, signed } from "./numbers.js";
import { Score } from "./scores.js";

const WIDE = { start: 46, transition: 46, emission: 76, end: 46 }; // px of bars
const LINE = 18; // px of a label

export class Stairs {
  group;
  floor;
  line;
  level;
  about;
  gap;
  rest;
  zero;
  bars = [];

  constructor(parent) {
    this.group = svg("g", { class: "stairs" }, parent);
    this.floor = svg("path", { class: "floor" }, this.group);
    this.line = svg("path", { class: "tread" }, this.group);
    this.level = svg("path", { class: "whole" }, this.group);
    this.about = svg("text", { class: "about" }, this.group);
    this.gap = svg("text", { class: "gap" }, this.group);
    this.rest = svg("path", { class: "rest" }, this.group);
    this.zero = svg("text", { class: "zero", "aria-hidden": "true" }, this.group, "0");
  }

  draw({ at, now, trellis, view: { words } }) {
    const { stairs } = now;
    const total = number(trellis.log_z);
    const place = ({ kind, at: t }) => (kind === "start" ? at.start : kind === "end" ? at.ending : at.x(t));
    const names = stairs.map((step) => nameOf(step, now.path, at.columns, trellis.tags, words));
    while (this.bars.length < stairs.length) this.bars.push(this.bar());
    const sums = stairs.reduce((sums, { score }) => [...sums, sums.at(-1) + number(score)], [0]);
    const line = Math.max(LINE, at.small * 1.15);
    const finite = [0, total, ...sums].filter(Number.isFinite);
    const [low, high] = [Math.min(...finite), Math.max(...finite)];
    const { top, bottom } = at.stairs;
    const scale = (bottom - top - line * (low < 0 ? 1 : 0)) / (high - low || 1);
    const y = (sum) => (Number.isFinite(sum) ? top + (high - sum) * scale : bottom);
    const wide = (kind) => Math.min(WIDE[kind] * at.k, at.pitch * (kind === "emission" ? 0.42 : 0.26));
    let tread = "";
    this.bars.forEach((bar, i) => {
      const step = stairs[i];
      bar.group.style.display = step ? "" : "none";
      if (!step) return;
      const [x, w, from, to] = [place(step), wide(step.kind), y(sums[i]), y(sums[i + 1])];
      const score = number(step.score);
      put(bar.body, { x: x - w / 2, y: Math.min(from, to), width: w, height: Math.max(Math.abs(from - to), 1), rx: 2 });
      const role = step.kind === "start" || step.kind === "end" ? "edge" : step.kind;
      bar.group.setAttribute("class", `stair ${role}`);
      bar.group.dataset.sign = Number.isFinite(score) ? Math.sign(score) : "never";
      const above = Math.min(from, to) - line / 2 - 2;
      const below = Math.max(from, to) + line / 2 + 2;
      const roof = i > stairs.length * 0.6 && above - line / 2 < y(total) + 4 && above + line > y(total);
      bar.label.group.setAttribute("class", `score ${role}`);
      bar.label.place(x, roof ? below : above, at.small, w, line);
      bar.label.write(step.kind === "emission" ? "" : step.hook, names[i], score, signed(score));
      const next = stairs[i + 1];
      tread += `M${x + w / 2} ${to}H${next ? place(next) - wide(next.kind) / 2 : at.ending + 8}`;
    });
    const [left, right, end] = [
      at.tag + (at.phone ? 8 : 4),
      at.ending + (at.phone ? 8 : wide("end") / 2 + 4),
      y(sums.at(-1)),
    ];
    put(this.line, { d: tread });
    put(this.floor, { d: `M${left} ${y(0)}H${right - 12}` });
    put(this.zero, { x: left - 12, y: y(0) });
    put(this.level, { d: `M${left} ${y(total)}H${right}` });
    put(this.rest, { d: `M${right + 6} ${y(total)}V${end}` });
    put(this.about, {
      x: left,
      y: y(total) + (y(total) - at.bottom > line + 8 && at.phone ? -10 : 16 * Math.max(at.k, 1)),
    });
    this.about.textContent = filledText(words["all-paths"], { total: plain(total, 2) });
    const missing = total - sums.at(-1);
    this.gap.textContent = filledText(words.gap, {
      gap: missing < 1 ? decimal(Math.max(missing, 0).toFixed(3).replace(/^0/, "")) : plain(missing, 1),
    });
    const beside = right + 15 + this.gap.getComputedTextLength() <= at.width;
    put(this.gap, {
      x: beside ? right + 15 : at.width - 4,
      y: beside ? Math.min((y(total) + end) / 2, bottom - 8) : y(total) - 14,
    });
    this.gap.style.textAnchor = beside ? "start" : "end";
    this.gap.style.display = this.rest.style.display = Number.isFinite(missing) ? "" : "none";
  }

  bar() {
    const group = svg("g", {}, this.group);
    return { group, body: svg("rect", {}, group), label: new Score(this.group, "transition", false) };
  }
}

// What a bar's score is called.
function nameOf({ kind, at: t }, path, columns, tags, words) {
  const name = (t) => tags[path[t]]?.name;
  return {
    start: `${words["start-column"]}, ${name(0)}`,
    end: `${words["end-column"]}, ${name(columns - 1)}`,
    emission: name(t),
    transition: `${name(Math.floor(t))} → ${name(Math.ceil(t))}`,
  }[kind];
}
