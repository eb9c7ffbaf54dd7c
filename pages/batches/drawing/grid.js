// All rows as trellises in one frame. In the loop bands cross where the mask is 1 and run straight where it is 0; on the way
// back each row's path grows from its own last word.

import { svg } from "../../../crf/figures/shared/dom.js";
import { band, curve, head, mesh } from "../../../crf/figures/trellis/edges.js";
import { LETTERS, cell, frame, sheet, text, word } from "./cells.js";

const [RUN, LEAST, SHARE] = [250, 0.8, 0.72]; // ms; px of the thinnest band; of a cell's height that bands fill
const [PITCH, TAGS] = [118, 112]; // px between columns at least; px of the tags
const CELL = 0.5; // of the pitch: a cell's width

export class Grid {
  svg;
  picture;
  now;
  at;
  groups;

  constructor(root) {
    this.svg = svg("svg", { role: "img" }, root);
  }

  draw(picture, size, { moves }) {
    const { now, words, rows } = picture;
    this.svg.setAttribute("aria-label", words.label);
    Object.assign(this, { picture, now, at: arrange(picture, size) });
    const { at } = this;
    sheet(this.svg, size);
    this.groups = Object.fromEntries(
      ["thin", "bands", "cells", "over"].map((name) => [name, svg("g", { class: name }, this.svg)]),
    );
    rows.forEach((row, b) => this.drawRow(row.words, b));
    if (at.columns.length) this.drawFrame();
    if (moves && !matchMedia("(prefers-reduced-motion: reduce)").matches)
      this.groups.bands.animate([{ clipPath: "inset(-20px 100% -20px 0)" }, { clipPath: "inset(-20px 0 -20px 0)" }], {
        duration: RUN,
        easing: "ease-out",
      });
  }

  // Whether the loop has reached a column.
  reached(t) {
    return this.picture.max || t <= this.now.column;
  }

  drawRow(names, b) {
    const { at, picture, now } = this;
    const { tags, values, shares, words, path } = picture;
    tags.forEach((tag, r) =>
      text(this.groups.cells, at.tag, at.y(b, r), at.small, tag || words.other, tag ? "tag" : "tag folded"),
    );
    for (const t of at.columns) {
      const x = at.x(t);
      word(this.groups.cells, x, at.y(b, 0) - at.row / 2 - at.head * 0.42, at.word, names[t], {
        none: words["no-word"],
        room: at.pitch * 0.8,
        bold: t === now.column,
      });
      tags.forEach((tag, r) => {
        const held = this.reached(t) && (!picture.max || names[t]) ? (values[b][t]?.[r] ?? null) : undefined;
        const walked = picture.max && t >= now.column && path[b][t] === r;
        const known = held !== undefined && held !== null;
        const group = cell(this.groups.cells, x, at.y(b, r), at.cell, at.high, {
          value: known ? held : null,
          share: known ? shares[b][t][r] : 0,
          classes: `${names[t] ? "" : "wordless"}${walked ? " lit" : ""}`,
        });
        for (const [key, value] of Object.entries({ row: b, token: t, tag })) group.dataset[key] = value;
        if (held === null) text(group, x, at.y(b, r), at.high * 0.7, "?", "number");
      });
      if (t > at.columns[0]) this.drawGap(names, b, t);
    }
    this.drawTotal(b);
  }

  drawGap(names, b, t) {
    const { at, picture, now } = this;
    const [x0, x1] = [at.x(t - 1) + at.cell / 2, at.x(t) - at.cell / 2];
    const ys = picture.tags.map((_, r) => at.y(b, r));
    const step = t === now.column && now.bands ? now.bands[b] : null;
    if (picture.max) return this.drawPointers(names, b, t, x0, x1);
    if (!step) {
      if (names[t] && names[t - 1]) svg("path", { d: mesh(x0, x1, ys) }, this.groups.thin);
      return;
    }
    const mouth = at.high * SHARE;
    if (step.kind === "keep" && picture.values[b][t]) {
      for (const y of ys)
        svg("path", { class: "band straight", d: band(x0, y, mouth, x1, y, mouth) }, this.groups.bands);
    }
    if (step.kind === "mix") {
      ys.forEach((y, to) => {
        let top = y - mouth / 2;
        ys.forEach((y0, from) => {
          const wide = step.shares[from][to] * mouth;
          if (wide > 0.05)
            svg(
              "path",
              { class: "band", d: band(x0, y0, Math.max(wide, LEAST), x1, top + wide / 2, Math.max(wide, LEAST)) },
              this.groups.bands,
            );
          top += wide;
        });
      });
    }
    this.badge(at.x(t) - at.pitch / 2, at.y(b, 0) - at.row / 2 - at.head * 0.42, step.kind === "keep" ? 0 : 1);
  }

