// Where words and columns go, and how large they are.

import { widthOf } from "../../../../crf/figures/flow/labels.js";

const [LARGEST, SMALLEST, WIDEST] = [42, 17, 200]; // px of words: their letters, and the longest before it is cut
const APART = 0.45; // between words, in sizes of letters
const [BLOCK, SHARE, LEAST] = [116, 0.6, 44]; // px of a block, its share of a column, px of a column
const [WINDOW, GROWS] = [[1280, 720], 1.6]; // the window that these are for, and how far they grow in a larger one

// All words get one size, that which the widest needs for its column; below the smallest, the columns get wider than the
// room. Returns the columns' places, their middles, the words' size and room, and the width of it all.
export function arrange(words, room, family) {
  const count = words.length;
  const edge = room <= 640 ? 16 : 40;
  const block = BLOCK * Math.min(Math.max(Math.min(room / WINDOW[0], innerHeight / WINDOW[1]), 1), GROWS);
  const wide = (pitch) => Math.min(block, SHARE * pitch);
  const inner = room - 2 * edge;
  let pitch = count > 1 ? Math.min(Math.max((inner - block) / (count - 1), inner / (count - 1 + SHARE)), inner) : inner;
  const widths = words.map((word) => widthOf(word, 700, family));
  const fitting = widths.map(
    (width, t) => (t && t < count - 1 ? pitch : Math.min(pitch, wide(pitch) + 2 * edge - 8)) / (width + APART),
  );
  const size = Math.max(Math.min((LARGEST * block) / BLOCK, ...fitting), SMALLEST);
  if (Math.min(...fitting) < SMALLEST || pitch < LEAST)
    pitch = Math.max(pitch, LEAST, Math.min(WIDEST, (Math.max(...widths) + APART) * SMALLEST));
  const width = wide(pitch);
  const lefts = words.map((_, t) => (count > 1 ? edge + t * pitch : (room - width) / 2));
  return {
    at: { lefts, width },
    size,
    middles: lefts.map((left) => left + width / 2),
    space: Math.max(pitch, width),
    whole: lefts[count - 1] + width + edge,
  };
}
