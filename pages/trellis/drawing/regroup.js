// Four products over two words, regrouped in four stills: products · grouped by their last tag · the shared factor taken
// out · one number a cell. What moves between two stills are positions and widths; the style gives them their time.

import { decimal } from "../../../crf/figures/shared/decimal.js";
import { put, svg } from "../../../crf/figures/shared/dom.js";
import { band } from "../../../crf/figures/trellis/edges.js";
import { potential } from "../../../crf/figures/trellis/numbers.js";

const [HIGH, ROOM, CELL] = [240, 34, [88, 54]]; // px of the drawing, of a cell's mouth, of a cell
// Left edges of the two words' cells and of the sum, and the width of it all.
const [ROOMY, NARROW] = [
  { first: 16, second: 230, sum: 436, wide: 560 },
  { first: 2, second: 172, sum: 304, wide: 396 },
];
const ROWS = [80, 182]; // middles of the cells
const OUT = [
  [73, 87],
  [175, 189],
]; // where strands leave the first word, [from][to]
const INTO = [
  [67, 93],
  [169, 195],
]; // where they enter the second, [to][from]
const LISTED = [
  [
    [104, 122],
    [140, 158],
  ],
  [
    [110, 120],
    [142, 152],
  ],
]; // where they end, [still][to][from]
const TIMES = [
  [
    [41, 71],
    [51, 114],
  ],
  [
    [51, 148],
    [41, 191],
  ],
]; // transitions' pills, from the first cells, [from][to]
const FILM = 0.05; // of a cell's height: a level that means "little"
const PAIRS = [
  [0, 0],
  [0, 1],
  [1, 0],
  [1, 1],
];

const value = (x) => (x && (x < 0.05 || x >= 1e4) ? potential(Math.log(x)) : decimal(x.toFixed(x >= 10 ? 1 : 2)));
const score = (x) => decimal(String(Number(Math.log(x).toFixed(2)))).replace("-", "−");
const factor = (x) =>
  x && (x < 0.001 || x >= 1e4)
    ? `×${potential(Math.log(x))}`
    : `×${decimal(String(Number(x.toPrecision(3))).replace(/^0\./, "."))}`; // as in the equation

export class Regroup {
  root;
  frame;
  parts;
  at;
  shape;
  regroup;

  constructor(parent) {
    this.root = svg("svg", { class: "instead", role: "img" }, parent);
  }

  build({ regroup, words }) {
    const { first: left, second: right, sum: end } = this.at;
    this.root.replaceChildren();
    const frame = svg("g", { class: "regroup" }, this.root);
    const text = (name, x, y, content = "") => svg("text", { class: name, x, y }, frame, content);
    const strands = PAIRS.map(() => [0, 1, 2].map((part) => svg("path", { class: `strand part${part}` }, frame)));
    text("word", left + 44, 12, regroup.words[0]);
    text("word", right + 44, 12, regroup.words[1]);
    text("side", end + 44, 12, words.sum);
    const cell = (x, y, name, side) => {
      const group = svg("g", { class: `${side} box` }, frame);
      for (const name of ["body", "level", "frame"])
        svg(
          "rect",
          { class: name, x, y: y - CELL[1] / 2, width: CELL[0], height: CELL[1], rx: 7 },
          group,
        ).style.transformOrigin = `0 ${y + CELL[1] / 2}px`;
      svg("text", { class: "name", x, y: y - CELL[1] / 2 - 10 }, group, name);
      return svg("text", { class: "number", x: x + CELL[0] / 2, y }, group);
    };
    const sums = ROWS.map((y, j) =>
      text(
        "adds",
        right + 42,
        y - CELL[1] / 2 - 10,
        PAIRS.filter((to) => to[1] === j)
          .map(([i]) => value(regroup.first[i] * regroup.steps[i][j]))
          .join(" + "),
      ),
    );
    const powers = ROWS.map((y, i) =>
      text(
        "adds of-score",
        left + 44,
        y + CELL[1] / 2 + 14,
        `${value(regroup.first[i])} = exp(${score(regroup.first[i])})`,
      ),
    );
    const all = text("adds of-sum", end + 44, 183, regroup.sums.map(value).join(" + "));
    const pill = (kind, content) => {
      const group = svg("g", { class: `times ${kind}` }, frame);
      svg("rect", { x: -28, y: -12, width: 56, height: 24, rx: 12 }, group);
      svg("text", {}, group, content);
      return group;
    };
    const first = ROWS.map((y, i) => cell(left, y, regroup.from[i], "first"));
    const second = ROWS.map((y, j) => cell(right, y, regroup.to[j], "second"));
    const sum = svg("g", { class: "sum" }, frame);
    svg("rect", { x: end, y: 95, width: CELL[0], height: 74, rx: 7 }, sum);
    const listed = PAIRS.map(() => text("listed", end + 78, 0));
    const brackets = [0, 1].map((j) => svg("path", { class: "bracket", d: `M${end} ${101 + 36 * j}h5v28h-5` }, frame));
    const steps = PAIRS.map(([i, j]) => pill("transition", factor(regroup.steps[i][j])));
    const last = PAIRS.map(([, j]) => pill("emission", factor(regroup.last[j])));
    this.parts = {
      strands,
      first,
      second,
      listed,
      brackets,
      steps,
      last,
      adds: [...sums, ...powers, all],
      line: svg("path", { class: "rule", d: `M${end + 14} 176h64` }, frame),
      total: text("all", 0, 0),
    };
    this.frame = frame;
  }

