// Flow: a column per token, a block per tag, ribbons between them. `layout` builds the elements and places the columns,
// `draw` sets heights from probabilities; a frame of a drag creates nothing.

import { decimal } from "../shared/decimal.js";
import { isolated, put, svg } from "../shared/dom.js";
import { label, lettering } from "./labels.js";
import { bandPath } from "./layout.js";

const INSET = 1.5; // px: blocks and ribbons stay apart
const OUTLINE = 3; // px
const [LEAST, THINNEST] = [0.25, 0.8]; // px: lower blocks and thinner ribbons are not drawn
const [MANY, THIN] = [1000, 2]; // ribbons: of so many, those thinner than 2 px wait until the dot rests
const TARGET = 24; // px
const LOCK = "M-5.5 -1V-4.5a5.5 5.5 0 0 1 11 0V-1h1.5v11h-14v-11zM-3 -1h6v-3.5a3 3 0 0 0 -6 0z"; // 14 by 20 px

export class FlowDrawing {
  svg;
  height;
  at;
  columns;
  words;
  letters;
  thinnest;
  bands;
  bodies;
  hits;
  slivers;
  notes;
  blocks = [];
  ribbons = [];
  empties = [];
  shape = "";

  constructor(drawing) {
    this.svg = drawing;
  }

  // `columns`: for each token its text, its blocks' tags { name, colour, about } and which of them is fixed (-1: none);
  // `at`: the blocks' left edges and widths.
  layout(height, at, columns, words, family) {
    Object.assign(this, { height, at, columns, words });
    const whole = at.lefts[columns.length - 1] + at.widths[columns.length - 1] + at.lefts[0];
    put(this.svg, { width: whole, height, viewBox: `0 0 ${whole} ${height}` });
    const shape = JSON.stringify(columns.map(({ tags }) => tags));
    if (shape !== this.shape) this.build();
    this.shape = shape;
    this.letters = lettering(
      columns.flatMap(({ tags }) => tags.map(({ name }) => name)),
      Math.min(...at.widths),
      family,
    );
    for (const block of this.blocks) this.place(block);
    this.empties.forEach(({ rect, t }) =>
      put(rect, { x: at.lefts[t] + 1, y: 1, width: at.widths[t] - 2, height: Math.max(height - 2, 0) }),
    );
  }

  build() {
    this.svg.replaceChildren();
    [this.bands, this.bodies, this.hits, this.slivers, this.notes] = [
      "bands",
      "bodies",
      "hits",
      "slivers",
      "notes",
    ].map((name) => svg("g", { class: name }, this.svg));
    const { columns } = this;
    this.blocks = columns.flatMap(({ tags }, t) => tags.map((tag, k) => this.block(t, k, tag)));
    this.empties = columns.flatMap(({ tags }, t) =>
      tags.length ? [] : [{ t, rect: svg("rect", { class: "empty", rx: 3 }, this.bands) }],
    );
    this.blocks[0]?.group.setAttribute("tabindex", 0); // where Tab stops until a host says otherwise
    this.ribbons = columns
      .slice(1)
      .flatMap(({ tags }, t) => columns[t].tags.flatMap((from) => tags.map((to) => this.ribbon(t, from, to))));
  }

  block(t, k, { name, colour }) {
    const group = svg("g", { class: "block", role: "button", tabindex: -1 }, this.bodies);
    const hit = svg("rect", { class: "hit", height: TARGET }, this.hits);
    const face = svg(
      "rect",
      { class: "face", rx: 3, "data-token": t, "data-tag": name, fill: `rgb(${colour})` },
      group,
    );
    const ring = svg("rect", { class: "ring", rx: 4 }, group);
    const lock = svg("path", { class: "lock", d: LOCK, "fill-rule": "evenodd" }, group);
    const lines = [0, 1, 2].map(() => svg("text", { "text-anchor": "middle", "dominant-baseline": "central" }, group));
    return { t, k, name, colour, group, hit, face, ring, lock, lines, p: 0, y: 0, high: 0, written: null };
  }

