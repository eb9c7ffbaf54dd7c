// Where everything stands. A node is [column, row]: a cell; or a boundary, with row −1, at column −1 (START) or `columns`
// (END); or, in message form, one of the outer token's tags: a dot at the same columns, with its row.

// Sizes in CSS pixels, from the number of tags, the longest label and the room there is; of room in height, the letters get
// a part where the width allows it.

import { digits } from "../shared/dom.js";

export function layout(data, room) {
  const large = room > 660 && innerHeight > 900; // a large screen
  const roomy = large ? (data.tags.length <= 5 ? 1.8 : 1.3) : 1;
  const all = (large ? [1.15, 1] : [1]).map((larger) => sizesFor(data, room, roomy, larger));
  return all.find(({ width, nameWidth }) => width + nameWidth <= room) ?? all[0];
}

function sizesFor(data, room, roomy, larger) {
  const tags = data.tags.length;
  const columns = data.columns.length;
  const phone = room < 480; // a sentence of five words is seen at once
  const low = innerHeight < 830; // a window of a small laptop
  const sizes = phone
    ? [12, tags <= 9 ? 40 : 26, tags <= 9 ? 30 : 20, 14]
    : tags <= 5
      ? [15, low ? 35 : 42, 31, 34]
      : tags <= 9
        ? [14, 40, 28, 44]
        : [12.5, 26, 20, 56];
  const [font, gap, cellHeight] = [sizes[0] * larger, sizes[3], sizes[2] * roomy];
  const rowPitch = sizes[1] * roomy + (data.notes ? 12 : 0); // what stands under a cell
  const wide = (letters) => Math.round(letters * font * 0.58 + (phone ? 5 : 14));
  const cellWidth = wide(Math.max(4, ...data.labels.flat().map(digits)));
  const longest = Math.min(Math.max(...data.tags.map((tag) => [...tag].length)), 9);
  const nameWidth = Math.round(phone ? longest * 9 + 12 : longest * 8.4 + 18);
  const boundary = Math.max(cellWidth, wide(Math.max(0, ...totals(data).map(digits))), phone ? 40 : 52);
  const outer = data.outer ? Math.round(Math.max(gap, 40)) : 0; // the dots' column
  const edges = nameWidth + 2 * boundary + outer + 10;
  const wanted = (room - edges + cellWidth) / (columns + 1);
  const fits = wanted >= cellWidth + 0.6 * gap; // rather a little tight than scrolled
  const pitch = Math.floor(fits ? Math.min(wanted, cellWidth + 2.2 * gap) : cellWidth + gap);
  const before = data.backward ? 0 : outer;
  const left = 5 + boundary + before + pitch - cellWidth;
  const ring = data.flips.length ? 13 : 9; // how far the widest one is beyond its cell
  const [index, word] = [14, 33]; // middles of what stands above a column
  const pill = 24;
  const top = word + 3 + Math.max(0, ring - (rowPitch - cellHeight) / 2) + Math.max(0, (font - 15) / 2); // clear of the words
  return {
    font,
    rowPitch,
    cellHeight,
    cellWidth,
    nameWidth,
    boundary,
    pitch,
    left,
    top,
    index,
    word,
    pill,
    width: left + columns * pitch + boundary + 5 + outer - before,
    height: top + tags * rowPitch + 6,
  };
}

const totals = (data) => data.steps.filter((step) => step.kind === "total").map((step) => step.label);

export function geometry(data, at) {
  const columns = data.columns.length;
  const middle = at.top + (data.tags.length * at.rowPitch) / 2;
  const crowded = data.tags.length > 9;
  const isCell = (column) => column >= 0 && column < columns;

  /** @param {number[]} node */
  function box([column, row]) {
    const y = at.top + row * at.rowPitch + (at.rowPitch - at.cellHeight) / 2;
    if (isCell(column)) return { x: at.left + column * at.pitch, y, width: at.cellWidth, height: at.cellHeight };
    const x = column < 0 ? 5 : at.width - at.boundary - 5;
    const height = 1.25 * at.pill;
    if (row < 0) return { x, y: middle - height / 2, width: at.boundary, height };
    const [dot, off] = [9, 26];
    return {
      x: column < 0 ? x + at.boundary + off : x - off - dot,
      y: y + (at.cellHeight - dot) / 2,
      width: dot,
      height: dot,
    };
  }
  function edge(from, to) {
    const [a, b] = [box(from), box(to)];
    const right = a.x < b.x;
    const [x1, x2] = right ? [a.x + a.width + 1, b.x - 1] : [a.x - 1, b.x + b.width + 1];
    const [y1, y2, bend] = [a.y + a.height / 2, b.y + b.height / 2, (x2 - x1) * (crowded ? 0.2 : 0.4)];
    return `M${x1} ${y1}C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}`;
  }

  const first = data.backward ? [columns, -1] : [-1, -1]; // where the recursion starts
  const last = data.backward ? [-1, -1] : [columns, -1]; // where it ends
  const node = (step) => (step.kind === "total" ? last : [step.column, step.row]);
  // Where a term comes from: a cell, or in the first column the boundary or one of the outer token's tags.
  function source(term, reads) {
    const read = term.reads.map((index) => reads[index]).find(({ role }) => role === "previous");
    if (read) return read.at;
    return data.outer ? [first[0], term.from] : first;
  }
  return { box, edge, middle, isCell, first, last, node, source };
}
