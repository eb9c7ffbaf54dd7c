// The way to the next lesson, where this one ends; and back to the questions of the last one, for who comes from there.

import { filledText } from "../../../../crf/figures/shared/dom.js";
import { cameFrom, wasAsked } from "./progress.js";

export class Ways {
  lesson;

  constructor(lesson) {
    this.lesson = lesson;
  }

  write() {
    this.writeThread();
    const { view, data, find, isOver, isPresented } = this.lesson;
    const { around, beat, lesson, words } = view;
    const here = data.host === "reader" ? around : {};
    for (const [name, shown, label] of [
      ["last", here.last && wasAsked(lesson, beat), `← ${here.last?.title}`],
      ["before", false, ""],
      ["after", here.after && isOver, filledText(words["next-lesson"], here.after ?? {})],
    ]) {
      const link = find(`.to-${name}`);
      link.hidden = !shown;
      link.textContent = label;
      link.href = here[name]?.href ?? "";
      link.dataset.keeps = here[name]?.keeps ?? "";
    }
    const ends = data.host === "reader" && isOver && !isPresented;
    find(".remote .play").setAttribute("aria-disabled", String(ends));
    find(".remote .on").setAttribute("aria-disabled", String(ends && !here.after));
  }

  // What the lesson before has left open, for who comes from there.
  writeThread() {
    const { view, data, find } = this.lesson;
    const { lesson, thread, around } = view;
    const from = data.host === "reader" && cameFrom(lesson);
    find(".thread").textContent = thread && around.before && from === around.before.lesson ? thread : "";
  }

  follow(by) {
    const { view, data, find } = this.lesson;
    const way = by > 0 ? "after" : "before";
    if (data.host === "reader" && view.around[way]) find(`.to-${way}`).click();
  }
}
