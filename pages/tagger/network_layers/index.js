// A sentence in a network: columns are words, rows are layers. What is known of a word lies side by side and goes into the BiLSTM,
// whose two rows read from left and from right; below, the best emissions. A strip shows a vector's numbers by colour, scaled by
// Python from −1 to 1. A click says which box was chosen. Arcs show which other words' emissions a change moves.

import { clipped, fill, letters, svg } from "../../../crf/figures/shared/dom.js";
import { report, whenData } from "../../../crf/figures/shared/model.js";
import { offerSave } from "../../../crf/figures/shared/save.js";

const WIDEST = 180; // of a column
const NARROWEST = 66;
const GAP = 14; // between the boxes of two columns: an arrow
const [TOP, ARCS] = [8, 64];
const HEAD = 26; // of the words
const LINE = 17; // of an emission
const HIGH = { part: 20, joined: 30, right: 24, left: 24 }; // of a row's boxes
const UNDER = { part: 4, joined: 14, right: 6, left: 14 }; // until the next row

const SKELETON = `<div class="layers" data-figure="network"><div class="scroll"></div></div>`;

export default {
  render({ model, el, signal }) {
    const picture = new Layers(fill(el, SKELETON), (place) => report(model, "pick", place));
    whenData(model, signal, (data) => picture.load(data));
  },
};

class Layers {
  constructor(root, send) {
    this.root = root;
    this.send = send;
    this.scroll = root.querySelector(".scroll");
    offerSave(root);
    this.scroll.onkeydown = (event) => this.key(event);
    new ResizeObserver(() => this.data && this.column !== this.room() && this.draw()).observe(this.scroll);
  }

  load(data) {
    if (this.data && data.serial < this.data.serial) return; // two repaints may arrive in the wrong order
    this.data = data;
    this.draw();
  }

  // The width of a column; on a phone the names have less room and no shapes.
  room() {
    const room = this.scroll.clientWidth / letters(this.root);
    this.left = room < 480 ? 76 : 138;
    return Math.floor(Math.min(WIDEST, Math.max(NARROWEST, (room - this.left - 4) / this.data.tokens.length)));
  }

  draw() {
    const { tokens, rows, arcs, chosen, label } = this.data;
    this.column = this.room();
    this.wide = this.column - GAP;
    const focused = this.root.contains(document.activeElement) || this.root.getRootNode().activeElement;
    const top = arcs.length ? ARCS : TOP;
    const width = this.left + this.column * tokens.length;
    const picture = svg("svg", { width, role: "group", "aria-label": label });
    this.wires = svg("g", { class: "wires" }, picture);
    this.drawHeads(picture, top);
    let y = top + HEAD;
    let above = null;
    this.cells = rows.map((row) => {
      const at = { y, high: HIGH[row.kind] ?? LINE * row.lines + 4, from: row.kind === "part" ? null : above };
      svg("text", { x: 0, y: y + at.high / 2 + 4, class: "small" }, picture, row.name);
      if (this.left > 100) svg("text", { x: this.left - 8, y: y + at.high / 2 + 4, class: "shape" }, picture, row.shape);
      const drawn = tokens.map((_, t) => this.cell(picture, row, t, at, chosen));
      y += at.high + (UNDER[row.kind] ?? 4);
      if (row.kind !== "part" || row.of === 1) above = at.y + at.high;
      return drawn;
    });
    picture.setAttribute("height", String(y));
    picture.setAttribute("viewBox", `0 0 ${width} ${y}`);
    this.scroll.replaceChildren(picture);
    if (focused && chosen) this.cells.flat().find((cell) => cell.getAttribute("aria-pressed") === "true")?.focus();
  }

  middle(t) {
    return this.left + this.column * t + this.column / 2;
  }

  drawHeads(picture, top) {
    for (const { from, to, size, text } of this.data.arcs) {
      const [a, b] = [this.middle(from), this.middle(to)];
      const lift = Math.min(ARCS - 8, 14 + 10 * Math.abs(to - from));
      const arc = svg("path", { d: `M${a} ${top} C${a} ${top - lift} ${b} ${top - lift} ${b} ${top}`, class: "arc", "stroke-width": 1 + 7 * size, "stroke-opacity": 0.25 + 0.75 * size }, picture);
      svg("title", {}, arc, text);
    }
    this.data.tokens.forEach((token, t) => {
      const text = svg("text", { x: this.middle(t), y: top + 16, "text-anchor": "middle", class: `word ${token.unknown ? "unknown" : ""}` }, picture, clipped(token.text, Math.floor(this.column / 8)));
      svg("title", {}, text, token.about);
    });
  }

