// Where columns and ribbons lie. Pure: probabilities in, coordinates out.

const BETWEEN = 18; // px, at least, for ribbons
const EDGE = 6; // px left and right

// Columns' places: fill the room if that is wide enough, else scroll.
export function columnPlaces(columns, room) {
  const gaps = columns.length - 1;
  const [narrow, wide] = [room < 600 ? 48 : 54, 88]; // px of a block
  const least = room < 600 ? 70 : 80;
  const widest = Math.min(340, room / 2.2);
  const fitting = Math.max((room - 2 * EDGE) / (gaps + 0.4), 0);
  const exact = 0.4 * fitting < narrow ? (room - 2 * EDGE - narrow) / gaps : fitting;
  const pitch = gaps ? Math.min(Math.max(exact, least), widest) : 0;
  const width = gaps ? Math.min(Math.max(0.4 * pitch, narrow), wide) : wide;
  const step = Math.max(pitch, width + BETWEEN);
  const whole = Math.max(gaps, 0) * step + width + 2 * EDGE;
  const first = EDGE + Math.max(0, (room - whole) / 2);
  const lefts = columns.map((_, k) => first + k * step);
  return {
    width,
    lefts,
    whole: Math.max(room, whole),
    middles: lefts.map((left) => left + width / 2),
    wide: Math.max(Math.min(gaps > 0 ? step - 6 : 150, 150), width), // of a word
  };
}

// Ribbons between two columns, each from block `a` to block `b` and `p` wide; `left`, `right`: [block, { y }] of each column.
// They come in the order of the blocks, first of the left ones, and lie so at both ends.
export function bands(ribbons, left, right, height) {
  const [from, into] = [left, right].map((blocks) => new Map(blocks.map(([tag, place]) => [tag, place.y])));
  const next = (ends, tag, high) => {
    const y = ends.get(tag);
    ends.set(tag, y + high);
    return y;
  };
  return ribbons.map(({ a, b, p }) => {
    const high = p * height;
    return { y0: next(from, a, high), y1: next(into, b, high), high };
  });
}

// `inset`: px by which it keeps off its neighbours.
export function bandPath(x0, x1, { y0, y1, high }, inset = 0) {
  const middle = (x0 + x1) / 2;
  const [a, b, c, d] = [y0 + inset, y1 + inset, y1 + high - inset, y0 + high - inset].map((y) => y.toFixed(2));
  return `M${x0} ${a}C${middle} ${a} ${middle} ${b} ${x1} ${b}V${c}C${middle} ${c} ${middle} ${d} ${x0} ${d}Z`;
}
