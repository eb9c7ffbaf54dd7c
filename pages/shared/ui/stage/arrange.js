// Where words and columns go, and how large they are.

import { widthOf } from "../../../../crf/figures/flow/labels.js";

const [LARGEST, ON_PHONE, SMALLEST] = [42, 32, 17]; // px of words' letters
const PHONE = 640; // px
const [BLOCK, NARROWEST] = [104, 36]; // px of a column at the largest letters, and at the smallest
const [GAP, TYPED, CLOSEST] = [320, 150, 10]; // px between columns: at most, at most while one types, at least
const SHARE = 0.4; // of a column's width, the least gap where there is room
const AROUND = 8; // px between a word and the edges of its column
const [WINDOW, GROWS] = [[1280, 720], 1.6]; // the window that these are for, and how far they grow in a larger one

// All words get one size. A column is as wide as its word, and the gaps share what is left; where the smallest letters are
// too large for the room, the columns go on beyond it. `typed`: the next word's place stays free at the end. Returns the
// columns' places, their middles, the words' size and room, the place of the next word, and the width of it all.
export function arrange(words, room, family, typed = false) {
  const edge = room <= PHONE ? 16 : 40;
  const grows = Math.min(Math.max(Math.min(room / WINDOW[0], innerHeight / WINDOW[1]), 1), GROWS);
  const each = words.map((word) => widthOf(word, 700, family));
  const gaps = Math.max(words.length - 1, 1);
  const inner = room - 2 * edge;
  const columnsAt = (size) => {
    const least = Math.max((BLOCK * size) / LARGEST, NARROWEST);
    return each.map((width) => Math.min(Math.max(width * size + AROUND, least), inner));
  };
  const sum = (list) => list.reduce((a, b) => a + b, 0);
  let size = room <= PHONE ? ON_PHONE : LARGEST * grows;
  let widths = columnsAt(size);
  const fits = () => sum(widths) + gaps * Math.max((SHARE * BLOCK * size * size) / LARGEST ** 2, CLOSEST) <= inner;
  while (size > SMALLEST && !fits()) widths = columnsAt((size = Math.max(size - 1, SMALLEST)));
  const free = (inner - sum(widths)) / gaps;
  const gap = Math.max(Math.min(free, (typed ? TYPED : GAP) * grows), CLOSEST);
  const whole = sum(widths) + (words.length - 1) * gap;
  let x = words.length > 1 || typed ? edge : (room - whole) / 2;
  if (!typed && words.length > 1) x = Math.max((room - whole) / 2, edge); // few words stand in the middle
  const lefts = widths.map((width) => (x += width + gap) - width - gap);
  return {
    at: { lefts, widths },
    size,
    middles: lefts.map((left, t) => left + widths[t] / 2),
    spaces: widths.map((width) => width + gap - 4),
    next: x,
    whole: whole + 2 * edge,
  };
}
