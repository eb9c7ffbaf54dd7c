// Play: a cell at a time, after two columns a column at a time; it pauses at a bet, a tie, a change of mind, and at the end.

import { number } from "../../../../crf/figures/trellis/stage/numbers.js";

const [FIRST, CELL, COLUMN] = [200, 700, 1100]; // ms

export class Player {
  lesson;
  timer;
  columns;

  constructor(lesson) {
    this.lesson = lesson;
    lesson.signal.addEventListener("abort", () => this.stop());
  }

  toggle() {
    if (this.timer) return this.stop();
    this.columns = 0;
    this.timer = setTimeout(() => this.go(), FIRST);
  }

  stop() {
    clearTimeout(this.timer);
    this.timer = null;
  }

  go() {
    const { lesson } = this;
    const { now } = lesson;
    if (now.step >= now.of - 1) return this.stop();
    const { order = [] } = lesson.view.picture;
    const on = lesson.stop(now.step + 1);
    const next = order[on];
    if (next?.[0] !== undefined && next[0] !== now.column) this.columns += 1;
    const whole = this.columns > 1;
    const to = whole ? lesson.endOfColumn : on;
    lesson.go(changes(lesson.view.picture).find((step) => step > now.step && step < to) ?? to);
    this.timer = setTimeout(() => this.after(), whole ? COLUMN : CELL);
  }

  after() {
    const { now } = this.lesson;
    if (now.was || now.ties?.length || (now.bet && !now.bet.revealed)) this.stop();
    else this.go();
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
