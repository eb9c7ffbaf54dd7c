// The drawing: `layout` builds the elements and puts them into their places, `draw` shows one step by changing attributes.

import { clipped, filledText, isolated, put, svg } from "../shared/dom.js";
import { arrange, camera } from "./layout.js";
import { Cell, set } from "./cells.js";
import { Bands, curve, drawRibbons, mesh } from "./edges.js";
import { drawEdges, drawEmissions, drawEnds, drawLastEdit, givesWay } from "./marks.js";
import { Meet } from "./meet.js";
import { cellName, wordOf } from "./names.js";
import { exact, factor, number, plain, potential, share, signed } from "./numbers.js";
import { Score } from "./scores.js";
import { Stairs } from "./stairs.js";
import { BESIDE, Tags, rowsOf } from "./tags.js";
import { Trails } from "./trails.js";

const [DENSE, MANY] = [5, 8]; // from so many rows on, thin edges are thinner, and then left out
const [TAG, LEAST_WORD] = [18, 13]; // px of letters: those that are measured, the smallest of words
const ROOMY = 96; // px of a cell that has room for two decimals beside a pill
const POWERS = 0.19; // of a cell's width: letters of a number with a power of ten
const GROUPS = ["thin", "ribbons", "bands", "trails", "cells", "ends", "pills", "head"];

export class TrellisDrawing {
  svg;
  tags;
  cells;
  emissions;
  ends;
  pills;
  seconds;
  view;
  trellis;
  at;
  rows;
  shape;
  groups;
  now;
  index;
  digits;
  dx;
  placed;
  columns;
  most;
  looked = null; // the column that one looks at, where not all have room; null: the step's
  edit = null; // the last edit: { key, x, y, role, from, value, away }

  constructor(drawing) {
    this.svg = drawing;
  }

  get mode() {
    return this.view.picture.mode ?? this.view.mode; // a lesson may draw one mode among the beats of another
  }

  // ---------------------------------------------------------------- what is built once

  layout(view, width, height, widthOf, magnify = 1) {
    Object.assign(this, { view, trellis: view.picture });
    const { tags, tokens } = this.trellis;
    this.rows = rowsOf(this.trellis, view.words);
    this.order();
    const stairs = Boolean(this.trellis.now.stairs);
    const meets = Boolean(this.trellis.now.meet);
    const tag = Math.max(...this.rows.map(({ name }) => widthOf(name)), 0) + BESIDE;
    const at = arrange(width, height, {
      columns: tokens.length,
      rows: this.rows.length,
      tag,
      path: this.mode === "path",
      stairs,
      meets,
      back: this.mode === "both",
      magnify,
    });
    const beside = (this.trellis.start.some((score) => signed(number(score)).length > 4) ? 25 : 17) * at.k;
    // Beside START and END.
    const aside = at.phone ? at.pitch : 2 * Math.min(at.x(0) - at.start, at.cell / 2 + at.after) - 56 * at.k;
    const rooms = tokens.map((_, t) => (t && t < tokens.length - 1 ? at.pitch : Math.min(at.pitch, aside)) - 8);
    at.word = Math.max(
      Math.min(at.word, ...tokens.map(({ text }, t) => (TAG * rooms[t]) / Math.max(widthOf(text), 1))),
      LEAST_WORD,
    );
    this.most = rooms.map((room) => Math.floor(room / (at.word * 0.5))); // letters of a word
    if (this.trellis.scale === "probability") at.letters = Math.min(at.letters, at.cell * POWERS);
    const last = at.x(tokens.length - 1);
    const ending = last + at.cell / 2 + at.after;
    this.at = {
      ...at,
      ending,
      aside: beside,
      under: at.crowded || stairs ? 0 : 12 * at.big,
      hasStairs: stairs,
      whole: ending + at.last + at.total / 2,
      middle: (at.y(0) + at.y(this.rows.length - 1)) / 2,
    };
    const [shape, place] = [
      JSON.stringify([this.mode, stairs, meets, tags, tokens.map(({ text }) => text)]),
      JSON.stringify(this.at),
    ];
    const built = shape === this.shape;
    if (!built) this.build();
    this.name();
    if (!built || place !== this.placed) this.place();
    Object.assign(this, { shape, placed: place });
  }

