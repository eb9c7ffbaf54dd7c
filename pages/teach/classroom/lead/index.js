// The lecturer's browser tells the class what is presented, and draws what comes back: how many have answered, the column
// that the class fills, votes as bars. Twice a second at most; a step or an edit at rest is told whole.

import { filledText, html } from "../../../../crf/figures/shared/dom.js";
import { whenData } from "../../../../crf/figures/shared/model.js";
import { post } from "../../../shared/ui/stage/ask.js";
import { SHOWN, WHAT } from "../../../shared/ui/stage/shown.js";
import { drawColumn } from "./column.js";

const BETWEEN = 500; // ms
const VOTING = 30000; // ms
const SHORT = 16; // characters of an option whose bar leaves room for another beside it
const [OPEN, NAMED, OVER, ANSWER] = ["open", "named", "over", "-"];

class Lead {
  words;
  base;
  code;
  link;
  qr;
  style; // the page's data
  /** @type {any} */ stage;
  /** @type {any} */ task;
  /** @type {any} */ tally = {};
  named = false;
  asked = ""; // the question on screen, by its beat and step
  posted = ""; // the last message
  timer;
  clock; // while a vote has a time
  since = 0;

  constructor(data, signal) {
    Object.assign(this, data);
    this.sheet = new CSSStyleSheet();
    this.sheet.replaceSync(this.style);
    this.line = new EventSource(`${this.base}class/news?window=${crypto.getRandomValues(new Uint32Array(1))[0]}`);
    this.line.addEventListener("tally", ({ data: sent }) => {
      this.tally = JSON.parse(sent);
      this.draw();
    });
    document.addEventListener(SHOWN, (event) => this.see(/** @type {any} */ (event).detail), { signal });
    document.addEventListener("keydown", (event) => this.key(event), { signal });
    signal.addEventListener("abort", () => {
      this.line.close();
      delete document.documentElement.dataset.classDesk;
    });
    document.documentElement.dataset.classDesk = `${this.base}class/desk`; // the speaker's window leads there
    document.dispatchEvent(new CustomEvent(WHAT));
  }

  // ---------------------------------------------------------------- what is told

