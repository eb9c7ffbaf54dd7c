// How the trellis is reached: Tab comes to one of its cells, the arrow keys go on to the others and to the scores. A row goes
// from START's score over cells and scores to END's and the total; above the rows is the sentence, if it is there, and below
// them the stairs.

import { Roving, isSeen } from "../shared/roving.js";

export class Reach {
  figure;
  roving;
  r = 0; // the row that was reached last: the total is in all of them

  constructor(figure) {
    this.figure = figure;
    this.roving = new Roving(figure.root, {
      next: (part, key) => this.next(part, key),
      press: (part) => (part.matches("button") ? part.click() : figure.press({ target: part })),
      yields: true,
    });
    figure.svg.addEventListener("keydown", (event) => this.leave(event));
  }

  // After a step Tab comes to its cell: the chosen one, else the current one.
  settle() {
    const { drawing } = this.figure;
    const { now } = drawing;
    const t = Math.min(Math.max(now.column ?? 0, 0), drawing.columns.length - 1);
    const column = drawing.shownCells[t].map(({ group }) => group);
    const marked = now.cell && !now.meet ? ".now" : ".lit, .fixed, .now";
    this.roving.settle(column.find((cell) => cell.matches(marked)) ?? column[0]);
  }

  // Escape leads from a score to the cell beside it; while presenting it ends that.
  leave(event) {
    if (event.key !== "Escape" || !event.target.matches("[data-score]")) return;
    if (event.composedPath().some((node) => node.localName === "dialog")) return;
    const row = this.rows().find((parts) => parts.includes(event.target)) ?? [];
    const i = row.indexOf(event.target);
    const cell = [...row.slice(0, i + 1).reverse(), ...row.slice(i)].find((part) => part.matches(".cell"));
    (cell ?? this.figure.drawing.shownCells[0][0].group).focus({ preventScroll: true });
    event.preventDefault();
    event.stopPropagation();
  }

  next(part, key) {
    const rows = this.rows();
    if (!rows[this.r]?.includes(part))
      this.r = Math.max(
        rows.findIndex((row) => row.includes(part)),
        0,
      );
    const row = rows[this.r];
    const i = row.indexOf(part);
    const by = { ArrowUp: -1, ArrowDown: 1 }[key];
    const to = by
      ? this.beside(part, rows[this.r + by] ?? [])
      : { ArrowLeft: row[i - 1], ArrowRight: row[i + 1], Home: row[0], End: row.at(-1) }[key];
    if (to && by) this.r += by;
    this.show(to, rows[this.r]);
    return to;
  }

  // In another row: the cell of the same word, else what is nearest.
  beside(part, row) {
    const { token } = part.dataset;
    const same = token && row.find((other) => other.dataset.token === token);
    const middle = (other) => other.getBoundingClientRect().left + other.getBoundingClientRect().width / 2;
    const away = (other) => Math.abs(middle(other) - middle(part));
    return same || [...row].sort((a, b) => away(a) - away(b))[0];
  }

  // Columns come into view where there is no room for all.
  show(part, row) {
    const { drawing } = this.figure;
    if (!part || (!drawing.at.windowed && !drawing.at.phone)) return;
    const before = row.slice(0, row.indexOf(part) + 1).findLast((one) => one.matches(".cell"));
    drawing.looked = part === row.at(-1) ? drawing.at.columns : Number(before?.dataset.token ?? 0);
    drawing.draw(drawing.now);
  }

  rows() {
    const { drawing, sentence } = this.figure;
    const { now, shownCells } = drawing;
    const gap = now.cell ? now.cell[0] - (drawing.mode === "both" ? 0 : 1) : -1; // the word after which the step's edges are
    const path = drawing.onPath.map((_, i) => drawing.row(drawing.trellis.best[i] ?? -1));
    const rows = drawing.rows.map((_, r) => [
      drawing.ends.start[r],
      ...shownCells.flatMap((column, t) => [
        column[r],
        drawing.emissions[t][r],
        ...(t === gap ? leftToRight([drawing.pills[r], drawing.seconds[r]]) : []),
        ...(path[t] === r ? [drawing.onPath[t]] : []),
      ]),
      drawing.ends.end[r],
      { group: drawing.total },
    ]);
    const parts = rows.map((row) => this.reachable(row.map((one) => one.group)));
    const stairs = this.reachable(drawing.stairs?.bars.map(({ label }) => label.group) ?? []);
    return [sentence.hidden ? [] : [...sentence.children], ...parts, stairs].filter((row) => row.length);
  }

  // Cells, and the scores that are seen and can be changed.
  reachable(groups) {
    const edits = this.figure.editor.live;
    return groups.filter((group) => !group.matches(".score") || (edits && group.dataset.score && isSeen(group)));
  }
}

function leftToRight(scores) {
  return scores.sort((a, b) => Number(a.text.getAttribute("x")) - Number(b.text.getAttribute("x")));
}
