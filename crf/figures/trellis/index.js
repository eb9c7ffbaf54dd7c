// A recursion to step through: its picture, a sentence, an equation, and the values as a table. Python sends each mode with all
// its steps; the browser owns the step. Where a kernel answers, scores can be changed in the picture (edits.js).

import { fill, filledText, html, writeWords } from "../shared/dom.js";
import { whenData } from "../shared/model.js";
import { saveButtons } from "../shared/save.js";
import { Edits } from "./edits.js";
import { Keys } from "./keys.js";
import { Player, otherColumn } from "./moves.js";
import { writeEquation, writeRoom, writeTable } from "./panel.js";
import { skip } from "./motion.js";
import { TrellisFigure } from "./figure.js";

const SKELETON = `
<div class="stepper" role="group">
  <div class="controls" data-export="no">
    <div class="modes" role="group" data-label="modes"></div>
    <div class="buttons">
      <button type="button" data-do="previous" data-label="previous" data-title="previous_title">
        <svg viewBox="0 0 16 16" aria-hidden="true"><path d="M11 3v10L4 8z" /></svg>
      </button>
      <button type="button" data-do="play" class="play" data-label="play" data-title="play_title">
        <svg viewBox="0 0 16 16" aria-hidden="true"><path class="go" d="M4 2.5v11L13.5 8z" /><path class="halt" d="M4 3h3v10H4zM9 3h3v10H9z" /></svg>
      </button>
      <button type="button" data-do="next" data-label="next" data-title="next_title">
        <svg viewBox="0 0 16 16" aria-hidden="true"><path d="M5 3v10l7-5z" /></svg>
      </button>
    </div>
    <div class="track">
      <input class="scrub" type="range" min="0" step="1" data-label="step" />
      <div class="changes"></div>
    </div>
    <output class="count"></output>
    <button type="button" class="plain surprise" data-do="surprise" data-title="surprise_title" data-word="surprise"></button>
    <details class="more">
      <summary class="plain" data-word="more"></summary>
      <div class="menu">
        <label><span data-word="play"></span> <select class="speed">
          <option value="2" data-word="slowly"></option>
          <option value="1" data-word="reading" selected></option>
          <option value="0.35" data-word="fast"></option>
        </select></label>
        <button type="button" class="plain toggle" data-do="stopAtSurprises" aria-pressed="true" data-title="stop_at_surprises_title" data-word="stop_at_surprises"></button>
        <div class="save" role="group" data-label="save"></div>
      </div>
    </details>
  </div>
  <div class="picture" tabindex="0" role="group"></div>
  <div class="say" data-export="no"><p class="ghost" aria-hidden="true"></p>
  <p class="now" data-export="description" role="status" aria-live="polite"></p></div>
  <div class="equation" data-export="no"><div class="ghost" aria-hidden="true"></div><div class="now"></div></div>
  <p class="legend"></p>
  <details class="behind" data-export="no">
    <summary data-word="values"></summary>
    <p class="about" id="values-about"></p>
    <div class="tablewrap" tabindex="0" role="group" data-label="values_label"><table aria-labelledby="values-about"><thead></thead><tbody></tbody></table>
    </div>
  </details>
</div>`;
const ROWS = [
  [5, 84],
  [10, 58],
  [Infinity, 40],
]; // px of a row, for up to so many

export default {
  render({ model, el, signal }) {
    const stepper = new Stepper(fill(el, SKELETON), model, signal);
    whenData(model, signal, (data) => stepper.receive(data));
  },
};

class Stepper {
  root;
  data; // the trace: scores, modes, words
  beside;
  mode;
  index = 0;

  constructor(root, model, signal) {
    this.root = root;
    this.find = (selector) => root.querySelector(selector);
    this.scrub = this.find(".scrub");
    this.player = new Player(this);
    this.keys = new Keys(this, signal);
    this.edits = new Edits(model, (sent) => this.preview(sent));
    this.figure = new TrellisFigure(this.find(".picture"), this.host, signal);
    this.calm = matchMedia("(prefers-reduced-motion: reduce)");
    this.actions = {
      first: () => this.go(0),
      last: () => this.go(this.end),
      previous: () => this.go(this.index - 1),
      next: () => this.go(this.index + 1),
      columnBack: () => this.go(otherColumn(this.steps, this.index, -1)),
      columnOn: () => this.go(otherColumn(this.steps, this.index, 1)),
      surprise: () => this.go(this.nextSurprise()),
      play: () => this.player.toggle(),
      stopAtSurprises: () => this.player.stops(),
      scrub: () => this.go(Number(this.scrub.value), { animate: false }),
    };
    const before = () => {
      this.player.pause();
      skip();
    };
    saveButtons(this.find(".save"), root, { look: "plain", before });
    for (const button of root.querySelectorAll("[data-do]")) button.onclick = () => this.act(button.dataset.do);
    this.scrub.oninput = () => this.act("scrub");
    this.find(".behind").ontoggle = () => this.tabulate();
    signal.addEventListener("abort", () => this.player.pause());
  }