  order() {
    const { order, values } = this.trellis;
    this.index = new Map(order.map((one, i) => [String(one), i]));
    const tenths = values
      .flat()
      .every(
        (value) =>
          value === null ||
          !Number.isFinite(number(value)) ||
          Math.abs(number(value) * 10 - Math.round(number(value) * 10)) < 1e-6,
      );
    this.digits = tenths ? 1 : 2;
  }

  build() {
    const { tokens } = this.trellis;
    for (const part of [...this.svg.children].filter((part) => part.nodeName !== "defs")) part.remove();
    const stage = svg("svg", { class: "window", role: "presentation" }, this.svg);
    const moved = svg("g", { class: "camera" }, stage);
    this.groups = Object.fromEntries(GROUPS.map((name) => [name, svg("g", { class: name }, moved)]));
    Object.assign(this.groups, { stage, moved });
    this.tags = new Tags(this.svg);
    const { thin, cells, ends, pills, head } = this.groups;
    const { words } = this.view;
    put(cells, { role: "grid", "aria-label": words[`mode-${this.mode}`] });
    put(pills, { role: "group", "aria-label": words.scores });
    put(ends, { role: "group", "aria-label": `${words["start-column"]}, ${words["end-column"]}` });
    for (const seen of [head, this.tags.group]) put(seen, { "aria-hidden": "true" }); // each cell says its word and tag
    this.gaps = tokens.map(() => svg("path", {}, thin));
    this.bands = new Bands(this.groups.bands);
    this.trails = new Trails(this.groups.trails);
    this.words = tokens.map(({ text }, t) => svg("text", { class: "word", "data-word": t }, head, text));
    this.sides = {
      start: svg("text", { class: "side" }, head, this.view.words["start-column"]),
      end: svg("text", { class: "side" }, head, this.view.words["end-column"]),
    };
    this.columns = tokens.map((_, t) => {
      const named = { class: "column", "aria-label": wordOf(this.trellis, t) };
      return {
        cells: svg("g", { ...named, role: "row" }, cells),
        pills: this.mode === "path" ? null : svg("g", { ...named, role: "group" }, pills),
        t,
      };
    });
    Object.assign(this, {
      cells: tokens.map(() => []),
      emissions: tokens.map(() => []),
      ends: { start: [], end: [] },
      pills: [],
      seconds: [], // beside the pills: emissions, where an edge carries them, too
    });
    this.onPath = tokens.slice(1).map(() => new Score(pills, "transition", true));
    this.lastEdit = svg("g", { class: "last-edit" }, pills);
    this.lastPill = new Score(this.lastEdit, "transition", true);
    this.lastEdit.append(svg("text", { class: "before" }), svg("path", { class: "ways" }));
    this.total = svg("g", { class: "total", role: "gridcell", tabindex: -1 }, svg("g", { role: "row" }, cells));
    svg("rect", { rx: 8 }, this.total);
    for (const name of ["number", "label", "label"]) svg("text", { class: name, "aria-hidden": "true" }, this.total);
    this.stairs = this.at.hasStairs ? new Stairs(moved) : null;
    this.meet = this.mode === "both" ? new Meet(moved) : null;
  }

  // Rows come and go with the step: their elements are made once.
  name() {
    const { groups, rows } = this;
    for (let r = this.ends.start.length; r < rows.length; r++) {
      for (const [t, column] of this.cells.entries()) {
        column.push(new Cell(this.columns[t].cells, t, r));
        this.emissions[t].push(new Score(this.columns[t].pills ?? column[r].group, "emission", true));
      }
      for (const side of ["start", "end"]) this.ends[side].push(new Score(groups.ends, "edge", true));
      this.pills.push(new Score(groups.pills, "transition", true));
      this.seconds.push(new Score(groups.pills, "emission", true));
    }
    this.tags.name(rows);
    for (const [t, column] of this.cells.entries())
      for (const [r, cell] of column.entries()) {
        const { tag, name, colour } = rows[r] ?? {};
        cell.name(tag < 0 ? "other" : name, colour, this.columns[t].cells);
      }
    for (const list of [...this.emissions, this.ends.start, this.ends.end, this.pills, this.seconds])
      for (const score of list.slice(rows.length)) score.retire();
  }

