// Play: the film pours a cell at a time, after two columns a column at a time, and from beat to beat; it pauses at a bet, a tie,
// a change of mind, and at the end. What has a sentence of its own at each step stands until that can be read.

import { number } from "../../../../crf/figures/trellis/numbers.js";

const [FIRST, CELL, COLUMN] = [200, 700, 1100]; // ms
const [LETTER, LEAST] = [30, 1500]; // ms that a sentence stands, by its letters

export class Player {
  lesson;
  timer;
  columns;
  waits = false; // for the reader's bet, and the bar says so

  constructor(lesson) {
    this.lesson = lesson;
    lesson.signal.addEventListener("abort", () => this.stop());
  }

  toggle() {
    if (this.timer) return this.stop();
    if (this.isAsked) return this.await();
    if (this.lesson.isOver && !this.lesson.isPresented) return;
    this.columns = 0;
    this.wait(FIRST, () => this.go());
    this.write();
  }

  stop() {
    if (!this.timer) return;
    clearTimeout(this.timer);
    this.timer = null;
    this.write();
  }

  get isAsked() {
    const { bet } = this.lesson.now;
    return Boolean(bet && !bet.revealed);
  }

  await() {
    this.stop();
    this.waits = true;
    this.lesson.writePlace();
  }

  // What the button does next.
  write() {
    const { lesson } = this;
    const button = lesson.find(".remote .play");
    button.classList.toggle("runs", Boolean(this.timer));
    button.setAttribute("aria-label", lesson.view.words[this.timer ? "pause" : "play"]);
  }

  wait(time, then) {
    this.timer = setTimeout(then, time);
  }

  go() {
    const { lesson } = this;
    const { now, view } = lesson;
    if (lesson.asks(now)) {
      this.wait(COLUMN, () => this.after(true));
      return lesson.step(1);
    }
    const on = lesson.stop(now.step + 1);
    if (on >= now.of) {
      if (lesson.isOver && !lesson.isPresented) return this.stop();
      this.wait(COLUMN, () => this.after(true));
      return lesson.turn(1);
    }
    const { order = [] } = view.picture;
    const next = order[on];
    if (next?.[0] !== undefined && next[0] !== now.column) this.columns += 1;
    const whole = this.columns > 1;
    const to = whole ? lesson.endOfColumn : on;
    this.wait(whole ? COLUMN : CELL, () => this.after(!lesson.trellis?.cells.length));
    lesson.go(changes(view.picture).find((step) => step > now.step && step < to) ?? to);
  }

  // `reads`: whether the sentence is to be read before the film goes on.
  after(reads) {
    const { now, root } = this.lesson;
    if (this.isAsked) return this.await();
    if (now.was || now.ties?.length) return this.stop();
    if (!reads || now.stops?.includes(now.step) === false) return this.go();
    this.wait(Math.max(root.querySelector(".slot").innerText.length * LETTER, LEAST), () => this.go());
  }
}

// The steps at which the leading prefix changes its mind: the leader of a column does not come from that of the one before.
function changes({ back = [], values, order }) {
  if (!back.length) return [];
  const leaders = values.map((column) =>
    column.map(number).reduce((best, value, tag, all) => (value > all[best] ? tag : best), 0),
  );
  return leaders.flatMap((leader, t) =>
    t && back[t][leader] !== leaders[t - 1] ? [order.findIndex((one) => one[0] === t && one[1] === leader)] : [],
  );
}