  // What the picture may do.
  get host() {
    return {
      go: (step) => {
        this.player.pause();
        this.go(step);
      },
      edit: (key, value, resting) => this.edits.change(this.figure.placeOf(key), value, resting, this.mode.mode),
    };
  }

  get steps() {
    return this.mode.steps;
  }

  get end() {
    return this.steps.length - 1;
  }

  // ------------------------------------------------------------------ what Python sends

  // The reader stays at the mode and the step.
  receive({ trace, beside }) {
    this.player.pause();
    const name = this.mode?.mode ?? beside.mode;
    if (!this.data) {
      writeWords(this.root, trace.words);
      this.index = beside.step;
    }
    Object.assign(this, { data: { ...trace, words: trace.words ?? this.data.words }, beside });
    this.root.setAttribute("aria-label", trace.title);
    this.find(".picture").setAttribute("aria-label", filledText(this.data.words.keys_label, trace));
    const [, row] = ROWS.find(([most]) => trace.tags.length <= most);
    this.root.classList.toggle("long", trace.tokens.length > 8); // the sentence above leads to columns out of view
    this.root.style.setProperty("--rows", `${trace.tags.length * (beside.given ? Math.max(row, 58) : row)}px`);
    this.writeModes();
    this.turn(trace.modes.find(({ mode }) => mode === name) ?? trace.modes[0], this.index);
  }

  // A score moves: of the modes only the one on screen follows.
  preview({ trace, beside }) {
    const modes = this.data.modes.map((old) => trace.modes.find(({ mode }) => mode === old.mode) ?? old);
    this.receive({ trace: { ...trace, modes }, beside });
  }

  writeModes() {
    const { modes, words } = this.data;
    const buttons = modes.map(({ mode }) => {
      const button = html("button", { type: "button", "data-mode": mode }, null, words[`mode-${mode}`]);
      button.onclick = () => this.choose(mode);
      return button;
    });
    const hasFocus = this.find("[data-mode]:focus")?.dataset.mode;
    this.find(".modes").replaceChildren(...(modes.length > 1 ? buttons : []));
    this.find(`[data-mode="${hasFocus}"]`)?.focus();
  }

  // Another mode, at the column that one looks at.
  choose(name) {
    this.player.pause();
    const mode = this.data.modes.find((one) => one.mode === name);
    const { column } = this.steps[this.index];
    const there = mode.steps.findLastIndex((step) => step.kind === "cell" && step.column === column);
    this.turn(mode, Math.max(there, 0));
  }

  turn(mode, index) {
    const { tags, tokens, emissions, transitions, per_step, start, end, form, scale, absent, words } = this.data;
    this.mode = mode;
    this.index = Math.min(index, this.end);
    for (const button of this.root.querySelectorAll("[data-mode]"))
      button.setAttribute("aria-pressed", button.dataset.mode === mode.mode);
    this.scrub.max = this.end;
    this.find(".surprise").hidden = !mode.surprises.length;
    this.find(".legend").textContent = words[this.beside.given ? "legend_given" : `legend_${mode.mode}`];
    writeRoom(this.find, mode, words);
    const scores = { tags, tokens, emissions, transitions, per_step, start, end, form, scale, absent };
    const picture = { ...scores, ...mode, given: this.beside.given, rows: tags.map((_, s) => s), other: null };
    picture.now = { ...this.steps[this.index] };
    const view = { mode: mode.mode, heading: this.data.title, words, state: { edit: this.edits.made }, picture };
    this.figure.show(view, true, this.beside.live);
    this.write();
  }

  // ------------------------------------------------------------------ stepping

  act(name) {
    if (!this.data) return;
    if (name !== "play") this.player.pause();
    this.actions[name]();
  }

  nextSurprise() {
    const { surprises } = this.mode;
    return surprises.find((step) => step > this.index) ?? surprises[0] ?? this.index;
  }

  go(index, { animate = true } = {}) {
    index = Math.min(Math.max(index, 0), this.end);
    if (index === this.index) return;
    const onward = index === this.index + 1;
    this.index = index;
    this.figure.showNow({ ...this.steps[index] }, animate && onward && !this.calm.matches);
    this.write();
  }

  // The words of the step.
  write() {
    const { index, end, steps, data } = this;
    this.scrub.value = index;
    this.scrub.setAttribute("aria-valuetext", filledText(data.words.step_of, { n: index + 1, all: end + 1 }));
    this.find(".count").textContent = `${index + 1} / ${end + 1}`;
    this.find("[data-do=previous]").setAttribute("aria-disabled", index === 0);
    this.find("[data-do=next]").setAttribute("aria-disabled", index === end);
    this.find(".say .now").textContent = steps[index].say;
    writeEquation(this.find(".equation .now"), steps[index]);
    this.tabulate();
  }

  // The table behind the figure has the figure's numbers, those of this step.
  tabulate() {
    if (this.data && this.find(".behind").open)
      writeTable(this.find(".behind"), this.figure.drawing, { ...this.data, symbol: this.mode.symbol });
  }
}
