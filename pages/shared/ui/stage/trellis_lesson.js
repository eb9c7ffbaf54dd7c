// The lesson with the trellis: scores that are edited, tags that are fixed, the column that one keeps looking at.

import { filledText } from "../../../../crf/figures/shared/dom.js";
import { addressed, edited } from "./edits.js";
import { Lesson } from "./lesson.js";

export class TrellisLesson extends Lesson {
  column;
  looked;
  few;
  ghost = null;

  constructor(el, model, signal, pictures) {
    super(el, model, signal, pictures);
    for (const [i, button] of [...this.find(".rows").children].entries()) {
      button.onclick = () => {
        this.figure.unfold(i === 1);
        this.writeRows();
      };
    }
  }

  show(view) {
    super.show(view);
    this.writeRows();
    if (this.column !== undefined) this.keepColumn();
  }

  showNow(now) {
    const { picture, beat } = this.view;
    if (now.column !== null) this.looked = Math.min(Math.max(now.column, 0), picture.tokens.length - 1);
    const greedy = beat === "bet" && this.asks(now) && now.bet.revealed;
    now.ghost = greedy
      ? picture.greedy
      : String(this.ghost) !== String((now.picture ?? picture).best)
        ? this.ghost
        : null;
    super.showNow(now);
  }

  // If there are many tags: show the probable ones, or all.
  writeRows() {
    const { picture: trellis, words } = this.view;
    const group = this.find(".rows");
    const [few, all] = /** @type {any} */ (group.children);
    if (!this.figure.all) this.few = trellis.rows.length;
    group.hidden =
      this.few === trellis.tags.length ||
      Boolean(trellis.regroup ?? trellis.count ?? trellis.learn ?? trellis.questions);
    [few.textContent, all.textContent] = [
      filledText(words.rows, { n: this.few }),
      filledText(words["all-rows"], { n: trellis.tags.length }),
    ];
    for (const [i, button] of [few, all].entries())
      button.setAttribute("aria-pressed", String(Boolean(this.figure.all) === (i === 1)));
  }

  actions() {
    return {
      ...super.actions(),
      edit: (key, value, resting) => this.edit(key, value, resting),
      choose: (token, tag) =>
        this.change({ path: this.now.path.map((one, t) => (t === token ? tag : one)).join("~") }, true),
      fix: (token, tag) => this.fix(token, tag),
    };
  }

  edit(key, value, resting) {
    const { picture } = this.view;
    if (!this.before) this.ghost = picture.best;
    const names = picture.tags.map(({ name }) => name);
    this.change(
      { edit: edited(this.before?.edit ?? this.view.state.edit ?? "", addressed(key, names), value) },
      resting,
    );
  }

  undo() {
    this.ghost = this.view.picture.best;
    super.undo();
  }

  fix(token, tag) {
    const fixed = this.view.picture.tokens.map((one, t) => (t !== token ? one.fixed : one.fixed === tag ? null : tag));
    this.change({ fix: fixed.flatMap((one, t) => (one === null ? [] : [`${t}.${one}`])).join("~") }, true);
  }

  choose(changes) {
    this.ghost = null;
    super.choose(changes);
  }

  // Another mode looks at the same column.
  openBeat(beat, column = undefined) {
    this.column = column;
    super.openBeat(beat);
  }

  openMode(beat) {
    this.openBeat(beat, this.looked);
  }

  present(beat, parts, undone) {
    Object.assign(this, { column: undefined, ghost: null });
    super.present(beat, parts, undone);
  }

  // The column that was current in another mode.
  keepColumn() {
    const step = this.figure.lastOf(this.column);
    this.column = undefined;
    if (this.view.mode !== "path" && step >= 0 && this.now.column !== this.view.picture.order[step][0]) this.go(step);
  }

  // The last step of this column; of the next one, if this is complete.
  get endOfColumn() {
    return this.complete(1);
  }

  // The next step, or the one before, at which a column is complete. Stills, words and the way back go one by one.
  complete(by) {
    const { order, now, regroup } = this.view.picture;
    const columns = now.meet || regroup ? [] : order.map(([t]) => t);
    let to = this.at + by;
    while (columns[to] !== undefined && columns[to] === columns[to + 1]) to += by;
    return to;
  }

  // A remote has no Shift: its keys lead from column to column.
  page(by) {
    const to = this.complete(by);
    const { first } = this.now;
    this.step(by, this.at > first ? Math.max(to, first) : to);
  }

  letters() {
    return { h: () => this.heat(), H: () => this.heat() };
  }

  // The marginals as a heat map.
  heat() {
    this.view.heat = !this.view.heat;
    this.figure.showNow(this.now, false);
  }
}
