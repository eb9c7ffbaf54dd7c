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

// Where the blocks of a column lie, each { y, high, gone }: from the top down, each with its hatched part below it; or, with
// an axis, up from there where they are positive and down where they are negative, the largest next to it.
export function blockPlaces(column, cut, unit, axis) {
  if (axis === null) {
    let y = 0;
    return column.map((p, k) => {
      const place = { y, high: p * unit, gone: (cut?.[k] ?? 0) * unit };
      y += place.high + place.gone;
      return place;
    });
  }
  let [up, down] = [axis, axis];
  const places = Array(column.length);
  for (const k of [...column.keys()].sort((a, b) => Math.abs(column[b]) - Math.abs(column[a]))) {
    const high = Math.abs(column[k]) * unit;
    places[k] = { y: column[k] > 0 ? (up -= high) : down, high, gone: 0 };
    if (column[k] <= 0) down += high;
  }
  return places;
}

// The ribbons of one gap as a drawing takes them: of each block of the left column to each of the right one. `shown`: the
// tags of both columns; `ribbons`: [from, to, p], others have 0.
export function everyRibbon([left, right], ribbons) {
  const every = Array(left.length * right.length).fill(0);
  for (const [from, to, p] of ribbons) every[left.indexOf(from) * right.length + right.indexOf(to)] = p;
  return every;
}

// `inset`: px by which it keeps off its neighbours.
export function bandPath(x0, x1, { y0, y1, high }, inset = 0) {
  const middle = (x0 + x1) / 2;
  const [a, b, c, d] = [y0 + inset, y1 + inset, y1 + high - inset, y0 + high - inset].map((y) => y.toFixed(2));
  return `M${x0} ${a}C${middle} ${a} ${middle} ${b} ${x1} ${b}V${c}C${middle} ${c} ${middle} ${d} ${x0} ${d}Z`;
}
