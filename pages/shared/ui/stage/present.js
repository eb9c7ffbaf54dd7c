// Presenting: the stage fills the window in a dialog. → ← Space and a remote's keys go through steps, then beats, or through
// the beats of a lecture; N goes to the next beat, B blanks the screen, S opens the speaker's window, Esc brings the page back,
// and P leads to the lecture again.

import { html } from "../../../../crf/figures/shared/dom.js";
import { answered } from "./answers.js";
import { Questions } from "./ask.js";
import { lettersAct, recall, remember } from "./keeping.js";
import { notationOf } from "./notation.js";
import { SHOWN, WHAT, tellShown } from "./shown.js";
import { Speaker } from "./speaker.js";

// In sessionStorage: since when, which beat of the lecture, how its beats were left; a reload presents again, P what
// was left.
const KEPT = "crf.presenting";
const PASSING = 5000; // ms that a note stays
const STEPS = { ArrowRight: 1, PageDown: 1, " ": 1, ArrowLeft: -1, PageUp: -1 };

// Where a class has its desk, for the lecturer alone; "" without a class.
const desk = () => document.documentElement.dataset.classDesk ?? "";

export class Presenter {
  el;
  make;
  plan;
  own;
  guest;
  place;
  dialog;
  focused;
  kept;
  passing;
  covered; // by the black screen: what had the focus; where what is said stands, and what it was
  strays = false; // whether the reader has opened a beat that the lecture lacks
  given = {}; // the notation in which the beat on screen was opened
  gone; // the view that was on screen when another beat was asked for
  left = {}; // of the lecture's beats: the state in which each was left, and what can be undone there

  // `make(kind, place, signal)`: another stage, which is shown while a lecture is presented; `plan.lecture`: that lecture.
  constructor(el, signal, make, plan) {
    Object.assign(this, { el, make, plan });
    this.questions = new Questions(
      ({ view }) => this.admit(view),
      (message) => this.shown.tell(message ?? this.shown.view.words.failed),
    );
    this.speaker = new Speaker(() => this.spoken());
    document.addEventListener("keydown", (event) => this.key(event), { signal });
    document.addEventListener("crf:present", () => this.present(), { signal });
    document.addEventListener("crf:plan", () => this.plan.toggle(), { signal });
    document.addEventListener(WHAT, () => this.shown?.view && tellShown(this.shown), { signal });
    el.addEventListener(SHOWN, () => this.dialog && this.see());
    addEventListener(
      "pagehide",
      () => {
        this.leave();
        if (this.dialog) this.keep();
      },
      { signal },
    );
    signal.addEventListener("abort", () => this.guest?.ends.abort());
  }

  // The page's own stage, in its place.
  take(stage, place) {
    this.change(stage, place);
    this.plan.take(stage, this.el, (at) => {
      this.left = {};
      this.begin(at);
    });
    this.kept = recall("sessionStorage", KEPT);
    this.left = this.kept?.states ?? {};
    if (this.kept && !this.kept.left)
      this.begin(this.plan.lecture.beats[this.kept.at] ? this.kept.at : null, this.kept.since);
  }

  // Another lesson's stage has come into its place.
  change(stage, place) {
    Object.assign(this, { own: stage, place });
    stage.beyond = (by) => this.turn(by);
    this.plan.page = stage;
  }

  // Its data have come.
  loaded() {
    if (this.plan.panel) this.plan.follow();
  }

  get shown() {
    return this.guest?.stage ?? this.own;
  }

  // ---------------------------------------------------------------- the dialog

  // Present the lecture from where it was left, as long as the plan has that beat there; from its first beat where its list
  // is open; else what is on screen.
  present() {
    if (this.plan.isOpen && this.plan.lecture.beats.length) return this.plan.start(0);
    const { at, since, left } = this.kept ?? {};
    if (left && left === this.name(at)) this.begin(at, since);
    else this.begin();
  }

  // Present what is on screen, or the lecture from one of its beats.
  begin(at = this.inFile, since = Date.now()) {
    if (this.dialog) return;
    const { words } = this.own.view;
    this.kept = { at, since, switched: this.kept?.switched ?? {} };
    this.focused = /** @type {any} */ (this.el.getRootNode()).activeElement;
    this.strays = false;
    this.dialog = html(
      "dialog",
      { class: "presents", "data-presenting": "", "aria-label": words.presenting, tabindex: -1 },
      this.el,
    );
    this.dialog.onclose = () => this.end();
    this.el.style.minHeight = `${this.el.offsetHeight}px`; // the page stays where it is
    if (at === null) this.dialog.append(this.place);
    if (at !== null) this.show(at);
    this.dialog.showModal();
    this.dialog.focus();
    if (at === null) tellShown(this.own);
  }