  place() {
    const { at, words, cells } = this;
    put(this.svg, { width: at.width, height: at.height });
    const left = at.windowed || at.phone ? at.tag + 6 : 0;
    put(this.groups.stage, {
      x: left,
      y: 0,
      width: at.width - left,
      height: at.height,
      overflow: left ? "hidden" : "visible",
      viewBox: `${left} 0 ${at.width - left} ${at.height}`,
    });
    words.forEach((word, t) => put(word, { x: at.x(t), y: at.head * 0.46 }));
    this.svg.classList.toggle("dense", this.rows.length > DENSE);
    this.groups.head.style.display = at.phone && !at.path ? "none" : "";
    for (const [t, word] of words.entries()) {
      word.style.fontSize = `${at.word}px`;
      word.textContent = isolated(
        at.word > LEAST_WORD ? this.trellis.tokens[t].text : clipped(this.trellis.tokens[t].text, this.most[t]),
      );
    }
    this.svg.style.setProperty("--k", Math.max(at.k, 1));
    put(this.sides.start, { x: at.start, y: at.head * 0.56 });
    put(this.sides.end, { x: at.ending, y: at.head * 0.56 });
    this.tags.place(at);
    for (const [t, column] of cells.entries())
      for (const [r, cell] of column.entries()) cell.place(at.x(t), at.y(r), at.cell, at.high, at.letters);
    const wide = at.total;
    put(this.total.children[0], { x: at.whole - wide / 2, y: at.middle - at.high / 2, width: wide, height: at.high });
    put(this.total.children[1], { x: at.whole, y: at.middle });
    put(this.total.children[2], { x: at.whole, y: at.middle - at.high / 2 - 18 * at.k });
    put(this.total.children[3], { x: at.whole, y: at.middle + at.high / 2 + 16 * at.k });
    this.total.style.fontSize = `${at.letters}px`;
    this.total.parentNode.style.display = at.hasStairs || this.mode === "path" ? "none" : "";
    this.placeGaps();
  }

  // Thin edges: a path for each gap between words; the last one has those to the sides.
  placeGaps() {
    const { at, rows, gaps } = this;
    const [ys, half] = [rows.map((_, r) => at.y(r)), at.cell / 2];
    for (let t = 0; t < at.columns - 1; t++)
      put(gaps[t], { d: rows.length > MANY ? "" : mesh(at.x(t) + half, at.x(t + 1) - half, ys) });
    const ends =
      this.mode === "path"
        ? ""
        : ys
            .map(
              (y) =>
                `M${at.start + at.aside} ${y}H${at.x(0) - half}${curve(at.x(at.columns - 1) + half, y, at.whole - at.total / 2, at.middle)}`,
            )
            .join("");
    put(gaps.at(-1), { d: ends });
  }

  // ---------------------------------------------------------------- one step

  // The row of a tag; that of "other" for a folded one.
  row(tag) {
    const r = this.trellis.rows.indexOf(tag);
    return r < 0 ? this.rows.length - 1 : r;
  }

  draw(now) {
    this.now = now;
    const [t, s] = now.cell ?? [now.column, -1];
    const { at } = this;
    this.dx = camera(at, this.looked ?? this.column);
    this.groups.moved.style.transform = `translateX(${-this.dx}px)`;
    at.near = this.dx;
    for (const column of this.columns) {
      column.near = !at.windowed || Math.abs(at.x(column.t) - this.dx - at.width / 2) < at.width / 2 + at.pitch * 2;
      for (const group of [column.cells, column.pills, this.words[column.t]])
        if (group) set(group, "display", column.near ? "inline" : "none");
    }
    this.words.forEach((word, i) =>
      set(
        word,
        "class",
        `word${i === t && this.mode !== "path" ? " now" : this.mode === "path" || this.isTotal || now.words ? " all" : ""}`,
      ),
    );
    this.tags.draw(this.rows, s);
    this.drawCells();
    drawEmissions(this);
    drawEnds(this);
    drawEdges(this);
    drawRibbons(this, this.groups.ribbons, now.ribbons);
    this.drawTotal();
    this.trails.draw(this);
    this.meet?.draw(
      now.meet && { left: this.byRow(now.meet.left), right: this.byRow(now.meet.right) },
      now.column,
      at,
      this.view.words,
    );
    drawLastEdit(this);
    this.stairs?.draw(this);
  }