  cell(picture, row, t, { y, high, from }, chosen) {
    const { kind, layer } = row;
    const cell = row.cells[t];
    const pressed = chosen && chosen[0] === layer && chosen[1] === t;
    const [x, wide] = kind === "part" ? this.segment(t, row) : [this.middle(t) - this.wide / 2, this.wide];
    const group = svg("g", { class: `cell ${kind}`, role: "button", tabindex: picture.querySelector(".cell") ? -1 : 0, "aria-pressed": Boolean(pressed), "aria-label": cell.about }, picture);
    svg("rect", { x, y, width: wide, height: high, rx: 3, class: "paper" }, group);
    if (kind === "joined") this.parts.forEach((part) => this.strip(group, part.cells[t].strip, ...this.segment(t, part), y, high));
    else if (cell.strip) this.strip(group, cell.strip, x, wide, y, high);
    cell.lines?.forEach((line, k) => this.line(group, line, x, wide, y + 2 + LINE * k));
    svg("rect", { x, y, width: wide, height: high, rx: 3, class: "box" }, group);
    this.join(row, t, { x, wide, y, high, from });
    group.onclick = () => this.send([layer, t]);
    return group;
  }

  get parts() {
    return this.data.rows.filter(({ kind }) => kind === "part");
  }

  // Where a part lies in its column: side by side with the others.
  segment(t, { place, of }) {
    const each = this.wide / of;
    return [this.middle(t) - this.wide / 2 + each * place, each];
  }

  strip(group, values, x, wide, y, high) {
    const step = wide / values.length;
    values.forEach((value, i) => svg("rect", { class: "bin", x: x + step * i, y, width: step + 0.3, height: high, fill: value > 0 ? "#D55E00" : "#0072B2", "fill-opacity": Math.abs(value).toFixed(3) }, group));
  }

  // An emission: its tag, and a bar as long as its score is large.
  line(group, { tag, text, size }, x, wide, y) {
    svg("rect", { class: "bar", x, y, width: wide * Math.abs(size), height: LINE - 2, fill: size > 0 ? "#D55E00" : "#0072B2", "fill-opacity": 0.35 }, group);
    const roomy = wide >= 80; // for its number, too
    svg("text", { x: x + 3, y: y + 12, class: "tag" }, group, clipped(tag, Math.floor((wide - (roomy ? 32 : 4)) / 7.4)));
    if (roomy) svg("text", { x: x + wide - 3, y: y + 12, class: "shape" }, group, text);
  }

  // Wires from the row above; each direction of the BiLSTM goes on to the next word.
  join(row, t, { x, wide, y, high, from }) {
    const wire = (x1, y1, x2, y2) => svg("line", { x1, y1, x2, y2, class: "wire" }, this.wires);
    if (row.kind === "joined") for (const part of this.parts) {
      const [left, each] = this.segment(t, part);
      wire(left + each / 2, y - (HIGH.part + UNDER.part) * (row.of - part.place) + HIGH.part, left + each / 2, y);
    } else if (from !== null) wire(this.middle(t), from, this.middle(t), y);
    const ahead = row.kind === "right";
    if ((!ahead && row.kind !== "left") || t + 1 === this.data.tokens.length) return;
    const [start, end, middle] = [x + wide, x + wide + GAP, y + high / 2];
    const tip = ahead ? end : start;
    wire(start, middle, end, middle);
    svg("path", { class: "tip", d: `M${tip} ${middle}l${ahead ? -6 : 6} -4v8z` }, this.wires);
  }

  key(event) {
    const k = this.cells.findIndex((row) => row.includes(event.target));
    if (k < 0) return;
    const t = this.cells[k].indexOf(event.target);
    const move = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1], Enter: [0, 0], " ": [0, 0] }[event.key];
    if (!move) return;
    event.preventDefault();
    if (event.key.startsWith("Arrow")) this.cells[k + move[0]]?.[t + move[1]]?.focus();
    else event.target.onclick();
  }
}