  see(stage) {
    if (!stage.root.closest("[data-presenting]")) return this.askToPresent(stage);
    if (this.stage !== stage) this.dress(stage);
    const { lesson, beat } = stage.view;
    const asked = askedAt(lesson, beat, this.now.bet && !this.now.bet.revealed);
    if (asked !== this.asked) {
      const isReveal = this.now.bet?.revealed && this.asked === askedAt(lesson, beat, true);
      if (!isReveal) [this.task, this.tally] = [null, { present: this.tally.present }];
      [this.named, this.asked] = [false, asked];
      this.stopTime();
    }
    this.draw();
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.tell(), Math.max(this.since + BETWEEN - Date.now(), 0));
  }

  // The class waits for what is presented; a page that is not says so.
  askToPresent(stage) {
    const { root } = stage;
    this.wear(root);
    if (!root.querySelector(".class-press"))
      root.prepend(html("p", { class: "class-press" }, null, this.words["lead.press"]));
  }

  wear(root) {
    const around = root.getRootNode();
    if (!around.adoptedStyleSheets.includes(this.sheet)) around.adoptedStyleSheets.push(this.sheet);
  }

  get now() {
    return figureOf(this.stage.view).now;
  }

  async tell() {
    const { view, before } = this.stage;
    const shown = {
      lesson: view.lesson,
      beat: view.beat,
      state: view.state,
      named: this.named,
      resting: before === undefined,
    };
    const text = JSON.stringify(shown);
    if (text === this.posted) return;
    this.posted = text;
    this.since = Date.now();
    const [ok, answer] = await post(`${this.base}class/show`, shown).catch(() => [false, {}]);
    this.failed = ok ? "" : (answer.message ?? this.words["lead.failed"]);
    if (!ok) this.posted = "";
    else if (this.posted === text) this.task = answer.task ?? (this.now.bet?.revealed ? this.task : null);
    this.draw();
  }

  // ---------------------------------------------------------------- the keys

  // → names the slips, then shows the column; a number that all were asked for is shown at once.
  ahead(by) {
    const { bet } = this.now;
    if (!bet || bet.revealed || by !== 1) return false;
    if (this.task && !this.named && this.tally.answered) {
      this.close();
      return true;
    }
    if (bet.number) this.stage.commit({ bet: ANSWER, ...(this.task && { step: String(this.task.steps.at(-1)) }) });
    return bet.number;
  }

  // J: how to join, in letters for the last row. C closes the answers, T does it in half a minute. V: all votes.
  key(event) {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    const target = event.composedPath()[0];
    if (!this.stage?.root.isConnected || /^(INPUT|TEXTAREA|SELECT)$/.test(target.nodeName)) return;
    const letter = event.key.toLowerCase();
    if (letter === "j") this.door.hidden = !this.door.hidden;
    else if (letter === "v") open(`${this.base}class/votes`, "crf.votes");
    else if (letter === "c") this.close();
    else if (letter === "t") this.startTime();
  }

  get isOpen() {
    return Boolean(this.now.bet) && !this.now.bet.revealed && !this.named;
  }

  close() {
    if (!this.isOpen) return;
    this.stopTime();
    this.named = true;
    this.tell();
  }

  startTime() {
    if (!this.isOpen || this.clock) return;
    const line = html("div", { class: "class-time" }, this.stage.root);
    line.style.animationDuration = `${VOTING}ms`;
    this.clock = setTimeout(() => this.close(), VOTING);
  }

  stopTime() {
    clearTimeout(this.clock);
    this.clock = undefined;
    this.stage?.root.querySelector(".class-time")?.remove();
  }

  // ---------------------------------------------------------------- what is drawn into the stage

  dress(stage) {
    this.stage = stage;
    stage.ahead = (by) => this.ahead(by);
    const { root } = stage;
    this.wear(root);
    this.foot = html("p", { class: "class-foot", role: "status" }, root);
    this.column = html("div", { class: "class-column", hidden: "" }, root.querySelector(".picture-frame") ?? root);
    this.said = html("p", { class: "class-said" }, root.querySelector(".slot") ?? null);
    this.bars = html("div", { class: "class-bars" }, root.querySelector(".slot") ?? null);
    this.door = html("div", { class: "class-door", hidden: "" }, root);
    html("img", { src: this.qr, alt: "" }, this.door);
    html("p", {}, this.door, this.link);
    html("b", {}, this.door, this.code);
  }

  draw() {
    if (!this.stage) return;
    const { words, tally, stage } = this;
    const { bet } = this.now;
    const { cells, answered = 0, present = 0, options, phase } = tally;
    const asks = Boolean(bet) && !bet.revealed;
    const isOver = phase === OVER && Boolean(bet?.revealed); // the column stays, with what was wrong, until the next step
    const fills = (asks || isOver) && Boolean(this.task) && Boolean(cells);
    stage.root.classList.toggle("class-fills", fills);
    this.column.hidden = !fills;
    if (fills)
      drawColumn(this.column, figureOf(stage.view), { ...tally, kind: this.task.kind, isShown: isOver }, words);
    const said = fills && phase !== OPEN && tally.say ? stage.segments(tally.say) : [];
    const way = this.named ? "on-show" : this.task?.kind === "edge" ? "on-close" : "on-name";
    const next = [fills && !isOver && answered ? words[`lead.${way}`] : "", this.isOpen ? words["lead.keys"] : ""]
      .filter(Boolean)
      .join(" · ");
    const shares = fills && !isOver && this.task.kind === "number" && !said.length ? [words["lead.shares"]] : [];
    const counts = this.isOpen && present ? [filledText(words["lead.answered"], { answered, present }), ". "] : [];
    this.said.replaceChildren(...said, ...counts, ...shares, ...(next ? [html("small", {}, null, next)] : []));
    const join = filledText(words["lead.join"], { code: this.code });
    this.foot.replaceChildren(...[this.failed, join].filter(Boolean).map((text) => html("span", {}, null, text)));
    const at = stage.view.beats?.findIndex(({ name }) => name === stage.view.beat) ?? 0;
    this.foot.classList.toggle("left", at > (stage.view.beats?.length ?? 0) / 2);
    this.drawBars(bet, phase === NAMED || phase === OVER ? options : null, answered);
  }

  // Once answers are closed; which is right is seen when it is shown.
  drawBars(bet, options, answered) {
    const shows = Boolean(bet && options && answered);
    this.stage.root.classList.toggle("class-votes", shows);
    const isShort = shows && bet.options.every(({ label }) => label.length <= SHORT);
    this.bars.classList.toggle("beside", isShort && bet.options.length > 3);
    this.bars.replaceChildren();
    for (const { name, label } of shows ? bet.options : []) {
      const bar = html(
        "div",
        { class: name === bet.right ? "bar right" : "bar", "data-vote": name, "data-count": options[name] },
        this.bars,
      );
      html("b", { dir: "auto" }, bar, `${name === bet.right ? "✓ " : ""}${label}`);
      html("i", {}, bar).style.setProperty("--share", String(options[name] / answered));
      html("span", {}, bar, String(options[name]));
    }
  }
}

const askedAt = (lesson, beat, isOpen) => JSON.stringify([lesson, beat, isOpen]);
const figureOf = (view) => view.picture ?? view[view.kind];

export default {
  render({ model, signal }) {
    /** @type {any} */
    let lead;
    whenData(model, signal, (data) => {
      lead ??= new Lead(data, signal);
    });
  },
};
