// The formats as bars on an axis of scores (nats); a slider walks through the tokens of a chain, and the
// largest entry of its column is marked on each bar, or said to be inf or 0 where the bar has ended.

import { element, fill, isolated, letters, put, svg, whenTurned } from "../../../crf/figures/shared/dom.js";
import { report, whenData } from "../../../crf/figures/shared/model.js";
import { offerSave } from "../../../crf/figures/shared/save.js";

const ROW = 34;
const LEFT = 78;
const RIGHT = 60;

const SKELETON = `<figure class="line" data-figure="number-line"></figure>`;

export default {
  render({ model, el, signal }) {
    const line = new NumberLine(fill(el, SKELETON));
    line.send = (token) => report(model, "token", token);
    whenTurned(line.root, (by) => line.turn(by), signal);
    whenData(model, signal, (data) => line.load(data));
  },
};

class NumberLine {
  send;

  constructor(root) {
    this.root = root;
    this.picture = svg("svg", { role: "img" });
    this.slider = element("input", { type: "range", min: 1 });
    this.past = []; // tokens that a presenter's keys have left
    this.says = element("output");
    this.told = element("p");
    this.told.setAttribute("aria-live", "polite");
    const label = element("label", {}, element("span", { textContent: "Tokens" }), this.slider, this.says);
    label.dataset.export = "no";
    root.replaceChildren(this.picture, label, this.told);
    offerSave(root);
    this.slider.oninput = () => this.move(Number(this.slider.value));
    new ResizeObserver(() => this.data && this.draw()).observe(root);
  }

  load(data) {
    if (JSON.stringify(this.data) === JSON.stringify(data)) return;
    const sent = this.data?.at;
    this.data = data;
    this.slider.max = data.logs.length;
    if (sent !== data.at || this.at === undefined || this.at > data.logs.length) this.at = data.at;
    this.slider.value = this.at;
    this.draw();
  }

  // A presenter's key: a chain twice as long, and back to where it began.
  turn(by) {
    const token = by > 0 ? Math.min(2 * this.at, this.data.logs.length) : this.past.pop();
    if (!token || token === this.at) return false;
    if (by > 0) this.past.push(this.at);
    this.move(token);
    return true;
  }

  move(token) {
    this.slider.value = this.at = token;
    this.mark();
    clearTimeout(this.later);
    this.later = setTimeout(() => this.send(token), 180);
  }

  x(nats) {
    const { low, high } = this.data;
    return LEFT + ((Math.min(Math.max(nats, low), high) - low) / (high - low)) * (this.width - LEFT - RIGHT);
  }

  draw() {
    const { formats, ticks, label } = this.data;
    this.width = Math.max(this.root.clientWidth / letters(this.root), 320);
    const height = ROW * formats.length + 64;
    put(this.picture, { viewBox: `0 0 ${this.width} ${height}`, style: `height: ${height}px`, "aria-label": label });
    this.picture.replaceChildren();
    const foot = ROW * formats.length + 14;
    svg("line", { x1: LEFT, x2: this.width - RIGHT, y1: foot, y2: foot, class: "axis" }, this.picture);
    let free = -Infinity;
    for (const { nats, text } of ticks) {
      const x = this.x(nats);
      if (x - free < 62) continue;
      free = x;
      svg("line", { x1: x, x2: x, y1: foot, y2: foot + 5, class: "axis" }, this.picture);
      svg("text", { x, y: foot + 20, "text-anchor": "middle", class: "small" }, this.picture, text);
    }
    svg("text", { x: LEFT, y: foot + 40, class: "small" }, this.picture, this.data.axis);
    this.marks = formats.map((format, k) => {
      const y = 14 + ROW * k;
      svg("text", { x: 0, y: y + 13, class: "name" }, this.picture, format.name);
      svg("rect", { x: LEFT, y, width: this.width - LEFT - RIGHT, height: 18, rx: 3, class: "ghost" }, this.picture);
      const [from, to] = [this.x(format.low), this.x(format.high)];
      svg("rect", { x: from, y, width: to - from, height: 18, rx: 3, class: "bar", fill: format.colour, stroke: format.colour }, this.picture);
      const dot = svg("circle", { cy: y + 9, r: 7, class: "dot moves", fill: format.colour }, this.picture);
      const verdict = svg("text", { x: this.width - RIGHT + 8, y: y + 13 }, this.picture);
      return { format, dot, verdict };
    });
    this.at_line = svg("line", { y1: 4, y2: foot, class: "at moves" }, this.picture);
    this.mark();
  }

  mark() {
    const { logs, words, numbers, zeros } = this.data;
    const [nats, isZero] = [logs, zeros].map((list) => list[this.at - 1]); // 0: no path comes here, and every format has a 0
    const x = this.x(nats);
    this.at_line.setAttribute("transform", `translate(${x} 0)`);
    const lost = [];
    for (const { format, dot, verdict } of this.marks) {
      const state = isZero ? "" : nats > format.high ? "inf" : nats < format.low ? "0" : "";
      dot.setAttribute("transform", `translate(${x} 0)`);
      dot.style.opacity = state ? 0.25 : 1;
      verdict.textContent = state ? `✗ ${state}` : isZero ? "✓ 0" : "✓";
      put(verdict, { class: state ? "lost" : "held" });
      if (state) lost.push(`${format.name}: ${state}`);
    }
    this.says.textContent = `${this.at} · ${isolated(words[(this.at - 1) % words.length])}`;
    this.told.textContent = `${this.data.says} ${numbers[this.at - 1]}. ${lost.length ? lost.join(", ") + "." : isZero ? this.data.none : this.data.held}`;
  }
}
