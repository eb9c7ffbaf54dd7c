// The column that the class fills: what flows in, the commonest answers, a square for each phone, the slips by name.

import { svg } from "../../../../crf/figures/shared/dom.js";
import { number, plain } from "../../../../crf/figures/trellis/stage/numbers.js";

const [WIDTH, HEIGHT] = [1280, 500]; // of the drawing, in a window of 1280×720
const [TAG, BEFORE, HERE, BOX, ROOM] = [118, 145, 445, 138, [640, 1240]]; // px from the left
const HEAD = 66; // px of the words
const SQUARES = [32, 38]; // px of a square, and of the room for them

// `filled`: the tally, with "number" or "edge", and whether slips are named.
export function drawColumn(root, picture, filled, words) {
  const { cells, kind, present = 0 } = filled;
  const [t] = cells[0].cell;
  const rows = picture.rows ?? picture.tags.map((_, r) => r);
  const row = Math.min(108, (HEIGHT - HEAD) / Math.max(rows.length, cells.length));
  const high = Math.min(82, row - 14);
  const y = (r) => HEAD + row * (rows.indexOf(r) + 0.5);
  const drawing = svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": picture.tokens[t].text });
  if (t) word(drawing, BEFORE, picture.tokens[t - 1].text);
  word(drawing, HERE, picture.tokens[t].text, "now");
  legend(drawing, words);
  const edges = svg("g", {}, drawing);
  for (const r of rows)
    svg("text", { class: "tag", x: TAG, y: y(r) + 8, "text-anchor": "end" }, drawing, picture.tags[r].name);
  for (const r of t ? rows : []) {
    box(
      drawing,
      BEFORE,
      y(r),
      high,
      plain(number(picture.values[t - 1][r]), kind === "edge" ? 1 : 2),
      picture.shares[t - 1][r],
    );
    for (const { cell, commonest } of cells) {
      const kept = kind === "edge" && commonest === `t${r}`;
      svg("path", { class: kept ? "edge kept" : "edge", d: curve(y(r), y(cell[1])) }, edges);
    }
  }
  cells.forEach((one, k) => {
    const at = y(one.cell[1]);
    const kept = kind === "edge" && one.commonest ? picture.tags[Number(one.commonest.slice(1))].name : one.commonest;
    box(drawing, HERE, at, high, kept, 0, "now");
    const phones = Math.floor(present / cells.length) + Number(k < present % cells.length);
    squares(drawing, at - high / 2, one, Math.max(phones - one.answered, 0));
    (one.slips ?? [])
      .slice(0, row > 80 ? 2 : 1)
      .forEach(({ value, label, n }, line) =>
        slip(drawing, at + line * 26 + (row > 80 ? 20 : 26), `${value}`, `${label} · ${n}`),
      );
  });
  root.replaceChildren(drawing);
}

const curve = (from, to) => `M${BEFORE + BOX} ${from}C${BEFORE + BOX + 80} ${from} ${HERE - 80} ${to} ${HERE} ${to}`;

function word(parent, x, text, kind = "") {
  svg("text", { class: `word ${kind}`, x: x + BOX / 2, y: 46, "text-anchor": "middle" }, parent, text);
}

function box(parent, x, y, high, text, level, kind = "") {
  const group = svg("g", { class: `cell ${kind}` }, parent);
  svg("rect", { class: "face", x, y: y - high / 2, width: BOX, height: high, rx: 10 }, group);
  if (level)
    svg(
      "rect",
      {
        class: "level",
        x: x + 1,
        y: y + high / 2 - level * high,
        width: BOX - 2,
        height: level * high,
        rx: Math.min(9, (level * high) / 2),
      },
      group,
    );
  svg("text", { x: x + BOX / 2, y: y + 11, "text-anchor": "middle" }, group, text);
}

// One for each phone: those that agree with the commonest answer, the others, those that are still thinking.
function squares(parent, top, { agree, answered }, thinking) {
  const count = answered + thinking;
  const wide = ROOM[1] - ROOM[0];
  const size = Math.min(SQUARES[0], Math.sqrt((wide * SQUARES[1]) / Math.max(count, 1)) - 4);
  const inLine = Math.floor(wide / (size + 6));
  const kinds = [
    ...Array(agree).fill("agrees"),
    ...Array(answered - agree).fill("another"),
    ...Array(thinking).fill("thinking"),
  ];
  kinds.forEach((kind, k) =>
    square(parent, ROOM[0] + (k % inLine) * (size + 6), top + Math.floor(k / inLine) * (size + 4), size, kind),
  );
}

function square(parent, x, y, size, kind) {
  svg("rect", { class: `square ${kind}`, x: x + 1, y: y + 1, width: size - 2, height: size - 2, rx: size / 6 }, parent);
}

function slip(parent, y, value, label) {
  const text = svg("text", { class: "slip", x: ROOM[0], y }, parent);
  svg("tspan", { class: "value" }, text, value);
  svg("tspan", { dx: 10 }, text, label);
}

function legend(parent, words) {
  [
    ["agrees", 0],
    ["another", 120],
    ["thinking", 310],
  ].forEach(([kind, x]) => {
    square(parent, ROOM[0] + Number(x), 24, 22, kind);
    svg("text", { class: "legend", x: ROOM[0] + Number(x) + 30, y: 42 }, parent, words[`lead.${kind}`]);
  });
}
