// Flow: a column per token, a block per tag, ribbons between them. `layout` builds the elements and places the columns,
// `draw` sets heights from probabilities, or from differences; a frame of a drag creates nothing.

import { decimal } from "../shared/decimal.js";
import { isolated, put, svg } from "../shared/dom.js";
import { hatching } from "./hatching.js";
import { inkOn, label, lettering, numberOf } from "./labels.js";
import { bandPath, blockPlaces } from "./layout.js";

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
  cuts = []; // the hatched ribbons, once there are any
  empties = [];
  shape = "";

  constructor(drawing) {
    this.svg = drawing;
  }

  // `columns`: for each token its text, its blocks' tags, which of them is fixed (-1: none) and which are `pressed`; `kind`:
  // "still" (its blocks cannot be pressed) or "faint". A tag: { name, of, colour, about, says }; `of`: the two tags of a
  // pair; `says`: what is said instead of its number. `at`: the blocks' left edges and widths, where these differ from the usual `unit`, px of
  // probability 1, `axis`, on which differences stand, and `letters`, px at least and at most.
  layout(height, at, columns, words, family) {
    Object.assign(this, { height, at: { unit: height, axis: null, ...at }, columns, words });
    const whole = at.lefts[columns.length - 1] + at.widths[columns.length - 1] + at.lefts[0];
    put(this.svg, { width: whole, height, viewBox: `0 0 ${whole} ${height}` });
    const shape = JSON.stringify(columns.map(({ tags }) => tags));
    if (shape !== this.shape) this.build();
    this.shape = shape;
    this.letters = lettering(
      columns.flatMap(({ tags }) => tags.flatMap(({ name, of = [name] }) => of)),
      Math.min(...at.widths),
      family,
      at.letters,
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
      tags.length || this.at.axis !== null ? [] : [{ t, rect: svg("rect", { class: "empty", rx: 3 }, this.bands) }],
    );
    this.blocks[0]?.group.setAttribute("tabindex", 0); // where Tab stops until a host says otherwise
    this.ribbons = this.everyRibbon("ribbon");
    this.cuts = [];
  }

  everyRibbon(kind) {
    return this.columns
      .slice(1)
      .flatMap(({ tags }, t) =>
        this.columns[t].tags.flatMap((from) => tags.map((to) => this.ribbon(t, from, to, kind))),
      );
  }

  // What is cut is hatched in its tag's colour.
  buildCuts() {
    const defs = svg("defs", {}, this.bands);
    for (const colour of new Set(this.blocks.map((block) => block.colour)))
      hatching(defs, hatchOf(colour), 8, `rgb(${colour})`, 5);
    for (const block of this.blocks) {
      block.cut = svg("rect", { class: "gone", rx: 2, fill: `url(#${hatchOf(block.colour)})` }, null);
      block.group.prepend(block.cut);
      this.place(block);
    }
    this.cuts = this.everyRibbon("ribbon gone");
  }

  block(t, k, { name, of, colour }) {
    const group = svg("g", { class: "block" }, this.bodies);
    const hit = svg("rect", { class: "hit", height: TARGET }, this.hits);
    const face = svg(
      "rect",
      { class: "face", rx: 3, "data-token": t, "data-tag": name, fill: `rgb(${colour})` },
      group,
    );
    const ring = svg("rect", { class: "ring", rx: 4, display: "none" }, group);
    const lock = svg("path", { class: "lock", d: LOCK, "fill-rule": "evenodd" }, group);
    const lines = [0, 1, 2].map(() => svg("text", { "text-anchor": "middle", "dominant-baseline": "central" }, group));
    const drawn = { p: 0, y: 0, high: 0, tall: 0, written: null, cut: null };
    return { t, k, name, of, colour, group, hit, face, ring, lock, lines, ...drawn };
  }

  ribbon(t, from, to, kind) {
    const band = svg("path", { class: kind, "data-token": t, "data-from": from.name, "data-to": to.name }, this.bands);
    if (kind === "ribbon") band.style.setProperty("--c", from.colour);
    else band.style.fill = `url(#${hatchOf(from.colour)})`;
    band.style.display = "none";
    return { band, seen: false };
  }

  // The parts of a block that depend on neither probabilities nor path.
  place(block) {
    const { face, cut, hit, ring, lines, lock, group, t, k } = block;
    const [x, width, { size, turned }] = [this.at.lefts[t], this.at.widths[t], this.letters];
    const { fixed, pressed = fixed === undefined ? null : [fixed], kind } = this.columns[t];
    block.fixed = fixed === k;
    block.written = block.best = null;
    put(hit, { x, width });
    put(face, { x, width });
    if (cut) put(cut, { x, width });
    group.classList.toggle("faint", kind === "faint");
    const ink = kind === "faint" ? "var(--crf-ink)" : inkOn(block.colour);
    for (const part of [...lines, lock]) part.style.setProperty("fill", ink);
    lines.forEach((line, i) =>
      line.style.setProperty(
        "font",
        `${i < 2 ? 650 : 400} ${i < 2 ? size : Math.max(12, 0.85 * size)}px ${this.letters.family}`,
      ),
    );
    block.turn = turned ? ` rotate(-90)` : "";
    for (const name of ["role", "tabindex", "aria-pressed"]) if (kind === "still") group.removeAttribute(name);
    if (kind === "still") return;
    put(ring, { x: x - 3, width: width + 6 });
    put(group, { role: "button", tabindex: group.getAttribute("tabindex") ?? -1 });
    if (pressed) group.setAttribute("aria-pressed", pressed.includes(k));
  }

  // `blocks` and `ribbons`: probabilities in the order of `layout`'s tags, without brackets; on an axis there are differences
  // of them, and no ribbons. `path`: for each token the place of the best reading's tag in its column; `marks`: { token, at,
  // text }; `cut`: blocks and ribbons of what is hatched.
  draw({ blocks, ribbons = [], path = [], marks = [], cut = null }, resting = true) {
    this.thinnest = resting || ribbons.length < MANY ? THINNEST : THIN;
    if (cut && !this.cuts.length) this.buildCuts();
    const { columns, at } = this;
    let [b, r] = [0, 0];
    let before = [];
    columns.forEach(({ tags }, t) => {
      const own = [b, b + tags.length];
      const places = blockPlaces(blocks.slice(...own), cut?.blocks.slice(...own), at.unit, at.axis);
      places.forEach((place, k) => this.drawBlock(this.blocks[b + k], blocks[b + k], place, path[t] === k));
      if (t && ribbons.length) {
        const [x0, x1] = [at.lefts[t - 1] + at.widths[t - 1], at.lefts[t]];
        const [tops, ends] = [before, places].map((one) => one.map(({ y }) => y));
        this.drawRibbons(this.ribbons, ribbons, r, tops, ends, x0, x1);
        const [cutTops, cutEnds] = [before, places].map((one) => one.map(({ y, high }) => y + high));
        if (cut) this.drawRibbons(this.cuts, cut.ribbons, r, cutTops, cutEnds, x0, x1);
        r += before.length * places.length;
      }
      b += tags.length;
      before = places;
    });
    this.drawMarks(marks);
  }

  drawBlock(block, p, { y, high, gone }, best) {
    const { face, cut, group } = block;
    const inset = Math.min(INSET, high / 4);
    const edge = best ? Math.min(OUTLINE, high / 3) / 2 : 0;
    const x = this.at.lefts[block.t] + edge;
    Object.assign(block, { p, y, high, tall: high + gone });
    group.style.display = high + gone < LEAST ? "none" : "";
    if (cut) {
      put(cut, { y: (y + high + INSET / 2).toFixed(2), height: Math.max(gone - INSET, 0.2).toFixed(2) });
      cut.style.display = gone < LEAST ? "none" : "";
    }
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
    const [name, second] = block.of ?? [block.name, fixed ? "" : numberOf(p, this.at.axis !== null)];
    let text = label(name, second, width, high, this.letters);
    if (block.of && text[0] === name && text.length === 1) text = []; // half a pair
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

  // The ribbons of one gap, those of `drawn` from `r` on: at both ends they lie in the order of the other end's blocks.
  drawRibbons(drawn, ribbons, r, from, ends, x0, x1) {
    for (let i = 0; i < from.length; i++) {
      for (let j = 0; j < ends.length; j++, r++) {
        const ribbon = drawn[r];
        const high = ribbons[r] * this.at.unit;
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
  settle(keeps, ribbons = []) {
    ribbons.forEach((p, r) => this.ribbons[r].band.setAttribute("data-p", p));
    this.columns.forEach(({ text, tags, kind }, t) => {
      if (kind === "still") return;
      const blocks = this.blocks.filter((block) => block.t === t && block.tall >= LEAST).sort((a, b) => a.y - b.y);
      let free = 0;
      blocks.forEach(({ k, name, p, y, tall: high, fixed, hit, ring, group }, i) => {
        const low = high < TARGET;
        const top = Math.min(Math.max(y + high / 2 - TARGET / 2, free), this.height - TARGET * (blocks.length - i));
        put(hit, { y: Math.max(top, 0), display: low ? "inline" : "none" });
        if (low) free = top + TARGET;
        put(ring, { y: y - 2, height: high + 4, display: "inline" });
        const layer = low ? this.slivers : this.bodies;
        if (group.parentNode !== layer) layer.append(group);
        const about = tags[k].about ? ` (${tags[k].about})` : "";
        const numbers = `${isolated(text)}: ${isolated(name)}${about} ${said(p)}${fixed ? `, ${this.words.fixed}` : ""}`;
        group.setAttribute("aria-label", tags[k].says ? `${tags[k].says}, ${said(p)}` : numbers);
      });
    });
    if (keeps?.isConnected) keeps.focus({ preventScroll: true });
  }
}

const hatchOf = (colour) => `hatch-${colour.replace(/\D+/g, "-")}`;

// A probability with three digits, as a screen reader says it.
export function said(p) {
  if (p < 0) return `−${said(-p)}`; // a difference
  return decimal(p >= 0.9995 ? "1" : p >= 0.001 ? p.toFixed(3).slice(1) : p > 0 ? "<.001" : "0");
}