  // The current column: END's is the one after the last, START's the one before the first.
  get column() {
    const { kind, column } = this.now;
    return kind === "total" ? (this.mode === "both" ? -1 : this.at.columns) : (column ?? 0);
  }

  // Whether the step fills END, or follows the backpointers.
  get isTotal() {
    return ["total", "backtrace"].includes(this.now.kind);
  }

  // Numbers of tags by row; those of folded ones are added.
  byRow(numbers) {
    const { rows, other } = this.trellis;
    const kept = rows.map((tag) => numbers[tag]);
    return other ? [...kept, numbers.reduce((sum, p, tag) => (rows.includes(tag) ? sum : sum + p), 0)] : kept;
  }

  isShown(t, r) {
    if (this.mode === "path") return true;
    if (this.now.meet) return this.now.meet.both !== null || t !== this.now.column;
    const { tag } = this.rows[r];
    const { filled } = this.now; // of a column that the reader fills: the steps that are there
    if (filled) return t < this.now.column || (t === this.now.column && filled.has(this.index.get(`${t},${tag}`)));
    if (tag < 0) return (this.index.get(`${t},${this.trellis.other.last}`) ?? 0) < this.now.shown;
    return (this.index.get(`${t},${tag}`) ?? 0) < this.now.shown;
  }

  // The cells that have a row.
  get shownCells() {
    return this.cells.map((column) => column.slice(0, this.rows.length));
  }

  drawCells() {
    const { now, trellis, at, view } = this;
    const heat = now.marginals && view.heat;
    const [left, by] = givesWay(this);
    this.shownCells.forEach((column, t) => {
      const complete = column.every((_, r) => this.isShown(t, r));
      if (t)
        this.gaps[t - 1].style.display =
          (this.mode === "best" && complete) || (now.meet && (t === now.column || t - 1 === now.column)) ? "none" : "";
      const all = heat || now.words;
      const both =
        now.words || (now.meet?.both && (heat || t === now.column))
          ? this.byRow(all ? now.marginals[t] : now.meet.both)
          : null;
      column.forEach((cell, r) => {
        const { tag } = this.rows[r];
        const value = number((tag < 0 ? this.otherAt(t).values[t] : this.valuesAt(t)[tag]) ?? Number.NaN);
        const shown = this.isShown(t, r);
        const p = both?.[r];
        const level = this.level(t, r, complete, p);
        const digits = at.cell < (at.straddles ? ROOMY : 60) ? 1 : this.digits;
        if (!this.columns[t].near) {
          set(cell.group, "class", "cell");
          return set(cell.group, "data-value", shown ? this.valueOf(t, tag, value) : "");
        }
        const text = both
          ? share(p)
          : now.filled && t === now.column && !shown
            ? "?"
            : this.mode === "path" || !shown || Number.isNaN(value)
              ? ""
              : this.cellText(value, digits);
        const classes = this.classes(t, r, shown && value === -Infinity, both);
        const lit = / lit\b/.test(classes);
        cell.draw({
          text,
          name: cellName(this, t, r, { value: shown ? value : Number.NaN, p, level, lit }),
          given: (shown && trellis.given?.[`${t},${tag}`]) || "",
          share: level,
          value: shown ? this.valueOf(t, tag, value) : "",
          p: both ? exact(p) : undefined,
          before: both && now.shares ? this.byRow(now.shares[t])[r] : p,
          shift: t === left ? by : 0,
          classes,
        });
        if (heat) cell.group.style.setProperty("--p", p);
      });
    });
  }

