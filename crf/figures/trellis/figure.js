// The trellis as a figure of the stage: words, cells, scores, and the reader's actions on them.

import { fill, html, isolated, put } from "../shared/dom.js";
import { TrellisDrawing } from "./drawing.js";
import { run, skip } from "./motion.js";
import { number } from "./numbers.js";
import { Reach } from "./reach.js";
import { Editor } from "./scores.js";

const SKELETON = `
<div class="trellis" data-figure="trellis">
  <p class="sentence"></p>
  <svg role="group"><defs>
    <pattern id="never" width="7" height="7" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><path d="M0 0V7" stroke="currentColor" stroke-width="2.4"></path></pattern>
    <linearGradient id="left"><stop class="far" offset="0"></stop><stop class="near" offset="1"></stop></linearGradient>
    <linearGradient id="right"><stop class="near" offset="0"></stop><stop class="far" offset="1"></stop></linearGradient>
  </defs></svg>
</div>`;
const TAG = 18; // px of the letters that are measured
const pen = document.createElement("canvas").getContext("2d");

export class TrellisFigure {
  root;
  svg;
  sentence;
  drawing;
  editor;
  host;
  view;
  veils;
  live;
  all;
  scrolled;
  reach;
  firsts = new Map(); // scores before the first of their edits
  asked = null; // the latest edit until its answer: { key, value }
  /** @type {Record<string, any>} */
  instead = {};

  // `host`: go(step); where it can, edit(key, value, resting), choose(token, tag) in *one path*, fix(token, tag) in *both ways*,
  // and chooseSentence().
  // `instead`: pictures that stand in the trellis's place, by the part of `view.picture` that each draws; each a class with
  // `constructor(parent, host)`, `root`, `layout(view, width, height)` and `draw(now, veils)`.
  constructor(el, host, signal, instead = {}) {
    this.root = fill(el, SKELETON);
    this.host = host;
    [this.sentence, this.svg] = [this.root.querySelector(".sentence"), this.root.querySelector("svg")];
    this.drawing = new TrellisDrawing(this.svg);
    this.editor = new Editor(
      this.root,
      this.svg,
      (...change) => this.change(...change),
      (key) => this.read(key),
    );
    this.instead = Object.fromEntries(
      Object.entries(instead).map(([part, Other]) => [part, new Other(this.root, host)]),
    );
    this.svg.addEventListener("click", (event) => this.press(event));
    this.reach = new Reach(this);
    const watch = new ResizeObserver(() => this.layout());
    watch.observe(this.root);
    document.fonts.addEventListener("loadingdone", () => this.layout(true), { signal });
    signal.addEventListener("abort", () => watch.disconnect());
  }

  // `live`: whether cells can be clicked; `edits`: whether scores can be changed.
  show(view, live, edits = live) {
    const { bet } = view.picture.now;
    this.view = view;
    this.settle();
    this.veils = Boolean(bet && !bet.revealed);
    if (!view.state.edit) this.firsts.clear();
    this.live = live;
    this.root.classList.toggle("still", !edits);
    const factors = view.picture.scale === "probability";
    Object.assign(this.editor, { live: edits, factors, refusal: view.words["no-score"] });
    if (this.all) this.fold({});
    this.svg.setAttribute("aria-label", view.words["trellis-figure"]);
    this.root.dataset.way = view.picture.mode ?? view.mode;
    this.svg.toggleAttribute("hidden", Boolean(this.other));
    for (const { root } of Object.values(this.instead)) {
      root.setAttribute("aria-label", view.heading);
      root.toggleAttribute("hidden", root !== this.other?.root);
    }
    this.writeSentence();
    this.layout();
  }

  // The picture that stands in the trellis's place; undefined: none does.
  get other() {
    const part = Object.keys(this.instead).find((name) => name in this.view.picture);
    return this.instead[part];
  }

