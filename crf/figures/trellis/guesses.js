// What the reader has yet to find out: predict, then see. A step is open once its numbers may be seen.

import { filledText } from "../shared/dom.js";

export class Guesses {
  opened; made;

  constructor(root) {
    this.find = (selector) => root.querySelector(selector);
    this.on = null;
  }

  load(data, kept) {
    this.data = data;
    this.covered = data.view.hide.includes("answers"); // every step is shown on demand only
    if (this.wanted !== data.view.predict) this.on = data.view.predict ?? false;
    this.wanted = data.view.predict;
    if (!kept) Object.assign(this, { opened: new Set(), made: new Map(), reached: 0 });
    this.stepOf = new Map(data.steps.flatMap((step, i) => (step.kind === "cell" ? [[`${step.column},${step.row}`, i]] : [])));
    this.find(".toggle").hidden = data.view.predict === null;
    this.find(".toggle").setAttribute("aria-pressed", this.on);
    this.find(".guess").hidden = !(this.on || this.covered);
  }

  isOpen(index) {
    if (this.opened.has(index)) return true;
    if (this.covered) return false;
    return !(this.on && index >= this.reached && this.data.steps[index].right?.length);
  }

  asks(index) {
    return this.on && !this.isOpen(index) && this.data.steps[index].right?.length > 0;
  }

  // A number read; that of a cell which is still covered stays so.
  text(index) {
    const { role, label, at } = this.data.reads[index];
    return role === "previous" && this.covered && !this.isOpen(this.stepOf.get(at.join())) ? "?" : label;
  }

  turn(index) {
    this.on = !this.on;
    this.reached = index;
    this.find(".toggle").setAttribute("aria-pressed", this.on);
    this.find(".guess").hidden = !(this.on || this.covered);
  }

  reach(index) {
    this.reached = Math.max(this.reached, index);
  }

  open(index) {
    this.opened.add(index);
  }

  make(index, row) {
    this.made.set(index, row);
    this.open(index);
  }

  isRight(index) {
    return this.data.steps[index].right.includes(this.made.get(index));
  }

  upcoming(index) {
    const next = this.data.steps.findIndex((_, i) => i > index && this.asks(i));
    return next < 0 ? this.data.words.no_question : filledText(this.data.words.next_question, { n: next + 1 });
  }

  // The line below the sentence: what to do, or how the guess was.
  write(index) {
    const { words } = this.data;
    const made = this.made.has(index);
    this.find(".hint").textContent = this.asks(index) ? filledText(words.choose, { n: Math.min(this.data.tags.length, 9) }) : this.upcoming(index);
    this.find(".hint").classList.toggle("away", made || !this.on);
    this.find(".show").classList.toggle("away", this.isOpen(index));
    const right = made && this.isRight(index);
    const verdict = !made ? "" : right ? words.right : filledText(words.wrong, { tag: this.data.tags[this.made.get(index)] });
    this.find(".verdict").textContent = verdict;
    this.find(".verdict").classList.toggle("right", right);
    const all = [...this.made.keys()];
    this.find(".tally").textContent = all.length ? filledText(words.tally, { n: all.filter((i) => this.isRight(i)).length, all: all.length }) : "";
  }
}
