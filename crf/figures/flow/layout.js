// Where blocks and ribbons lie. Pure: probabilities in, coordinates out; the same for every frame of a tween, so that
// in every frame columns are equally high and what flows into a block flows out of it.

export const HEAD = 34; // px for the words
export const HEIGHT = 260; // px of a column, which is probability 1
export const LINE = 24; // px of a tag sequence under the columns
const BETWEEN = 18; // px, at least, for ribbons
export const EDGE = 6; // px left and right
const LEAST_TARGET = 24; // px

// Columns' places: fill the room if that is wide enough, else scroll.
export function columnPlaces(columns, room) {
  const gaps = columns.slice(1).reduce((sum, column) => sum + (column.near ?? 1), 0);
  const [narrow, wide] = [room < 600 ? 48 : 54, 88]; // px of a block
  const least = room < 600 ? 70 : 80;
  const widest = Math.min(340, room / 2.2);
  const fitting = Math.max((room - 2 * EDGE) / (gaps + 0.4), 0);
  const exact = 0.4 * fitting < narrow ? (room - 2 * EDGE - narrow) / gaps : fitting;
  const pitch = gaps ? Math.min(Math.max(exact, least), widest) : 0;
  const width = gaps ? Math.min(Math.max(0.4 * pitch, narrow), wide) : wide;
  const step = ({ near = 1 }) => Math.max(near * pitch, width + BETWEEN);
  const whole = columns.slice(1).reduce((sum, column) => sum + step(column), width + 2 * EDGE);
  let x = EDGE + Math.max(0, (room - whole) / 2);
  const lefts = columns.map((column, k) => (x += k ? step(column) : 0));
  const apart = (k) => Math.min(lefts[k] - (lefts[k - 1] ?? -Infinity), (lefts[k + 1] ?? Infinity) - lefts[k]);
  return {
    width,
    lefts,
    whole: Math.max(room, whole),
    scrolls: whole > room + 1,
    middles: lefts.map((left) => left + width / 2),
    wides: lefts.map((_, k) => Math.max(Math.min(apart(k) - 6, 150), width)), // of words
  };
}

// Blocks of a column on top of each other, in the order of their probabilities; heights are exact.
export function stacked(probabilities, height) {
  let y = HEAD;
  return probabilities.map((p) => {
    const place = { y, height: p * height };
    y += place.height;
    return place;
  });
}

// Ribbons between two columns, each from block `a` to block `b`, `p` wide and at its right end `q`, if that is another width.
// They come in the order of the blocks, first of the left ones, and lie so at both ends.
export function bands(ribbons, left, right, height) {
  const [from, into] = [left, right].map((blocks) => new Map(blocks.map(([tag, place]) => [tag, place.y])));
  const next = (ends, tag, high) => {
    const y = ends.get(tag) ?? HEAD;
    ends.set(tag, y + high);
    return y;
  };
  return ribbons.map(({ a, b, p, q = null }) => {
    const [h0, h1] = [p * height, (q ?? p) * height];
    return { y0: next(from, a, h0), h0, y1: next(into, b, h1), h1 };
  });
}

export function bandPath(x0, x1, { y0, h0, y1, h1 }) {
  const middle = (x0 + x1) / 2;
  const [a, b, c, d] = [y0, y1, y1 + h1, y0 + h0].map((y) => y.toFixed(2));
  return `M${x0} ${a}C${middle} ${a} ${middle} ${b} ${x1} ${b}L${x1} ${c}C${middle} ${c} ${middle} ${d} ${x0} ${d}Z`;
}

// Where a block answers to the pointer: as near to its place as can be, and at least 24 px high where there is room.
export function targets(places, height) {
  const least = Math.min(LEAST_TARGET, height / Math.max(places.length, 1));
  const spare = places.reduce((sum, place) => sum + Math.max(place.height - least, 0), 0);
  const wanted = height - least * places.length;
  let y = HEAD;
  return places.map((place) => {
    const high = least + (spare > 0 ? (wanted * Math.max(place.height - least, 0)) / spare : wanted / places.length);
    const target = { y, height: high };
    y += high;
    return target;
  });
}

// Black or white, whichever is easier to read on a colour "r, g, b".
export function inkOn(colour) {
  const [r, g, b] = colour
    .split(",")
    .map((c) => (c / 255 <= 0.04045 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b > 0.179 ? "#000" : "#fff";
}
