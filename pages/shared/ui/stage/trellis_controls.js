// What a lesson has besides where its picture is the trellis: scores that are edited, tags that are fixed, rows to unfold, the
// column that one keeps looking at. The lesson asks it where it reads its keys and draws a view.

import { filledText } from "../../../../crf/figures/shared/dom.js";
import { addressed, edited } from "./edits.js";

export class TrellisControls {
  lesson;
  column; // the one on which another mode is to open
  looked; // the one on screen
  raw; // its step, as it is where all tags have a row
  few; // how many rows are drawn where there are many tags
  ghost = null; // the best path before the last edit
  shares = null; // the marginals before a tag was last fixed or let go
  filled = new Set(); // steps of the column that the reader fills: those that have been answered

  constructor(lesson) {
    this.lesson = lesson;
    for (const [i, button] of [...lesson.find(".rows").children].entries()) {
      button.onclick = () => {
        lesson.figure.unfold(i === 1);
        this.writeRows();
        if (this.raw) lesson.showNow(this.raw);
      };
    }
  }

  // What the picture may do besides what every lesson's may.
  get actions() {
    const { lesson } = this;
    return {
      edit: (key, value, resting) => this.edit(key, value, resting),
      choose: (token, tag) =>
        lesson.change({ path: lesson.now.path.map((one, t) => (t === token ? tag : one)).join("~") }, true),
      fix: (token, tag) => this.fix(token, tag),
    };
  }

  // ---------------------------------------------------------------- what is drawn

  // After a view.
  shown() {
    this.writeRows();
    if (this.column !== undefined) this.keepColumn();
  }

  // A step of a tag without a row is that of all these tags together.
  folded(now) {
    this.raw = now;
    return now.folded && !this.lesson.figure.all ? { ...now, ...now.folded } : now;
  }

  // The first step from one on that has a row; `by`: which way. Each row has one, also that of the other tags.
  stop(step, by = 1) {
    const { rows, other } = this.lesson.view.picture;
    if (!other || this.lesson.figure.all) return step;
    const hasRow = ([, tag]) => rows.includes(tag) || tag === other.last;
    const { cells } = this;
    let to = step;
    while (cells[to] && !hasRow(cells[to])) to += by;
    return to;
  }

  // The cells that the steps go through; none where they are stills, words or forms.
  get cells() {
    const { order = [], now, regroup, forms } = this.lesson.view.picture;
    return now.meet || regroup || forms ? [] : order;
  }

  // Before a step: it gets the path that another one is compared with, and of a column that is filled, what has been answered.
  completed(now) {
    if (!now.bet?.number) this.filled.clear();
    else if (now.bet.revealed) this.filled.add(now.step);
    now.filled = this.lesson.asks(now) && now.bet.number ? this.filled : null;
    const { picture, beat } = this.lesson.view;
    if (now.column !== null) this.looked = Math.min(Math.max(now.column, 0), picture.tokens.length - 1);
    const greedy = beat === "bet" && this.lesson.asks(now) && now.bet.revealed;
    now.ghost = greedy
      ? picture.greedy
      : String(this.ghost) !== String((now.picture ?? picture).best)
        ? this.ghost
        : null;
    now.shares = now.meet && this.shares;
  }

  // If there are many tags: show the probable ones, or all.
  writeRows() {
    const { view, figure, find } = this.lesson;
    const { picture: trellis, words } = view;
    const group = find(".rows");
    const [few, all] = /** @type {any} */ (group.children);
    if (!figure.all) this.few = trellis.rows.length;
    group.hidden =
      this.few === trellis.tags.length ||
      Boolean(trellis.regroup ?? trellis.count ?? trellis.learn ?? trellis.questions);
    [few.textContent, all.textContent] = [
      filledText(words.rows, { n: this.few }),
      filledText(words["all-rows"], { n: trellis.tags.length }),
    ];
    for (const [i, button] of [few, all].entries())
      button.setAttribute("aria-pressed", String(Boolean(figure.all) === (i === 1)));
  }

  // The marginals as a heat map.
  heat() {
    const { view, figure, now } = this.lesson;
    view.heat = !view.heat;
    figure.showNow(now, false);
  }

  // ---------------------------------------------------------------- what the reader changes

  edit(key, value, resting) {
    const { view, before } = this.lesson;
    if (!before) this.keepBest();
    const names = view.picture.tags.map(({ name }) => name);
    this.lesson.change({ edit: edited(before?.edit ?? view.state.edit ?? "", addressed(key, names), value) }, resting);
  }

  fix(token, tag) {
    this.shares = this.lesson.now.marginals;
    const { tokens } = this.lesson.view.picture;
    const fixed = tokens.map((one, t) => (t !== token ? one.fixed : one.fixed === tag ? null : tag));
    this.lesson.change({ fix: fixed.flatMap((one, t) => (one === null ? [] : [`${t}.${one}`])).join("~") }, true);
  }

  // The best path is shown beside the next one.
  keepBest() {
    this.ghost = this.lesson.view.picture.best;
    this.shares = null;
  }

  // Other scores have nothing to be compared with.
  forget() {
    this.ghost = this.shares = null;
    this.filled.clear();
  }

  // Whether a step is a cell that the reader may still fill: who clicks it is asked there.
  fills(step) {
    const { now, view } = this.lesson;
    return Boolean(now.filled) && !now.filled.has(step) && view.picture.order[step]?.[0] === now.column;
  }

  // ---------------------------------------------------------------- columns

  // The column that was current in another mode.
  keepColumn() {
    const { figure, view, now } = this.lesson;
    const step = figure.lastOf(this.column);
    this.column = undefined;
    if (view.mode !== "path" && step >= 0 && now.column !== view.picture.order[step][0]) this.lesson.go(step);
  }

  // The next step, or the one before, at which a column is complete. Stills, words and the way back go one by one.
  complete(by) {
    const columns = this.cells.map(([t]) => t);
    let to = this.lesson.at + by;
    while (columns[to] !== undefined && columns[to] === columns[to + 1]) to += by;
    return to;
  }
}
