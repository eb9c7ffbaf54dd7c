// State and controls. Python sends a trace once, and beside it what may change without it, such as the scores; the browser owns
// the step from then on and reports it, debounced, as `at`. Edits of the scores
// go out as `edits`; while one moves, a host that can is asked for the picture of it (`model.ask`).

import { ScoreTables } from "../scores/tables.js";
import { fill, filledText, whenPointed, writeWords } from "../shared/dom.js";
import { report, whenData } from "../shared/model.js";
import { saveButtons } from "../shared/save.js";
import { Keys } from "./keys.js";
import { layout } from "./layout.js";
import { writeLegend } from "./legend.js";
import { Links } from "./links.js";
import { Player, otherColumn } from "./moves.js";
import { nameOf, writeEquation, writeRoom, writeTable, writeTerms } from "./panel.js";
import { SKELETON } from "./skeleton.js";
import { Trellis } from "./trellis.js";

const REPORT_AFTER = 250; // ms without a further step

export default {
  render({ model, el, signal }) {
    const stepper = new Stepper(fill(el, SKELETON), model);
    stepper.listenAnywhere(signal);
    whenData(model, signal, (data) => stepper.receive(data));
  },
};

class Stepper {
  constructor(root, model) {
    this.root = root;
    this.model = model;
    this.find = (selector) => root.querySelector(selector);
    this.scroll = this.find(".scroll");
    this.scrub = this.find(".scrub");
    this.links = new Links(root);
    this.player = new Player(this);
    this.keys = new Keys(this);
    this.tables = new ScoreTables(root, {
      send: (edits) => report(model, "edits", edits),
      light: (reads) => this.lightScores(reads),
      ask: async (edit) => (await model.ask?.({ ...edit, at: this.index })) ?? null, // a host may answer beside its runs
      moved: (answer) => this.moved(answer),
    });
    this.calm = matchMedia("(prefers-reduced-motion: reduce)");
    this.actions = {
      first: () => this.go(0),
      last: () => this.go(this.end),
      previous: () => this.go(this.index - 1),
      next: () => this.go(this.index + 1),
      columnBack: () => this.go(otherColumn(this.data.steps, this.index, -1)),
      columnOn: () => this.go(otherColumn(this.data.steps, this.index, 1)),
      surprise: () =>
        this.go(this.data.surprises.find((step) => step > this.index) ?? this.data.surprises[0] ?? this.index),
      play: () => this.player.toggle(),
      stopAtSurprises: () => this.player.stops(),
      scrub: () => this.go(Number(this.scrub.value), { animate: false }),
    };
    const before = () => {
      this.player.pause();
      this.trellis.skip();
    };
    saveButtons(this.find(".save"), root, { look: "plain", before });
    this.listen();
  }

  listen() {
    for (const button of this.root.querySelectorAll("[data-do]")) button.onclick = () => this.act(button.dataset.do);
    for (const button of this.root.querySelectorAll("[data-swap]"))
      button.onclick = () => this.swap(button.dataset.swap).focus();
    this.scrub.oninput = () => this.act("scrub");
    this.scroll.onclick = (event) => this.data && this.choose(event);
    whenPointed(this.scroll, (event) => event.pointerType !== "touch" && this.peek(event));
    this.scroll.onpointerleave = () => this.peek(null);
    for (const part of [this.find(".terms"), this.find(".equation")]) {
      whenPointed(part, (event) => this.point(event.target));
      part.onpointerleave = () => this.point(null);
      part.addEventListener("focusin", (event) => this.point(event.target));
      part.addEventListener("focusout", () => this.point(null));
    }
    this.find(".behind").ontoggle = () => this.tabulate();
    this.observer = new ResizeObserver(() => this.data && this.fit());
    this.observer.observe(this.scroll);
  }

  listenAnywhere(signal) {
    this.keys.listenAnywhere(signal);
    signal.addEventListener("abort", () => {
      this.player.pause();
      clearTimeout(this.reporting);
      this.observer.disconnect();
    });
  }

  // ------------------------------------------------------------------ what Python sends

  // The same trace as before leaves the reader where he is; what stands beside it may be new.
  receive({ trace, beside }) {
    if (!this.data) writeWords(this.root, trace.words);
    this.beside = beside;
    this.load(trace);
    this.showBeside();
  }

  // A score moves: what it would be is asked for beside what it keeps.
  moved({ trace, beside }) {
    if (!this.data) return;
    this.beside = { ...this.beside, ...beside };
    this.load({ ...trace, words: this.data.words }, { stays: true });
    this.showBeside();
  }

  // After scores have moved the reader stays at the step.
  load(data, { stays = false } = {}) {
    this.player.pause();
    const kept = this.data !== undefined && JSON.stringify(this.data.steps) === JSON.stringify(data.steps);
    const ahead = this.data !== undefined && this.reporting; // moved, and Python does not know it yet
    const start = kept || ahead || stays ? this.index : this.beside.step;
    this.data = data;
    this.end = data.steps.length - 1;
    this.root.classList.toggle("wide-numbers", data.joint !== "+");
    this.root.setAttribute("aria-label", data.title);
    this.scroll.setAttribute("aria-label", filledText(this.data.words.keys_label, { title: data.title }));
    this.scrub.max = this.end;
    this.find(".surprise").hidden = !data.surprises.length;
    writeRoom(this.find, data);
    this.draw();
    writeLegend(this.find(".legend"), data);
    this.index = -1;
    this.go(start, { animate: false, report: start !== (this.told ?? start) });
  }