  valuesAt(t) {
    const { left, values } = this.trellis;
    return this.now.meet && t < this.now.column ? left[t] : values[t];
  }

  // The tags without a row.
  otherAt(t) {
    const { left_other: left, other } = this.trellis;
    return this.now.meet && t < this.now.column ? left : other;
  }

  // A cell's hook holds the quantity of the mode, even if the cell prints something else.
  valueOf(t, tag, value) {
    const { path, running, words } = this.now;
    if (this.mode === "path" || words) return path[t] === tag ? exact(number(running[t])) : "";
    return exact(this.mode === "both" && tag >= 0 ? number(this.trellis.values[t][tag] ?? Number.NaN) : value);
  }

  level(t, r, complete, p) {
    const { now, trellis } = this;
    const { tag } = this.rows[r];
    if (this.mode === "path") return now.path[t] === tag ? 1 : 0;
    if (p !== undefined) return p;
    if (now.meet && t === now.column) return null;
    if (!complete) return null;
    const shares = now.meet && t < now.column ? trellis.left_shares : trellis.shares;
    return tag >= 0 ? shares[t][tag] : this.mode === "best" ? 0 : this.otherAt(t).shares[t];
  }

  classes(t, r, never, both) {
    const { now, trellis, mode } = this;
    const { tag } = this.rows[r];
    const is = (path) => path && t < path.length && this.row(path[t]) === r;
    const wins = both && this.rows.every((_, i) => both[i] <= both[r]);
    const names = {
      now:
        (now.cell && now.cell[0] === t && now.cell[1] === tag && !now.meet) || (now.meet && t === now.column && wins),
      lit: is(
        mode === "path" || now.words
          ? now.path
          : mode === "best" && (this.isTotal ? t >= this.trails.reached(this) && trellis.best : now.lead),
      ),
      was: is(now.was) && !is(now.lead),
      ghost: is(now.ghost) && !is(mode === "path" ? now.path : trellis.best),
      never,
      meets: now.meet && both && !wins && both[r] >= 0.1,
      side: now.meet && t !== now.column,
      choosable: (mode === "path" || now.meet) && tag >= 0,
      fixed: trellis.tokens[t].fixed === tag,
      folded: tag < 0,
      asked: now.filled && t === now.column && !this.isShown(t, r),
      absent: now.meet && t <= now.column ? t < now.column && trellis.left[t][0] === null : trellis.absent === t,
      wrong: trellis.given?.[`${t},${tag}`] && this.isShown(t, r),
      heat: both && this.view.heat,
      deep: both?.[r] > 0.5,
      pulses: now.bet?.revealed && now.ghost && is(now.path) && now.ghost[t] !== now.path[t],
    };
    return Object.entries(names).reduce((all, [name, on]) => (on ? `${all} ${name}` : all), "cell");
  }

  transitionKey(from, to, t) {
    return this.trellis.per_step ? `t:${t}:${from}:${to}` : `t:${from}:${to}`;
  }

  // Numbers as this trellis writes them: log-scores that are added, or factors.
  cellText(value, digits) {
    return this.trellis.scale === "probability" ? potential(value) : plain(value, digits);
  }

  scoreText(value) {
    return this.trellis.scale === "probability" ? factor(value) : signed(value);
  }

  // The total: at the end, and while a score is changed, with what it was before.
  drawTotal() {
    const { now, trellis, edit, view } = this;
    const [, value, label, was] = this.total.children;
    const { total } = trellis;
    const after = this.isTotal || now.meet || now.words || (edit && total.value !== null);
    const written = (score) => this.cellText(number(score), this.digits);
    value.textContent = after ? written(total.value) : "";
    label.textContent = total.label;
    was.textContent =
      after && edit && edit.total !== total.value ? filledText(view.words.was, { score: written(edit.total) }) : "";
    set(this.total, "aria-label", value.textContent ? `${total.label} ${value.textContent}` : total.label);
    set(this.total, "class", `total${after ? " full" : ""}${this.isTotal && !this.trails.following ? " now" : ""}`);
  }
}