  // Of a lecture in a file: the beat on screen.
  get inFile() {
    const { data, view } = this.own;
    return data.lecture
      ? Math.max(
          data.lecture.beats.findIndex(({ lesson, beat }) => lesson === view.lesson && beat === view.beat),
          0,
        )
      : null;
  }

  end() {
    if (this.blanked) this.blank(false);
    const { at } = this.kept;
    this.leave();
    this.kept = at === null ? null : { ...this.kept, left: this.name(at) };
    this.guest?.ends.abort();
    this.guest = null;
    this.place.hidden = false;
    this.el.append(this.place);
    this.dialog.remove();
    this.dialog = null;
    this.el.style.minHeight = "";
    this.focused?.focus({ preventScroll: true });
    this.keep();
    this.speaker.tell();
  }

  // ---------------------------------------------------------------- a lecture

  // A beat of it by its place and what it is, for changes of the plan; undefined if there is none.
  name(at) {
    const one = this.plan.lecture.beats[at];
    return one && JSON.stringify([at, one.lesson, one.beat, one.state]);
  }

  // Whether a view is of the beat at the lecture's place.
  isHere(view, one = this.plan.lecture.beats[this.kept.at]) {
    return one?.lesson === view.lesson && one.beat === view.beat;
  }

  // Whether a beat that the lecture lacks is on screen.
  get aside() {
    return this.strays && !this.isHere(this.shown.view);
  }

  // One of its beats, in a stage beside the page's own, as it was left: the page's state stays as it is.
  show(at) {
    const { lesson, beat, state } = this.plan.lecture.beats[at];
    const { address, language, story } = this.own.data;
    this.leave();
    this.strays = false;
    this.kept.at = at;
    this.place.hidden = true;
    const { parts: kept, undone } = this.left[this.name(at)] ?? {
      parts: Object.fromEntries(new URLSearchParams(state)),
      undone: [],
    };
    const parts = { ...notationOf(this.own.state), ...kept, ...this.kept.switched };
    this.given = notationOf(parts);
    if (this.guest?.stage.view.lesson === lesson) this.guest.stage.present(beat, parts, undone);
    else if (story) this.admit(answered(story, { lesson, beat, state: parts, want: "whole" }).view);
    else
      this.questions.ask(address.replace(/[^/]*\/[^/]*$/, `${lesson}/${beat}`), {
        state: parts,
        want: "whole",
        language,
      });
  }

  // Another beat is about to be asked for, perhaps while one is still on its way: the one on screen keeps its state.
  leave() {
    if (!this.guest) return;
    const { view, state, undone } = this.guest.stage;
    for (const [part, value] of Object.entries(notationOf(state)))
      if (value !== this.given[part]) this.kept.switched[part] = value; // for all beats that follow
    if (view !== this.gone && this.isHere(view)) this.left[this.name(this.kept.at)] = { parts: state, undone };
    this.gone = view;
  }

  admit(view) {
    if (!this.dialog || this.strays || !this.isHere(view)) return; // a later press has led elsewhere
    this.guest?.ends.abort();
    const ends = new AbortController();
    const place = html("div");
    this.dialog.replaceChildren(place);
    this.dialog.focus(); // the stage before may have had it
    const stage = this.make(view.kind, place, ends.signal);
    stage.undone = this.left[this.name(this.kept.at)]?.undone ?? [];
    stage.beyond = (by) => this.turn(by);
    stage.leads = (beat) => this.lead({ lesson: view.lesson, beat });
    stage.opens = () => {
      this.leave();
      this.strays = true;
    };
    this.guest = { stage, ends };
    const { data } = this.own;
    stage.load({
      ...data,
      view,
      host: "lecture",
      opens: false,
      address: data.address.replace(/[^/]*\/[^/]*$/, `${view.lesson}/${view.beat}`),
    });
  }

  // To a beat that the reader opens, the lecture goes along: to the next place where it has this beat, else to the last one
  // before. Whether it has it.
  lead(view) {
    const places = this.plan.lecture.beats.flatMap((one, at) => (this.isHere(view, one) ? [at] : []));
    const to = places.find((at) => at >= this.kept.at) ?? places.at(-1);
    if (to !== undefined) this.show(to);
    return to !== undefined;
  }

  // Something new is on screen.
  see() {
    this.keep();
    this.speaker.tell();
  }

  // For a page that is loaded again.
  keep() {
    remember("sessionStorage", KEPT, this.kept && { ...this.kept, states: this.left });
  }

  // After the last step of a beat, or before its first one: whether the lecture leads on. From a beat aside it leads
  // back to its place.
  turn(by) {
    if (!this.dialog || this.kept.at === null) return false;
    const { beats } = this.plan.lecture;
    const to = this.kept.at + by;
    if (this.aside && (by < 0 || !beats[to])) this.show(this.kept.at);
    else if (beats[to]) this.show(to);
    else if (by > 0) this.finish();
    return true;
  }

