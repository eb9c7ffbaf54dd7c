// The column that the class fills: what flows in, a square for each phone, and, once answers are closed, which are right and
// the wrong ones with the names of their slips.

import { filledText, svg } from "../../../../crf/figures/shared/dom.js";
import { number, plain } from "../../../../crf/figures/trellis/numbers.js";

const [WIDTH, HEIGHT] = [1280, 500]; // of the drawing, in a window of 1280×720
const [TAG, BEFORE, HERE, BOX, ROOM] = [140, 188, 458, 124, [622, 1250]]; // px from the left
const HEAD = 66; // px of the words
const SQUARES = [24, 29]; // px of a square, and of the room for one
const GHOST = [32, 14, 9.6]; // px of a wrong answer: its height, the room beside its number, a digit
const SLIP = 8.6; // px of a letter of a slip's name
const LINE = 80; // px of a row up to which the wrong answers stand beside the squares, not below them
const BESIDE = [100, 370]; // px of a row's count, and of its wrong answers beside it

// `filled`: the tally, with "number" or "edge", and whether the right numbers are shown.
export function drawColumn(root, picture, filled, words) {
  const { cells, kind, present = 0, isShown } = filled;
  const [t] = cells[0].cell;
  const shown = picture.rows ?? picture.tags.map((_, r) => r);
  const rows = [...new Set([...shown, ...cells.map(({ cell }) => cell[1])])].sort((a, b) => a - b); // those asked for, too
  const row = Math.min(112, (HEIGHT - HEAD) / rows.length);
  const high = Math.min(80, row - 14);
  const y = (r) => HEAD + row * (rows.indexOf(r) + 0.5);
  const drawing = svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": picture.tokens[t].text });
  if (t) word(drawing, BEFORE, picture.tokens[t - 1].text);
  word(drawing, HERE, picture.tokens[t].text, "now");
  const edges = svg("g", {}, drawing);
  for (const r of rows)
    svg("text", { class: "tag", x: TAG, y: y(r) + 8, "text-anchor": "end" }, drawing, picture.tags[r].name);
  for (const r of t ? rows : []) {
    const value = plain(number(picture.values[t - 1][r]), kind === "edge" ? 1 : 2);
    box(drawing, BEFORE, y(r), high, value, { level: picture.shares[t - 1][r] });
    for (const { cell, value: way, right } of cells) {
      const kept = kind === "edge" && (right || isShown) && way === `t${r}`;
      svg("path", { class: kept ? "edge kept" : "edge", d: curve(y(r), y(cell[1])) }, edges);
    }
  }
  cells.forEach((one, k) => {
    const at = y(one.cell[1]);
    const found = one.right ? one.value : "";
    const value = isShown ? plain(number(picture.values[t][one.cell[1]]), kind === "edge" ? 1 : 2) : found;
    const written = kind === "edge" && !isShown ? tagOf(picture, found) : value;
    box(drawing, HERE, at, high, written || "?", { kind: "now", colour: one.right ? one.colour : "" });
    const phones = Math.floor(present / cells.length) + Number(k < present % cells.length);
    const slips = one.slips ?? [];
    const isLine = row <= LINE;
    const x = squares(drawing, at, one, Math.max(phones - one.answered, 0), isLine && slips.length > 0, words);
    const [left, top] = isLine ? [x, at - GHOST[0] / 2] : [ROOM[0], at + 6];
    ghosts(drawing, left, top, slips, kind === "edge" ? picture : null);
  });
  root.replaceChildren(drawing);
}

const tagOf = (picture, way) => (way ? picture.tags[Number(way.slice(1))].name : "");
const curve = (from, to) => `M${BEFORE + BOX} ${from}C${BEFORE + BOX + 80} ${from} ${HERE - 80} ${to} ${HERE} ${to}`;

function word(parent, x, text, kind = "") {
  svg("text", { class: `word ${kind}`, x: x + BOX / 2, y: 46, "text-anchor": "middle" }, parent, text);
}

// A cell: full in its tag's colour where somebody found it.
function box(parent, x, y, high, text, { level = 0, kind = "", colour = "" }) {
  const group = svg("g", { class: `cell ${kind}${colour ? " found" : ""}` }, parent);
  if (colour) group.style.setProperty("--hue", `rgb(${colour})`);
  svg("rect", { class: "face", x, y: y - high / 2, width: BOX, height: high, rx: 10 }, group);
  const tall = level * high;
  const [wide, round] = [BOX - 2, Math.min(9, tall / 2)];
  if (level)
    svg("rect", { class: "level", x: x + 1, y: y + high / 2 - tall, width: wide, height: tall, rx: round }, group);
  svg("text", { x: x + BOX / 2, y: y + 10, "text-anchor": "middle" }, group, text);
}

// One for each phone: right and wrong answers once they are closed, before that all answers alike; who is still thinking.
// Returns where what stands beside them begins.
function squares(parent, y, { answered, right, colour }, thinking, isLine, words) {
  const isClosed = right !== undefined;
  const count = answered + (isClosed ? 0 : thinking);
  const beside = isClosed ? BESIDE[0] + (isLine ? BESIDE[1] : 0) : 0;
  const size = Math.min(SQUARES[0], Math.sqrt(((ROOM[1] - ROOM[0] - beside) * SQUARES[1]) / Math.max(count, 1)) - 4);
  const inLine = Math.floor((ROOM[1] - ROOM[0] - beside) / (size + 5));
  const kinds = isClosed
    ? [...Array(right).fill("right"), ...Array(answered - right).fill("wrong")]
    : [...Array(answered).fill("answers"), ...Array(thinking).fill("thinking")];
  const group = svg("g", {}, parent);
  if (colour) group.style.setProperty("--hue", `rgb(${colour})`);
  const lines = Math.ceil(count / inLine);
  const top = y - (isClosed && !isLine ? 34 : isLine ? (lines * (size + 4)) / 2 : SQUARES[0] / 2);
  kinds.forEach((kind, k) => {
    const [x, at] = [ROOM[0] + (k % inLine) * (size + 5), top + Math.floor(k / inLine) * (size + 4)];
    svg("rect", { class: `square ${kind}`, x: x + 1, y: at + 1, width: size - 2, height: size - 2, rx: 5 }, group);
  });
  const x = ROOM[0] + Math.min(count, inLine) * (size + 5) + 12;
  if (isClosed && answered)
    svg(
      "text",
      { class: "count", x, y: isLine ? y + 9 : top + 21 },
      group,
      filledText(words["lead.found"], { right, answered }),
    );
  return x + BESIDE[0];
}

// The two most frequent wrong answers, each with its slip, as far as there is room.
function ghosts(parent, x, y, wrong, picture) {
  for (const { value, n, label } of wrong.slice(0, 2)) {
    const written = picture ? tagOf(picture, value) : value;
    const width = written.length * GHOST[2] + 2 * GHOST[1];
    if (x + 40 + width + label.length * SLIP > WIDTH) return;
    if (n > 1) x = place(parent, "times", x, y, `${n} ×`, 10.5);
    svg("rect", { class: "ghost", x, y, width, height: GHOST[0], rx: 8 }, parent);
    svg("text", { class: "ghost", x: x + width / 2, y: y + 22, "text-anchor": "middle" }, parent, written);
    x = place(parent, "slip", x + width + 8, y, label, SLIP) + 14;
  }
}

function place(parent, kind, x, y, text, letter) {
  svg("text", { class: kind, x, y: y + 22 }, parent, text);
  return x + text.length * letter + 8;
}