  // Draw a step; `moves`: with the motion of a step; `veils`: without the answer to a bet.
  showNow(now, moves = false, veils = this.veils) {
    this.veils = veils;
    if (veils && now.bet.number) now = asked(now, this.view.picture);
    if (now.step !== this.view.picture.now.step) Object.assign(this.drawing, { edit: null, looked: null });
    this.view.picture.now = now;
    if (now.picture) this.takeTables(now);
    if (this.other) return this.root.clientWidth && this.other.draw(now, veils);
    if (now.rows) this.fold(now);
    if (!this.drawing.at) return;
    skip();
    this.root.classList.toggle("moves", Boolean(moves));
    this.root.classList.toggle("drags", Boolean(this.editor.dragging));
    if (this.drawing.edit) this.drawing.edit.away = !this.editor.shown(this.drawing.edit.key);
    this.drawing.draw(now);
    this.describe();
    this.editor.follow();
    this.reach.settle();
    for (const [t, word] of [...this.sentence.children].entries()) {
      word.toggleAttribute("data-now", t === now.column);
      word.toggleAttribute("data-near", Math.abs(t - now.column) === 1);
    }
    if (this.drawing.at.windowed && this.scrolled !== now.column)
      this.sentence.querySelector("[data-now]")?.scrollIntoView({ block: "nearest", inline: "center" });
    this.scrolled = now.column;
    if (moves) run(this.drawing);
  }

  // Merge a step's changes into the tables.
  takeTables(now) {
    const { rows, other } = this.view.picture;
    Object.assign(this.view.picture, now.picture, { rows, other });
    delete now.picture;
    if (this.drawing.at) this.drawing.order();
  }

  // The tag of the current cell always has a row: which tags have one may change with the step.
  fold({ rows = undefined, other = null }) {
    if (this.all) [rows, other] = [this.view.picture.tags.map((_, tag) => tag), null];
    const { picture: trellis } = this.view;
    const same = String(rows) === String(trellis.rows) && Boolean(other) === Boolean(trellis.other);
    Object.assign(trellis, { rows, other });
    if (!same) this.arrange();
  }

  // Show rows for all tags, or only for the probable ones.
  unfold(all) {
    this.all = all;
    this.fold(all ? {} : this.view.picture.now);
    this.layout();
  }

  layout(anew = false) {
    if (anew) this.drawing.shape = "";
    if (this.arrange()) this.showNow(this.view.picture.now);
  }

  // Put everything into its place; whether there is anything to draw.
  arrange() {
    const { view } = this;
    if (!view || !this.root.clientWidth) return false;
    const style = getComputedStyle(this.root);
    const family = style.fontFamily;
    const phone = this.root.clientWidth < 640;
    this.sentence.hidden = !(view.picture.tokens.length > 8 || (phone && view.mode !== "path")) || Boolean(this.other);
    const height = this.root.clientHeight - (this.sentence.hidden ? 0 : this.sentence.offsetHeight);
    if (height < 60) return false;
    if (this.other) {
      this.other.layout(view, this.root.clientWidth, height);
      return true;
    }
    pen.font = `600 ${phone ? 15 : TAG}px ${family}`;
    this.drawing.layout(
      view,
      this.root.clientWidth,
      height,
      (text) => pen.measureText(text).width,
      Number(style.getPropertyValue("--magnify")) || 1,
    );
    this.host.placed?.(this.drawing.at);
    return true;
  }

  // Where there is no room for all columns, the sentence above leads to each.
  writeSentence() {
    const { tokens } = this.view.picture;
    if (
      String([...this.sentence.children].map((word) => word.textContent)) ===
      String(tokens.map(({ text }) => isolated(text)))
    )
      return; // a word keeps the focus
    this.sentence.replaceChildren();
    for (const [t, { text }] of tokens.entries()) {
      const word = html("button", { type: "button", class: "to", "data-token": t, tabindex: -1 }, this.sentence, text);
      word.onclick = () => this.host.go(this.lastOf(t));
    }
  }

  // The step at which a column is complete.
  lastOf(t) {
    return this.view.picture.order.findLastIndex((one) => one[0] === t);
  }