  // After the last beat.
  finish() {
    this.shown.player?.stop();
    this.note(this.own.view.words[desk() ? "class-ends" : "lecture-ends"]);
  }

  // ---------------------------------------------------------------- keys

  key(event) {
    const target = event.composedPath()[0];
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || !this.own) return;
    if (/^(INPUT|TEXTAREA|SELECT)$/.test(target.nodeName) || target.isContentEditable) return;
    const letter = event.key.toLowerCase();
    if (!this.dialog && letter.length === 1 && !lettersAct()) return;
    if (this.dialog && this.blanked && (event.key in STEPS || letter === "b" || letter === ".")) this.blank(false);
    else if (letter === "a") this.add();
    else if (letter === "l" && !this.dialog) this.plan.toggle();
    else if (letter === "p" && this.dialog) this.dialog.close();
    else if (letter === "p") this.present();
    else if (letter === "s") this.speak();
    else if (!this.dialog) return;
    else if (letter === "b" || letter === ".") this.blank(true);
    else if (letter === "n" && !this.shown.step) this.turn(event.shiftKey ? -1 : 1);
    else if (event.key === " " || (event.key in STEPS && !this.shown.step)) this.step(STEPS[event.key]);
    else return;
    event.preventDefault();
  }

  step(by) {
    if (this.shown.step) this.shown.step(by);
    else this.turn(by);
  }

  // The speaker's window; a file has no page for it.
  speak() {
    const { data, view } = this.own;
    if (!this.dialog) this.note(view.words["present-first"]);
    else if (data.address) this.speaker.open(data.address);
    else this.note(view.words["not-in-file"]);
  }

  // The beat on screen goes to the end of the list; while the lecture is presented, one that it lacks goes to its place there.
  add() {
    const at = this.dialog && this.aside ? this.kept.at + 1 : undefined;
    this.note(this.plan.add(this.shown.view, at));
    if (at === undefined) return;
    this.kept.at = at;
    this.strays = false;
    this.see();
  }

  // A message that goes by itself.
  note(message = "") {
    const { shown } = this;
    shown.tell(message);
    clearTimeout(this.passing);
    this.passing = setTimeout(() => shown.find(".message").textContent === message && shown.tell(""), PASSING);
  }

  get blanked() {
    return this.dialog.hasAttribute("data-blank");
  }

  // What is covered takes no focus, and nothing of it is read but that it is covered.
  blank(on) {
    if (on) {
      const spoken = this.shown.find(".spoken");
      this.covered = { focused: this.dialog.getRootNode().activeElement, spoken, said: spoken.textContent };
    }
    const { focused, spoken, said } = this.covered;
    this.dialog.toggleAttribute("data-blank", on);
    (on ? this.dialog : focused)?.focus({ preventScroll: true });
    spoken.textContent = on ? this.shown.view.words.blanked : said;
    this.speaker.tell();
  }

  // ---------------------------------------------------------------- what the speaker's window shows

  spoken() {
    const { view, root } = this.shown;
    const { words, beats = [], beat, lesson } = view;
    const lecture = this.kept && this.kept.at !== null ? this.plan.lecture : null;
    const label = (one) => this.plan.label(one.lesson, one.beat);
    const told = {
      words,
      note: "",
      since: null,
      planned: null,
      next: "",
      beat: label(view),
      question: view.heading ?? "",
      said: "",
      beats: [],
      desk: desk(),
    };
    if (!this.dialog) return told;
    const at = lecture ? this.kept.at : beats.findIndex(({ name }) => name === beat);
    const all = lecture?.beats ?? beats.map(({ name }) => ({ lesson, beat: name }));
    const labels = all.map(label);
    const said = [".say", ".ask", ".answer", ".symbols", ".equation"]
      .map((part) => root.querySelector(part))
      .filter((part) => part?.checkVisibility() && part.textContent);
    const minutes = (beats) => beats.reduce((sum, one) => sum + one.minutes, 0);
    return {
      ...told,
      since: this.kept.since,
      said: this.blanked ? words.blanked : said.map((part) => part.textContent).join("\n"),
      next: this.shown.next ?? labels[at + 1] ?? "",
      beats: labels.map((label, i) => ({ label, minutes: all[i].minutes ?? null, current: i === at })),
      ...(lecture && {
        note: this.aside ? words["not-in-lecture"] : lecture.beats[at].note,
        planned: { until: minutes(lecture.beats.slice(0, at + 1)), all: minutes(lecture.beats) },
      }),
    };
  }
}
