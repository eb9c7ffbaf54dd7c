// State and controls. Python sends a trace once, and beside it what may change without it, such as the scores; the browser owns
// the step from then on and reports it, debounced, as `at`. Edits of the scores
// go out as `edits`; while one moves, a host that can is asked for the picture of it (`model.ask`).

import { ScoreTables } from "../scores/tables.js";
import { element, fill, filledText, letters, readable, whenPointed, whenTurned, writeWords } from "../shared/dom.js";
import { report, whenData } from "../shared/model.js";
import { saveButtons } from "../shared/save.js";
import { Keys } from "./keys.js";
import { layout } from "./layout.js";
import { writeLegend } from "./legend.js";
import { Links, followText } from "./links.js";
import { Player, otherColumn } from "./moves.js";
import { nameOf, writeEquation, writeRoom, writeTable, writeTerms } from "./panel.js";
import { SKELETON } from "./skeleton.js";
import { Trellis } from "./trellis.js";

const SHORT = 3; // tokens at most of a trellis that leaves half of the width
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
    this.places = new WeakSet(); // in the text, that are filled
    this.hidden = new Set(); // names of paths that the reader has switched off
    this.calm = matchMedia("(prefers-reduced-motion: reduce)");
    this.actions = {
      first: () => this.go(0),
      last: () => this.go(this.end),
      previous: () => this.go(this.index - 1),
      next: () => this.go(this.index + 1),
      columnBack: () => this.go(otherColumn(this.data.steps, this.index, -1)),
      columnOn: () => this.go(otherColumn(this.data.steps, this.index, 1)),
      surprise: () => this.go(this.data.surprises.find((step) => step > this.index) ?? this.data.surprises[0] ?? this.index),
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
    for (const button of this.root.querySelectorAll("[data-swap]")) button.onclick = () => this.swap(button.dataset.swap).focus();
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

  // What stands beside the figure: the page's text, a presenter's keys.
  listenAnywhere(signal) {
    const anywhere = (name, act) => document.addEventListener(name, act, { signal });
    this.keys.listenAnywhere(signal);
    whenTurned(this.root, (by) => this.turn(by), signal);
    anywhere("crf:step", (event) => this.goTo(event));
    anywhere("crf:light", (event) => this.links.hear(event));
    anywhere("crf:rows", () => this.data && this.fit());
    followText((...found) => this.lightParts(...found), signal);
    const late = new MutationObserver(() => this.meanLate());
    late.observe(document.body, { childList: true, subtree: true });
    signal.addEventListener("abort", () => {
      this.player.pause();
      clearTimeout(this.reporting);
      this.observer.disconnect();
      late.disconnect();
    });
  }

  // ------------------------------------------------------------------ what Python sends

  // The same trace as before leaves the reader where he is; what stands beside it may be new.
  receive({ trace, beside }) {
    if (!this.data) writeWords(this.root, trace.words);
    const sent = this.beside !== undefined && this.beside.sent !== beside.sent; // then Python still has the step from before
    this.beside = beside;
    const isNew = trace !== this.trace;
    this.trace = trace;
    if (isNew) this.load(trace, { sent });
    else if (sent) this.go(beside.step);
    if (sent) this.root.scrollIntoView({ block: "nearest" });
    this.showBeside();
  }

  // A score moves: what it would be is asked for beside the runs of the page, which take longer than all of this.
  moved({ trace, beside, pictures }) {
    if (!this.data) return;
    this.trace = null; // what Python has sent is no longer on screen
    this.beside = { ...this.beside, ...beside };
    this.load({ ...trace, best: trace.best ?? this.data.best, view: this.data.view, words: this.data.words }, { stays: true });
    this.showBeside();
    document.dispatchEvent(new CustomEvent("crf:moved", { detail: pictures }));
  }

  // After scores have moved the reader stays at the step.
  load(trace, { sent = false, stays = false }) {
    const data = { ...trace, view: { ...trace.view } };
    this.player.pause();
    const kept = !sent && this.data !== undefined && JSON.stringify(this.data.steps) === JSON.stringify(data.steps);
    const ahead = !sent && this.data !== undefined && this.reporting; // moved, and Python does not know it yet
    const start = kept || ahead || stays ? this.index : this.beside.step;
    const beside = this.root.clientWidth / 920; // from this size on the terms stand below the trellis
    data.view.scale = Math.max(data.view.scale, letters(this.root));
    if (beside >= 1.2) data.view.scale = Math.min(data.view.scale, beside);
    this.data = data;
    this.end = data.steps.length - 1;
    this.root.style.setProperty("--scale", data.view.scale);
    for (const part of ["values", "terms", "equation", "sentence", "controls", "legend"]) {
      this.root.classList.toggle(`hide-${part}`, data.view.hide.includes(part));
    }
    this.root.classList.toggle("wide-numbers", data.joint !== "+");
    this.root.setAttribute("aria-label", data.title);
    this.scroll.setAttribute("aria-label", filledText(this.data.words.keys_label, { title: data.title }));
    this.scrub.max = this.end;
    this.find(".surprise").hidden = !data.surprises.length;
    writeRoom(this.find, data);
    this.draw();
    writeLegend(this.find(".legend"), data, this.hidden, (i, on) => this.showPath(i, on));
    this.index = -1;
    this.go(start, { animate: false, report: sent || start !== (this.told ?? start) });
  }

  // The scores that are edited.
  showBeside() {
    const { scores } = this.beside;
    this.find(".editor").hidden = !scores;
    if (scores) this.tables.load(scores);
    this.write(this.index);
    this.mean(this.data.steps[this.index]);
  }

  draw() {
    this.trellis = new Trellis(this.scroll, this.data, this.scroll.clientWidth);
    this.links.load(this.data, this.trellis);
    this.data.paths.forEach((path, i) => this.showPath(i, !this.hidden.has(path.name)));
    this.peeking = null;
  }

  showPath(i, on) {
    const { name } = this.data.paths[i];
    this.hidden[on ? "delete" : "add"](name);
    for (const layer of this.trellis.overlays[i]) layer.classList.toggle("off", !on);
  }

  // The room has changed: draw again only if the columns would stand differently.
  fit() {
    const isShort = this.data.columns.length <= SHORT; // before a class its numbers stand beside it
    this.root.classList.toggle("beside", readable() > 0 && isShort);
    this.root.classList.toggle("under", readable() > 0 && !isShort);
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
    this.tell();
    if (report) this.reportSoon();
  }

  // For the window that presents this page.
  tell() {
    const step = `${this.index + 1}/${this.end + 1}`;
    if (document.documentElement.dataset.step === step || !this.root.checkVisibility()) return;
    document.documentElement.dataset.step = step;
    document.dispatchEvent(new CustomEvent("crf:at"));
  }

  // A presenter's key; at both ends the asker goes elsewhere.
  turn(by) {
    if (!this.data || this.index === (by > 0 ? this.end : 0)) return false;
    this.act(by > 0 ? "next" : "previous");
    return true;
  }

  // Another window shows this step.
  goTo(event) {
    if (!this.data || event.defaultPrevented || !this.root.checkVisibility()) return;
    event.preventDefault();
    this.player.pause();
    this.go(event.detail, { animate: false });
  }

  reportSoon() {
    clearTimeout(this.reporting);
    this.reporting = setTimeout(() => {
      this.reporting = null;
      this.told = this.index; // what Python has, until it sends the reader elsewhere
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
    this.mean(step);
    this.tabulate();
  }

  // What the step means, and how much work it has saved, stands in the text beside the picture, where the page has a place; on a
  // phone, where the text comes far below, the meaning stands under the trellis.
  mean(step) {
    const { work } = this.data;
    const write = (place, texts) => place?.replaceChildren(...texts.map((text) => element("p", { textContent: text })));
    if (step.means) write(this.inText("means"), step.means);
    write(this.find(".meaning"), step.means ?? []);
    if (work) write(this.inText("work"), [work.lines[work.at[this.index]]]);
    this.markCode(step);
  }

  // The place that the page's text has for the meaning, the work or the code of a step.
  inText(kind) {
    return document.querySelector(`[data-${kind}="${CSS.escape(this.data.view.source)}"]`);
  }

  // The lines of the textbook's code that run in this step, where the page shows it.
  markCode({ kind, column }) {
    const isFirst = kind === "cell" && column === this.data.steps[0].column;
    for (const line of this.inText("code")?.querySelectorAll("[data-step]") ?? []) {
      line.classList.toggle("crf-runs", line.dataset.step === (isFirst ? "first" : kind));
    }
  }

  // The text may come after the picture, or change: then its places are new.
  meanLate() {
    if (!this.data) return;
    const places = ["means", "work", "code"].map((kind) => this.inText(kind)).filter((place) => place && !this.places.has(place));
    places.forEach((place) => this.places.add(place));
    if (places.length) this.mean(this.data.steps[this.index]);
  }

  // Whether a cell has been computed.
  isKnown(column, row) {
    const at = this.trellis.stepAt.get([column, row].join());
    return at === undefined || at <= this.index;
  }

  // The table behind the figure has the figure's numbers, those of this step.
  tabulate() {
    if (this.data && this.find(".behind").open) writeTable(this.find(".behind"), this.data, (column, row) => this.isKnown(column, row));
  }

  write(index) {
    const { steps, reads } = this.data;
    const step = steps[index];
    const compared = steps[step.via] ?? step; // a backtrace step follows the pointer of another
    const ofTerms = (terms, more = []) => [...terms.flatMap((term) => term.reads), ...more].map((i) => nameOf(reads[i]));
    const all = ofTerms(compared.terms, compared.added);
    const won = compared.terms.filter((term) => (compared.ties ?? [compared.back]).includes(term.from));
    writeEquation(this.find(".equation .now"), step, this.data);
    writeTerms(this.find(".terms"), compared, this.data);
    this.tables.turn(compared.gap);
    if (this.beside.scores) this.tables.lit(all, ofTerms(won));
    this.lit = all;
    this.links.tell(all, index);
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
    const reads = one ? [one.dataset.read] : row ? [...row.querySelectorAll("[data-read]")].map((cell) => cell.dataset.read) : [];
    this.links.light(reads, { everywhere: Boolean(one) && !row });
    if (place) this.links.tell(reads);
    else this.links.tell(this.lit, this.index);
  }

  // A score in the tables is pointed at: every place that reads it lights up.
  lightScores(reads) {
    if (!this.data) return;
    this.links.light(reads);
    this.links.tell(reads.length ? reads : this.lit, reads.length ? undefined : this.index);
  }

  // Where there is room for one table of scores only, this one; returns the button that leads back.
  swap(table) {
    this.find(".editor").classList.toggle("shows-emissions", table === "emissions");
    return this.find(`[data-swap]:not([data-swap=${table}])`);
  }

  // The text speaks of these parts: where the reader points, or, softly, where the reader is.
  lightParts(names, pointed) {
    for (const name of Array.from(this.root.classList)) if (/^(lights|speaks)-/.test(name)) this.root.classList.remove(name);
    for (const name of names) this.root.classList.add(`${pointed ? "lights" : "speaks"}-${name}`);
    if (pointed && names.includes("emission")) this.swap("emissions");
    if (pointed && names.includes("transition")) this.swap("transitions");
    this.turnTo(names.map((name) => document.querySelector(`.st-key-shows-${CSS.escape(name)}`)).find(Boolean), names.length > 0);
  }

  // Another picture in this column is spoken of: scroll the column there, and back when this one is.
  turnTo(other, speaks) {
    const column = this.root.getRootNode().host?.closest('[class*="st-key-picture-"]')?.parentElement;
    if (!column || (!other && !(this.away && speaks))) return;
    const top = other ? other.getBoundingClientRect().bottom - column.getBoundingClientRect().bottom + column.scrollTop : 0;
    column.scrollTo({ top, behavior: this.calm.matches ? "auto" : "smooth" });
    this.away = Boolean(other);
  }
}