  layout(view, width, height) {
    const shape = JSON.stringify([view.picture.regroup, width, height]);
    this.at = width < 640 ? NARROW : ROOMY;
    if (this.shape !== shape) this.build({ ...view.picture, words: view.words });
    this.shape = shape;
    const scale = Math.min((width - (width < 640 ? 12 : 40)) / this.at.wide, height / HIGH, 2.4);
    put(this.root, { width, height });
    this.frame.style.transform = `translate(${(width - this.at.wide * scale) / 2}px, ${Math.max((height - HIGH * scale) / 2, 0)}px) scale(${scale})`;
    this.regroup = view.picture.regroup;
  }

  // Who is told the answer sees it happen: what two products share is multiplied once.
  draw({ step: still, bet }) {
    const { parts, frame, regroup, at } = this;
    const tells = Boolean(bet?.revealed && bet.answer);
    const step = tells ? Math.max(still, 2) : still;
    for (const text of parts.adds) text.style.opacity = tells ? 1 : 0;
    frame.dataset.still = step + 1;
    const merged = step >= 2;
    for (const [k, [i, j]] of PAIRS.entries()) {
      this.drawStrand(k, i, j, step);
      move(
        parts.steps[k],
        at.first + CELL[0] + (TIMES[i][j][0] * (at.second - at.first - CELL[0])) / 126,
        TIMES[i][j][1],
      );
      move(parts.last[k], at.second + 44, merged ? ROWS[j] + 33 : INTO[j][i]);
      parts.last[k].style.opacity = step === 3 || (merged && i) ? 0 : 1;
      const y = step ? [114, 150][j] : 102 + 20 * (2 * j + i);
      move(parts.listed[k], 0, y);
      parts.listed[k].textContent = value(step ? regroup.sums[j] : regroup.products[i][j]);
      parts.listed[k].style.opacity = merged || (step && i) ? 0 : 1;
    }
    for (const [j, number] of parts.second.entries()) {
      number.textContent = merged ? value(step === 3 ? regroup.sums[j] : regroup.inner[j]) : "";
      number.parentNode.querySelector(".level").style.transform =
        `scaleY(${step === 3 ? Math.max(regroup.sums[j] / regroup.total, FILM) : 0})`;
    }
    for (const [i, number] of parts.first.entries()) number.textContent = value(regroup.first[i]);
    for (const bracket of parts.brackets) bracket.style.opacity = step === 1 ? 1 : 0;
    parts.line.style.opacity = merged ? 0 : 1;
    parts.total.textContent = value(regroup.total);
    move(parts.total, at.sum + (merged ? 44 : 55), merged ? 132 : 192);
  }

  drawStrand(k, i, j, step) {
    const { regroup, at } = this;
    const [left, right] = [at.first + CELL[0], at.second + CELL[0]];
    const merged = step >= 2;
    const [into, through, out] = this.parts.strands[k];
    const share = (regroup.first[i] * regroup.steps[i][j]) / regroup.inner[j];
    const before = (i ? 1 - share : 0) * ROOM;
    const wide = merged ? Math.max(share * ROOM, 1) : 3;
    put(into, {
      d: band(
        left,
        merged ? ROWS[i] + (j - 0.5) * 26 * (1 - share) : OUT[i][j],
        wide,
        at.second,
        merged ? ROWS[j] - ROOM / 2 + before + wide / 2 : INTO[j][i],
        wide,
      ),
    });
    put(through, { d: band(at.second, INTO[j][i], 3, right, INTO[j][i], 3) });
    through.style.opacity = merged ? 0 : 1;
    const part = regroup.sums[j] / regroup.total;
    const all = merged ? Math.max(part * 1.5 * ROOM, 1.5) : 3;
    const end = merged ? 132 - 0.75 * ROOM + (j ? (1 - part) * 1.5 * ROOM : 0) + all / 2 : LISTED[step][j][i];
    put(out, { d: band(right, merged ? ROWS[j] : INTO[j][i], all, at.sum, end, all) });
  }
}

function move(part, x, y) {
  part.style.transform = `translate(${x}px, ${y}px)`;
}