  ribbon(t, from, to) {
    const band = svg(
      "path",
      { class: "ribbon", "data-token": t, "data-from": from.name, "data-to": to.name },
      this.bands,
    );
    band.style.setProperty("--c", from.colour);
    band.style.display = "none";
    return { band, seen: false };
  }

  // The parts of a block that depend on neither probabilities nor path.
  place(block) {
    const { face, hit, ring, lines, lock, group, t, k } = block;
    const [x, width, { size, turned }] = [this.at.lefts[t], this.at.widths[t], this.letters];
    block.fixed = this.columns[t].fixed === k;
    block.written = block.best = null;
    put(hit, { x, width });
    put(face, { x, width });
    put(ring, { x: x - 3, width: width + 6 });
    for (const part of [...lines, lock]) part.style.setProperty("fill", "#fff");
    lines.forEach((line, i) =>
      line.style.setProperty(
        "font",
        `${i < 2 ? 650 : 400} ${i < 2 ? size : Math.max(12, 0.85 * size)}px ${this.letters.family}`,
      ),
    );
    block.turn = turned ? ` rotate(-90)` : "";
    group.setAttribute("aria-pressed", block.fixed);
  }

  // `blocks` and `ribbons`: probabilities in the order of `layout`'s tags, without brackets; `path`: for each token the
  // place of the best reading's tag in its column; `marks`: { token, at, text }.
  draw({ blocks, ribbons, path, marks = [] }, resting = true) {
    this.thinnest = resting || ribbons.length < MANY ? THINNEST : THIN;
    const { columns, at, height } = this;
    let [b, r] = [0, 0];
    let ends = [];
    columns.forEach(({ tags }, t) => {
      const starts = [];
      let y = 0;
      for (let k = 0; k < tags.length; k++, b++) {
        starts.push(y);
        this.drawBlock(this.blocks[b], blocks[b], y, blocks[b] * height, path[t] === k);
        y += blocks[b] * height;
      }
      if (t) r = this.drawRibbons(r, ribbons, ends, [...starts], at.lefts[t - 1] + at.widths[t - 1], at.lefts[t]);
      ends = starts;
    });
    this.drawMarks(marks);
  }

  drawBlock(block, p, y, high, best) {
    const { face, group } = block;
    const inset = Math.min(INSET, high / 4);
    const edge = best ? Math.min(OUTLINE, high / 3) / 2 : 0;
    const x = this.at.lefts[block.t] + edge;
    Object.assign(block, { p, y, high });
    group.style.display = high < LEAST ? "none" : "";
    put(face, {
      y: (y + inset + edge).toFixed(2),
      height: Math.max(high - 2 * (inset + edge), 0).toFixed(2),
      "data-p": p,
    });
    if (best !== block.best) {
      put(face, { x, width: this.at.widths[block.t] - 2 * edge });
      group.classList.toggle("best", best);
      block.best = best;
    }
    if (best) face.style.strokeWidth = `${2 * edge}px`;
    this.write(block, y + high / 2);
  }

  // The label moves with its block; its words change only when they read differently.
  write(block, middle) {
    const { lines, lock, t, high, p, fixed } = block;
    const { size } = this.letters;
    const width = this.at.widths[t];
    const x = this.at.lefts[t] + width / 2;
    let text = label(block.name, fixed ? 1 : p, width, high, this.letters);
    const room = fixed && text.length && !block.turn && high > 5 * size;
    if (room) text = [text[0], ""];
    const written = text.join("\n") + room;
    if (written !== block.written) {
      [text[0] ?? "", text[1] ?? "", room ? this.words.fixed : ""].forEach((line, i) => {
        lines[i].textContent = isolated(line);
        lines[i].style.display = line ? "" : "none";
      });
      lock.style.display = fixed && high > 3 * size ? "" : "none";
      block.written = written;
    }
    const shift = text.length === 2 && !room ? -0.56 * size : 0;
    if (text[0]) put(lines[0], { transform: `translate(${x} ${(middle + shift).toFixed(1)})${block.turn}` });
    if (text[1]) put(lines[1], { transform: `translate(${x} ${(middle + 0.56 * size).toFixed(1)})` });
    if (room) put(lines[2], { transform: `translate(${x} ${(middle + 1.15 * size).toFixed(1)})` });
    if (fixed)
      put(lock, { transform: `translate(${x} ${(block.turn ? block.y + 22 : middle - 1.5 * size).toFixed(1)})` });
  }