  // "mask 1" or "mask 0", between the words.
  badge(x, y, mask) {
    const { at, picture } = this;
    const size = Math.max(at.small * 0.95, at.least);
    const brief = at.pitch - at.cell < size * 5; // there is room for the number alone
    const [wide, high] = [size * (brief ? 2 : 4.2), at.small * 1.55];
    const group = svg("g", { class: mask ? "badge on" : "badge" }, this.groups.over);
    svg("rect", { x: x - wide / 2, y: y - high / 2, width: wide, height: high, rx: high / 2 }, group);
    text(group, x, y, size, brief ? String(mask) : `${picture.words.mask} ${mask}`);
  }

  drawPointers(names, b, t, x0, x1) {
    const { at, picture, now } = this;
    const { pointers, path, tags } = picture;
    const before = names.slice(0, t).findLastIndex(Boolean); // over a hole
    if (!names[t] || before < 0) return;
    const from = at.columns.includes(before) ? at.x(before) + at.cell / 2 : x0;
    const walked = t > now.column;
    tags.forEach((_, r) => {
      const source = pointers[b][t][r];
      if (source < 0) return;
      const lit = walked && path[b][t] === r;
      svg(
        "path",
        { class: lit ? "walked" : "pointer", d: curve(lit ? from + 13 * at.k : from, at.y(b, source), x1, at.y(b, r)) },
        this.groups[lit ? "bands" : "thin"],
      );
      if (lit) svg("path", { class: "head", d: head(from, at.y(b, source), at.k * 0.9) }, this.groups.bands);
    });
  }

  drawTotal(b) {
    const { at, picture, now } = this;
    const [{ max, words, totals, ends, tags }, L] = [picture, picture.rows[0].words.length];
    if (!at.total || at.columns.at(-1) !== L - 1) return;
    const middle = (at.y(b, 0) + at.y(b, tags.length - 1)) / 2;
    const known = totals.length > b && (max || now.column >= L);
    const x1 = at.total - at.box / 2;
    const from = max && ends[b] >= 0 ? Math.max(ends[b], at.columns[0]) : L - 1;
    if (from === L - 1)
      svg(
        "path",
        { d: tags.map((_, r) => curve(at.x(from) + at.cell / 2, at.y(b, r), x1, middle)).join("") },
        this.groups.thin,
      );
    const group = cell(this.groups.cells, at.total, middle, at.box, at.high * 1.5, {
      value: known ? totals[b] : null,
      share: known ? 1 : 0,
      classes: "of-row",
    });
    group.dataset.row = b;
    if (b === 0)
      text(
        this.groups.cells,
        at.total,
        middle - at.high * 0.75 - at.small,
        at.small,
        words[max ? "best-score" : "log-z"],
        "label",
      );
  }

  drawFrame() {
    const { at, now, picture } = this;
    const last = now.column >= picture.rows[0].words.length;
    const x = last ? at.total : at.x(now.column);
    if (!x) return;
    const wide = (last ? at.box : at.cell) + 24 * at.k;
    frame(this.groups.over, x - wide / 2, at.top - 1, wide, at.bottom - at.top + 5);
  }
}

// Where everything stands. Where there are more columns than fit, those around the current one.
function arrange({ rows, tags, now, max }, { width, height, k, phone, edge, least }) {
  const [B, K, L] = [rows.length, tags.length, rows[0].words.length];
  const [tagged, box] = [phone ? 58 : TAGS * k, phone ? 78 : 86 * k];
  const ends = !phone || now.column >= L; // the totals are in view
  const room = width - edge - tagged - (phone ? 8 : edge) - (ends ? box + 40 * k : 0);
  const apart = Math.max(PITCH * k, least / (LETTERS * CELL)); // so that numbers can be read from afar
  const view = phone ? (ends ? 1 : Math.min(2, L)) : Math.min(L, Math.max(Math.floor(room / apart), 2));
  const first = Math.min(Math.max(max ? now.column - 1 : now.column - view + (phone ? 1 : 2), 0), L - view);
  const pitch = Math.min(room / view, 260 * k);
  const left = edge + tagged + (phone ? 0 : Math.max(room - pitch * view, 0) / 2);
  const head = Math.min(30 * k, height / (B * 4.2));
  const row = Math.min((height - 18 - B * head) / (B * K), 46 * k);
  const high = row - Math.min(4 * k, row * 0.14);
  const cellWide = Math.min(pitch * (phone ? 0.56 : CELL), 130 * k);
  const top = Math.max((height - 6 - B * (head + K * row)) / 2, 3);
  return {
    k,
    row,
    high,
    head,
    pitch,
    box,
    top,
    cell: cellWide,
    bottom: top + B * (head + K * row),
    columns: Array.from({ length: view }, (_, i) => first + i),
    x: (t) => left + (t - first + 0.5) * pitch,
    y: (b, r) => top + b * (head + K * row) + head + (r + 0.5) * row,
    tag: left - 8 * k + (phone ? 0 : Math.max((pitch - cellWide) / 2 - 18 * k, 0)),
    total: ends ? left + view * pitch + 20 * k + box / 2 : 0,
    least,
    small: Math.min(18 * k, row * 0.78, phone ? 15 : 99),
    word: Math.min(24 * k, head * 0.86),
  };
}