  // The reader changes a score; its old value and the old total are kept until the next edit or step.
  change(key, value, resting) {
    const { drawing } = this;
    if (drawing.edit?.key !== key || drawing.edit.rested) {
      const from = number(this.read(key));
      if (!this.firsts.has(key)) this.firsts.set(key, from);
      drawing.edit = {
        key,
        from,
        first: this.firsts.get(key),
        total: this.view.picture.total.value,
        ...this.editor.place(key),
      };
    }
    Object.assign(drawing.edit, { value, rested: resting });
    this.asked = { key, value };
    this.host.edit(key, value, resting);
  }

  // A score as the reader has it now, who may press a key again before the answer is there.
  read(key) {
    return this.asked?.key === key ? this.asked.value : this.given(key);
  }

  // The latest edit has been answered; one that is no longer in the scores has been undone.
  settle() {
    const edit = this.asked ?? this.drawing.edit;
    if (!edit) return;
    const value = number(this.given(edit.key));
    const answered = value === edit.value || Math.abs(value - edit.value) < 1e-6;
    if (!answered && !this.asked) this.drawing.edit = null;
    if (answered || Number.isNaN(value)) this.asked = null;
  }

  given(key) {
    const [table, ...place] = this.placeOf(key);
    return place.reduce((rows, i) => rows?.[i], this.view.picture[table]);
  }

  // The table of a score, and its place there; tags' names may hold colons.
  placeOf(key) {
    const { tags, per_step: perStep } = this.view.picture;
    const [table, ...names] = key.split(":");
    const tag = (name) => tags.findIndex((one) => one.name === name);
    if (table === "e") return ["emissions", Number(names[0]), tag(names.slice(1).join(":"))];
    if (table !== "t") return [table === "s" ? "start" : "end", tag(names.join(":"))];
    const rest = (perStep ? names.slice(1) : names).join(":");
    const from = tags.findIndex(({ name }) => tags.some((to) => `${name}:${to.name}` === rest));
    const into = tag(rest.slice((tags[from]?.name.length ?? 0) + 1));
    return perStep ? ["per_step", Number(names[0]) - 1, from, into] : ["transitions", from, into];
  }

  // ---------------------------------------------------------------- cells that can be chosen

  get chooses() {
    return Boolean(this.view.mode === "path" ? this.host.choose : this.view.picture.now.meet && this.host.fix);
  }

  press({ target }) {
    if (target.closest(".word")) return this.host.chooseSentence?.();
    const cell = target.closest(".cell");
    if (!cell || !this.live) return;
    const [token, tag] = [
      Number(cell.dataset.token),
      this.view.picture.tags.findIndex(({ name }) => name === cell.dataset.tag),
    ];
    if (tag < 0) return;
    if (!this.chooses)
      return this.host.go(this.view.picture.order.findIndex((one) => one[0] === token && one[1] === tag));
    if (this.view.mode === "path") this.host.choose(token, tag);
    else this.host.fix(token, tag);
  }

  // What keys do, and which cells are chosen.
  describe() {
    const { words } = this.view;
    const { chooses, live } = this;
    const does = !live ? [] : [chooses ? (this.view.mode === "path" ? "key-choose" : "key-fix") : "key-go"];
    const keys = ["keys-move", ...does, ...(this.editor.live ? ["keys-scores"] : [])];
    put(this.drawing.groups.cells, { "aria-description": keys.map((name) => words[name]).join(" ") });
    for (const { group } of this.drawing.shownCells.flat()) {
      if (chooses) group.setAttribute("aria-selected", group.matches(this.view.mode === "path" ? ".lit" : ".fixed"));
      else group.removeAttribute("aria-selected");
    }
  }
}

// The cell that the reader is asked to fill: its inflows are drawn, and its value is not known here.
function asked(now, { order, transitions, per_step: perStep, values, emissions }) {
  const [t, s] = order[now.step];
  const score = (from) => (perStep?.[t - 1] ?? transitions)[from][s];
  const terms = t ? values[t - 1].map((value, from) => ({ from, value, score: score(from), share: 0 })) : [];
  return { ...now, cell: [t, s], column: t, terms, emission: emissions[t][s], shown: now.step };
}