  // The scores that are edited.
  showBeside() {
    const { scores } = this.beside;
    this.find(".editor").hidden = !scores;
    if (scores) this.tables.load(scores);
    this.write(this.index);
  }

  draw() {
    this.trellis = new Trellis(this.scroll, this.data, this.scroll.clientWidth);
    this.links.load(this.data, this.trellis);
    this.peeking = null;
  }

  // The room has changed: draw again only if the columns would stand differently.
  fit() {
    const room = this.scroll.clientWidth;
    this.trellis.viewport = room;
    const { pitch, rowPitch } = layout(this.data, room);
    if (pitch === this.trellis.at.pitch && rowPitch === this.trellis.at.rowPitch) return;
    this.draw();
    this.trellis.show(this.index, false);
  }

  // ------------------------------------------------------------------ stepping

  act(name) {
    if (!this.data) return;
    if (name !== "play") this.player.pause();
    this.trellis.skip();
    this.actions[name]();
  }

  go(index, { animate = true, report = true } = {}) {
    index = Math.min(Math.max(index, 0), this.end);
    if (index === this.index) return;
    const onward = index === this.index + 1;
    this.index = index;
    this.show(animate && onward && !this.calm.matches);
    this.scrub.value = index;
    this.scrub.setAttribute("aria-valuetext", filledText(this.data.words.step_of, { n: index + 1, all: this.end + 1 }));
    this.find(".count").textContent = `${index + 1} / ${this.end + 1}`;
    this.find("[data-do=previous]").setAttribute("aria-disabled", index === 0);
    this.find("[data-do=next]").setAttribute("aria-disabled", index === this.end);
    if (report) this.reportSoon();
  }

  reportSoon() {
    clearTimeout(this.reporting);
    this.reporting = setTimeout(() => {
      this.reporting = null;
      this.told = this.index; // what Python has
      report(this.model, "at", this.index);
    }, REPORT_AFTER);
  }

  show(animate) {
    const step = this.data.steps[this.index];
    this.peeking = null;
    this.trellis.drawWay(null);
    this.root.classList.remove("peeks");
    this.trellis.show(this.index, animate);
    this.write(this.index);
    this.find(".say .now").textContent = step.say;
    this.tabulate();
  }

  // Whether a cell has been computed.
  isKnown(column, row) {
    const at = this.trellis.stepAt.get([column, row].join());
    return at === undefined || at <= this.index;
  }

  // The table behind the figure has the figure's numbers, those of this step.
  tabulate() {
    if (this.data && this.find(".behind").open)
      writeTable(this.find(".behind"), this.data, (column, row) => this.isKnown(column, row));
  }

  write(index) {
    const { steps, reads } = this.data;
    const step = steps[index];
    const compared = steps[step.via] ?? step; // a backtrace step follows the pointer of another
    const ofTerms = (terms, more = []) =>
      [...terms.flatMap((term) => term.reads), ...more].map((i) => nameOf(reads[i]));
    const all = ofTerms(compared.terms, compared.added);
    const won = compared.terms.filter((term) => (compared.ties ?? [compared.back]).includes(term.from));
    writeEquation(this.find(".equation .now"), step, this.data);
    writeTerms(this.find(".terms"), compared, this.data);
    this.tables.turn(compared.gap);
    if (this.beside.scores) this.tables.lit(all, ofTerms(won));
  }

  // ------------------------------------------------------------------ pointing

  // A click on a cell of the trellis: a jump.
  choose(event) {
    const cell = event.target.closest("[data-step]");
    if (!cell) return;
    this.player.pause();
    this.go(Number(cell.dataset.step));
  }

  // Look at another revealed cell without leaving the current step; the best way to it is drawn.
  peek(event) {
    const row = event?.target.closest(".hits path")?.dataset.from;
    this.point(row === undefined ? null : this.find(`.terms tr[data-from="${Number(row)}"]`));
    this.root.classList.toggle("peeks", Boolean(event));
    const cell = event?.target.closest("[data-step].on");
    const index = cell ? Number(cell.dataset.step) : null;
    if (!this.data || this.player.timer || index === this.peeking) return;
    this.peeking = index;
    this.trellis.skip();
    this.trellis.light(index ?? this.index, false);
    const step = this.data.steps[index];
    this.trellis.drawWay(step?.kind === "cell" ? [step.column, step.row] : null);
    this.write(index ?? this.index);
  }

  // Light what a row of terms, or a single score, stands for.
  point(target) {
    if (!this.data) return;
    const one = target?.closest("[data-read]");
    const row = target?.closest(".terms tr[data-from]");
    const place = one ?? row ?? null;
    if (place === this.pointed) return;
    this.pointed = place;
    for (const marked of this.root.querySelectorAll(".terms tr.linked")) marked.classList.remove("linked");
    row?.classList.add("linked");
    this.trellis.stress(row?.dataset.from ?? null);
    const reads = one
      ? [one.dataset.read]
      : row
        ? [...row.querySelectorAll("[data-read]")].map((cell) => cell.dataset.read)
        : [];
    this.links.light(reads, { everywhere: Boolean(one) && !row });
  }

  // A score in the tables is pointed at: every place that reads it lights up.
  lightScores(reads) {
    if (this.data) this.links.light(reads);
  }

  // Where there is room for one table of scores only, this one; returns the button that leads back.
  swap(table) {
    this.find(".editor").classList.toggle("shows-emissions", table === "emissions");
    return this.find(`[data-swap]:not([data-swap=${table}])`);
  }
}
