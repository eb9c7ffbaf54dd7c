// Where everything of a trellis stands. Sizes are for a window of 1280×720 and grow with a larger one.

const [WIDTH, HEIGHT, GROWS] = [1280, 720, 1.6];
const [CELL, ROW, PATH_ROW, TOTAL] = [98, 88, 50, 84];
const [HEAD, FOOT] = [44, 10]; // px above the rows and below them
const [PHONE, MOST, ON_PHONE, PATH_ON_PHONE] = [640, 8, 2, 5]; // px of width; columns in view
const BEYOND = 16; // px to the right of a phone's last column
const LEAST_TAG = 68; // px of the tags' column
const SAYS = 44; // px below the rows, for the labels “left” and “right”
const LEAST = 18; // px of letters on a projector
const STRADDLES = 60; // px of a gap in which a pill has no room of its own

// `size`: { columns, rows, tag (px of the widest tag at 18 px), path (all columns are seen), stairs, meets (one column is in
// the middle), back (edges come from the right), magnify (how much larger rows, cells and letters are than usual) }.
export function arrange(width, height, { columns, rows, tag, path, stairs, meets, back, magnify = 1 }) {
  const phone = width < PHONE;
  const k = phone ? 1 : Math.min(Math.max(Math.min(width / WIDTH, innerHeight / HEIGHT), 0.8), GROWS);
  const big = phone ? 1 : k * magnify;
  const view = Math.min(columns, phone ? (path ? PATH_ON_PHONE : ON_PHONE) : MOST);
  const along = phone ? narrow(width, tag, view, path, meets) : wide(width, tag * big, view, k, big);
  const { pitch, first, cell } = along;
  const head = phone && !path ? 16 : HEAD * big;
  const room = height - head - (meets ? SAYS * Math.max(big, 1) : FOOT);
  const row = stairs
    ? Math.min(PATH_ROW * big, (room * 0.5) / rows)
    : Math.min(ROW * (phone ? 1.07 : k > 1 ? 1.15 * big : magnify), room / rows);
  const crowded = row < 52 * big || (rows > 5 && !stairs);
  const high = stairs ? row - 8 * big : crowded ? row * 0.76 : row - 28 * big;
  const x = (t) => first + t * pitch;
  const top = head + high / 2;
  const gap = pitch - cell;
  return {
    ...along,
    k,
    big,
    phone,
    path,
    meets,
    width,
    height,
    head,
    row,
    high,
    crowded,
    columns,
    view,
    gap,
    x,
    back,
    windowed: view < columns,
    y: (r) => top + r * row,
    bottom: top + (rows - 1) * row + high / 2,
    straddles: gap < STRADDLES * big,
    mouth: high * 0.73,
    letters: Math.min(22 * big, high * 0.46, cell * (path ? 0.32 : 0.27)),
    small: Math.max(Math.min(15.5 * big, cell * 0.24), Math.min(magnify > 1 ? LEAST : 13, row * 0.6, cell * 0.34)),
    word: Math.min(29 * big, pitch * 0.21 + 6),
    stairs: { top: head + rows * row + 15 * k, bottom: height - 14 * k },
  };
}

function wide(width, tag, view, k, big) {
  const [edge, close] = [width < 1000 ? 20 : 40 * k, view > 6 ? 0.8 : 1];
  const right = edge + Math.max(tag, LEAST_TAG * k);
  const start = right + 42 * k * (close === 1 ? 1 : 0.9);
  const total = TOTAL * k * (close === 1 ? 1 : 0.86);
  const [before, after, last] = [(close === 1 ? 65 : 46) * k, (close === 1 ? 49 : 30) * k, 38 * k];
  const fixed = start + before + after + last + total + edge - 4 * k;
  const pitchFor = (cell) => (width - fixed - cell) / Math.max(view - 1, 1);
  const cell = Math.min(CELL * big, Math.max(pitchFor(CELL * big), 40) * 0.66);
  const pitch = Math.min(pitchFor(cell), 330 * k);
  const spare = view > 1 ? width - fixed - cell - pitch * (view - 1) : width - fixed - cell;
  return {
    tag: right + spare / 2,
    start: start + spare / 2,
    first: start + before + cell / 2 + spare / 2,
    pitch,
    cell,
    after,
    total,
    last,
  };
}

function narrow(width, tag, view, path, meets) {
  const right = Math.max(tag, 44) + 6;
  if (path) {
    const pitch = (width - right - 66) / view;
    return {
      tag: right,
      start: right + 18,
      first: right + 36 + pitch / 2,
      pitch,
      cell: pitch * 0.76,
      after: 15,
      total: 0,
      last: 0,
    };
  }
  const cell = Math.min(92, width * 0.24);
  const first = right + 10 + cell / 2;
  // Past the columns in view there is no room for half a cell, score or pill, which would read as another number.
  const pitch = meets ? (width - right + cell) / 2 : width - first - cell / 2 - BEYOND;
  return {
    tag: right,
    start: first - pitch + cell / 2 - 20,
    first,
    pitch,
    cell,
    after: 34,
    total: TOTAL,
    last: pitch - cell / 2 - 34 - TOTAL / 2,
  };
}

// How far the columns are moved to the left, so that the current one is in view; `column` may be −1 (START) or `columns` (END).
export function camera({ phone, windowed, columns, view, pitch, back, path, meets, width, tag, first }, column) {
  if (phone && meets) return column * pitch + first - (width + tag) / 2;
  if (phone && !path) return (back ? Math.min(column, columns - 1) : column - 1) * pitch;
  if (!windowed) return 0;
  const before = back ? Math.floor(view / 2) - 1 : Math.ceil(view / 2);
  return Math.min(Math.max(column - before, 0), columns - view) * pitch;
}
