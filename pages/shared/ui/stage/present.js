// Presenting: the stage fills the window in a dialog. → ← Space and a remote's keys go through steps, then beats, or through
// the beats of a lecture; N goes to the next beat, B blanks the screen, S opens the speaker's window, Esc brings the page back.

import { html } from "../../../../crf/figures/shared/dom.js";
import { answered } from "./answers.js";
import { Questions } from "./ask.js";
import { recall, remember } from "./keeping.js";
import { SHOWN, WHAT, tellShown } from "./shown.js";
import { Speaker } from "./speaker.js";

const KEPT = "crf.presenting"; // in sessionStorage: since when, and which beat of the lecture; a reload presents again
const PASSING = 5000; // ms that a note stays
const STEPS = { ArrowRight: 1, PageDown: 1, " ": 1, ArrowLeft: -1, PageUp: -1 };

export class Presenter {
  el; make; plan; own; guest; place; dialog; kept; passing;

  // `make(kind, place, signal)`: another stage, which is shown while a lecture is presented; `plan.lecture`: that lecture.
  constructor(el, signal, make, plan) {
    Object.assign(this, { el, make, plan });
    this.questions = new Questions(({ view }) => this.admit(view), (message) => this.shown.tell(message ?? this.shown.view.words.failed));
    this.speaker = new Speaker(() => this.spoken());
    document.addEventListener("keydown", (event) => this.key(event), { signal });
    document.addEventListener("crf:present", () => this.begin(), { signal });
    document.addEventListener("crf:plan", () => this.plan.toggle(), { signal });
    document.addEventListener(WHAT, () => this.dialog && tellShown(this.shown), { signal });
    el.addEventListener(SHOWN, () => this.dialog && this.speaker.tell());
    signal.addEventListener("abort", () => this.guest?.ends.abort());
  }

  // The page's own stage, in its place.
  take(stage, place) {
    Object.assign(this, { own: stage, place });
    stage.beyond = (by) => this.turn(by);
    this.plan.take(stage, this.el, (at) => this.begin(at));
    const kept = recall("sessionStorage", KEPT);
    if (kept) this.begin(this.plan.lecture.beats[kept.at] ? kept.at : null, kept.since);
  }

  get shown() {
    return this.guest?.stage ?? this.own;
  }

  // ---------------------------------------------------------------- the dialog

  // Present what is on screen, or the lecture from one of its beats.
  begin(at = this.inFile, since = Date.now()) {
    if (this.dialog) return;
    const { words } = this.own.view;
    this.kept = { at, since };
    this.dialog = html("dialog", { class: "presents", "data-presenting": "", "aria-label": words.presenting, tabindex: -1 }, this.el);
    this.dialog.onclose = () => this.end();
    this.el.style.minHeight = `${this.el.offsetHeight}px`; // the page stays where it is
    if (at === null) this.dialog.append(this.place);
    if (at !== null) this.show(at);
    this.dialog.showModal();
    this.dialog.focus();
    this.keep();
    if (at === null) tellShown(this.own);
  }

  // Of a lecture in a file: the beat on screen.
  get inFile() {
    const { data, view } = this.own;
    return data.lecture ? Math.max(data.lecture.beats.findIndex(({ lesson, beat }) => lesson === view.lesson && beat === view.beat), 0) : null;
  }

  end() {
    this.guest?.ends.abort();
    this.guest = null;
    this.place.hidden = false;
    this.el.append(this.place);
    this.dialog.remove();
    this.dialog = null;
    this.el.style.minHeight = "";
    remember("sessionStorage", KEPT, null);
    this.speaker.tell();
  }

  keep() {
    remember("sessionStorage", KEPT, this.kept);
    this.speaker.tell();
  }

  // ---------------------------------------------------------------- a lecture

  // One of its beats, in a stage beside the page's own: the page's state stays as it is.
  show(at) {
    const { lesson, beat, state } = this.plan.lecture.beats[at];
    const { address, language, story } = this.own.data;
    const parts = Object.fromEntries(new URLSearchParams(state));
    this.kept.at = at;
    this.place.hidden = true;
    this.keep();
    if (this.guest?.stage.view.lesson === lesson) this.guest.stage.present(beat, parts);
    else if (story) this.admit(answered(story, { lesson, beat, state: parts, want: "whole" }).view);
    else this.questions.ask(address.replace(/[^/]*\/[^/]*$/, `${lesson}/${beat}`), { state: parts, want: "whole", language });
  }

  admit(view) {
    if (!this.dialog) return;
    this.guest?.ends.abort();
    const ends = new AbortController();
    const place = html("div");
    this.dialog.replaceChildren(place);
    const stage = this.make(view.kind, place, ends.signal);
    stage.beyond = (by) => this.turn(by);
    this.guest = { stage, ends };
    const { data } = this.own;
    stage.load({ ...data, view, host: "lecture", opens: false, address: data.address.replace(/[^/]*\/[^/]*$/, `${view.lesson}/${view.beat}`) });
  }

  // After the last step of a beat, or before its first one: whether the lecture leads on.
  turn(by) {
    if (!this.dialog || this.kept.at === null) return false;
    const to = this.kept.at + by;
    if (this.plan.lecture.beats[to]) this.show(to);
    return true;
  }

  // ---------------------------------------------------------------- keys

  key(event) {
    const target = event.composedPath()[0];
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || !this.own) return;
    if (/^(INPUT|TEXTAREA|SELECT)$/.test(target.nodeName) || target.isContentEditable) return;
    const letter = event.key.toLowerCase();
    if (this.dialog && this.blanked && (event.key in STEPS || letter === "b" || letter === ".")) this.blank(false);
    else if (letter === "a") this.note(this.plan.add(this.shown.view));
    else if (letter === "l" && !this.dialog) this.plan.toggle();
    else if (letter === "p" && this.dialog) this.dialog.close();
    else if (letter === "p") this.begin();
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

  blank(on) {
    this.dialog.toggleAttribute("data-blank", on);
  }

  // ---------------------------------------------------------------- what the speaker's window shows

  spoken() {
    const { view, root } = this.shown;
    const { words, beats = [], beat, lesson } = view;
    const lecture = this.kept && this.kept.at !== null ? this.plan.lecture : null;
    const told = { words, note: "", since: null, planned: null, next: "", beat: this.plan.label(lesson, beat), question: view.heading ?? "", said: "", beats: [] };
    if (!this.dialog) return told;
    const at = lecture ? this.kept.at : beats.findIndex(({ name }) => name === beat);
    const all = lecture?.beats ?? beats.map(({ name }) => ({ lesson, beat: name }));
    const labels = all.map((one) => this.plan.label(one.lesson, one.beat));
    const said = [".say", ".ask", ".answer", ".equation"].map((part) => root.querySelector(part)).filter((part) => part?.checkVisibility() && part.textContent);
    const minutes = (beats) => beats.reduce((sum, one) => sum + one.minutes, 0);
    return {
      ...told, since: this.kept.since, said: said.map((part) => part.textContent).join("\n"),
      next: this.shown.next ?? labels[at + 1] ?? "",
      beats: labels.map((label, i) => ({ label, minutes: all[i].minutes ?? null, current: i === at })),
      ...(lecture && { note: lecture.beats[at].note, planned: { until: minutes(lecture.beats.slice(0, at + 1)), all: minutes(lecture.beats) } }),
    };
  }
}