  // The ribbons of one gap: at both ends they lie in the order of the other end's blocks.
  drawRibbons(r, ribbons, starts, ends, x0, x1) {
    const from = [...starts];
    for (let i = 0; i < from.length; i++) {
      for (let j = 0; j < ends.length; j++, r++) {
        const ribbon = this.ribbons[r];
        const high = ribbons[r] * this.height;
        if (high >= this.thinnest !== ribbon.seen) {
          ribbon.seen = high >= this.thinnest;
          ribbon.band.style.display = ribbon.seen ? "" : "none";
        }
        if (ribbon.seen) {
          const place = { y0: from[i], y1: ends[j], high };
          ribbon.band.setAttribute("d", bandPath(x0, x1, place, Math.min(INSET, high / 4)));
        }
        from[i] += high;
        ends[j] += high;
      }
    }
    return r;
  }

  // Marks for the boundaries before a tag was fixed.
  drawMarks(marks) {
    if (!marks.length && !this.notes.firstChild) return;
    this.notes.replaceChildren();
    for (const { token, at, text } of marks) {
      const [x, y] = [this.at.lefts[token], at * this.height];
      const end = x + this.at.widths[token];
      svg("line", { class: "was", x1: x - 9, x2: end + 4, y1: y, y2: y }, this.notes);
      const last = token === this.columns.length - 1;
      svg(
        "text",
        {
          class: "was",
          x: last ? x - 14 : end + 14,
          y,
          "text-anchor": last ? "end" : "start",
          "dominant-baseline": "central",
        },
        this.notes,
        text,
      );
    }
  }

  // The block that an element belongs to, if any.
  blockOf(element) {
    return this.blocks.find(({ group, hit }) => hit === element || group.contains(element));
  }

  // At rest: blocks can be reached and pressed, low ones over a height of 24 px, and say their numbers.
  settle(keeps, ribbons) {
    this.ribbons.forEach(({ band }, r) => band.setAttribute("data-p", ribbons[r]));
    this.columns.forEach(({ text, tags }, t) => {
      const blocks = this.blocks.filter((block) => block.t === t && block.high >= LEAST);
      let free = 0;
      blocks.forEach(({ k, name, p, y, high, fixed, hit, ring, group }, i) => {
        const low = high < TARGET;
        const top = Math.min(Math.max(y + high / 2 - TARGET / 2, free), this.height - TARGET * (blocks.length - i));
        put(hit, { y: Math.max(top, 0), display: low ? "inline" : "none" });
        if (low) free = top + TARGET;
        put(ring, { y: y - 2, height: high + 4 });
        const layer = low ? this.slivers : this.bodies;
        if (group.parentNode !== layer) layer.append(group);
        const about = tags[k].about ? ` (${tags[k].about})` : "";
        group.setAttribute(
          "aria-label",
          `${isolated(text)}: ${isolated(name)}${about} ${said(p)}${fixed ? `, ${this.words.fixed}` : ""}`,
        );
      });
    });
    if (keeps?.isConnected) keeps.focus({ preventScroll: true });
  }
}

// A probability with three digits, as a screen reader says it.
export function said(p) {
  return decimal(p >= 0.9995 ? "1" : p >= 0.001 ? p.toFixed(3).slice(1) : p > 0 ? "<.001" : "0");
}
