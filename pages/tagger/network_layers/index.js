// A sentence in a network: columns are words, rows are layers, a strip shows a vector's numbers by colour. Python sends
// them scaled from −1 to 1; a click says which box was chosen. Arcs show which other words' emissions a change moves.

import { clipped, fill, letters, svg } from "../../../crf/figures/shared/dom.js";
import { report, whenData } from "../../../crf/figures/shared/model.js";
import { offerSave } from "../../../crf/figures/shared/save.js";

const WIDEST = 110; // of a column
const NARROWEST = 58;
const LEFT = 92;
const ROW = 46;
const ARCS = 64;

const SKELETON = `<div class="layers" data-figure="network"></div>`;

export default {
  render({ model, el, signal }) {
    const picture = new Layers(fill(el, SKELETON));
    picture.send = (place) => report(model, "pick", place);
    whenData(model, signal, (data) => picture.load(data));
  },
};

class Layers {
  constructor(root) {
    this.root = root;
    offerSave(root);
    root.onkeydown = (event) => this.key(event);
    new ResizeObserver(() => this.data && this.column !== this.room() && this.draw()).observe(root);
  }

  load(data) {
    if (this.data && data.serial < this.data.serial) return; // two repaints may arrive in the wrong order
    this.data = data;
    this.draw();
  }

  room() {
    const each = (this.root.clientWidth / letters(this.root) - LEFT - 4) / this.data.tokens.length;
    return Math.floor(Math.min(WIDEST, Math.max(NARROWEST, each)));
  }

  draw() {
    const { data } = this;
    this.column = this.room();
    const column = this.column;
    const focused = this.root.contains(document.activeElement) || this.root.getRootNode().activeElement;
    const { tokens, rows, arcs, chosen } = data;
    const width = LEFT + column * tokens.length;
    const top = arcs.length ? ARCS : 8;
    const height = top + 26 + ROW * rows.length;
    const picture = svg("svg", { width, height, viewBox: `0 0 ${width} ${height}`, role: "group", "aria-label": data.label });
    const middle = (t) => LEFT + column * t + column / 2;
    for (const { from, to, size, text } of arcs) {
      const [a, b] = [middle(from), middle(to)];
      const lift = Math.min(ARCS - 8, 14 + 10 * Math.abs(to - from));
      const arc = svg("path", { d: `M${a} ${top} C${a} ${top - lift} ${b} ${top - lift} ${b} ${top}`, class: "arc", "stroke-width": 1 + 7 * size, "stroke-opacity": 0.25 + 0.75 * size }, picture);
      svg("title", {}, arc, text);
    }
    tokens.forEach((token, t) => {
      const text = svg("text", { x: middle(t), y: top + 16, "text-anchor": "middle", class: `word ${token.unknown ? "unknown" : ""}` }, picture, clipped(token.text, Math.floor(column / 8)));
      svg("title", {}, text, token.about);
    });
    this.cells = rows.map((row, k) => {
      const y = top + 26 + ROW * k;
      svg("text", { x: 0, y: y + 16, class: "small" }, picture, row.name);
      svg("text", { x: 0, y: y + 31, class: "shape" }, picture, row.shape);
      return row.cells.map((cell, t) => this.cell(picture, { cell, k, t, y, chosen }));
    });
    this.root.replaceChildren(picture);
    if (focused && chosen) this.cells[chosen[0]]?.[chosen[1]]?.focus();
  }

  cell(picture, { cell, k, t, y, chosen }) {
    const x = LEFT + this.column * t + 4;
    const wide = this.column - 8;
    const pressed = chosen && chosen[0] === k && chosen[1] === t;
    const group = svg("g", { class: "cell", role: "button", tabindex: k || t ? -1 : 0, "aria-pressed": Boolean(pressed), "aria-label": cell.about }, picture);
    if (cell.strip) {
      const step = wide / cell.strip.length;
      cell.strip.forEach((value, i) => svg("rect", { x: x + step * i, y: y + 4, width: step + 0.3, height: 26, fill: value > 0 ? "#D55E00" : "#0072B2", "fill-opacity": Math.abs(value).toFixed(3) }, group));
    } else svg("text", { x: x + wide / 2, y: y + 22, "text-anchor": "middle", class: "shape" }, group, cell.text);
    svg("rect", { x, y: y + 4, width: wide, height: 26, rx: 3, class: "box" }, group);
    if (k + 1 < this.data.rows.length) svg("line", { x1: x + wide / 2, x2: x + wide / 2, y1: y + 30, y2: y + ROW + 4, class: "wire" }, picture);
    group.onclick = () => this.send([k, t]);
    return group;
  }

  key(event) {
    const at = this.cells.flatMap((row, k) => row.map((cell, t) => [cell, k, t])).find(([cell]) => cell === event.target);
    if (!at) return;
    const [, k, t] = at;
    const move = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key];
    if (event.key === "Enter" || event.key === " ") this.send([k, t]);
    else if (!move) return;
    event.preventDefault();
    if (move) this.cells[k + move[0]]?.[t + move[1]]?.focus();
  }
}
