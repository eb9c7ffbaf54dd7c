// How a flow's blocks are reached: Tab comes to one of them, the arrow keys go on from it; and what is said of each.

import { isolated } from "../shared/dom.js";
import { Roving } from "../shared/roving.js";
import { said } from "./columns.js";

export class Reach {
  drawing;
  above;
  roving;

  // `press(block)`: it is chosen; `above(t)`: the element over a column, which the arrow key up leads to.
  constructor(drawing, press, above) {
    Object.assign(this, { drawing, above });
    drawing.svg.onclick = ({ target }) => press(drawing.blockOf(target));
    this.roving = new Roving(drawing.svg.parentElement, {
      next: (group, key) => this.neighbour(drawing.blockOf(group), key),
      press: (group) => press(drawing.blockOf(group)),
    });
  }

  // Up and down within a column, then to what is above; left and right to the same tag, else to the outlined one.
  neighbour(block, key) {
    const column = (t) => this.drawing.blocks.filter((other) => other.t === t && other.group.style.display !== "none");
    const here = column(block.t);
    const i = here.indexOf(block);
    if (key === "ArrowUp") return here[i - 1]?.group ?? this.above(block.t);
    const away = this.above(block.t) === null ? null : undefined; // a row among others: they decide
    if (key === "ArrowDown") return here[i + 1]?.group ?? away;
    const last = this.drawing.columns.length - 1;
    const to = { ArrowLeft: block.t - 1, ArrowRight: block.t + 1, Home: 0, End: last }[key];
    const there = column(to);
    return (there.find(({ name }) => name === block.name) ?? there.find(({ best }) => best) ?? there[0])?.group ?? away;
  }

  // At rest: the blocks say their numbers; Tab comes to the one that is kept, else to one of the best reading.
  settle(kept, ribbons) {
    const { drawing } = this;
    const { blocks } = drawing;
    const same = kept && blocks.find((block) => block.t === kept.t && block.name === kept.name);
    drawing.settle(same?.group, ribbons);
    for (const { group } of blocks) group.setAttribute("tabindex", -1);
    this.roving.stop((same ?? blocks.find((block) => block.best) ?? blocks[0])?.group);
  }

  // The numbers of the block or ribbon that an element belongs to; null: it belongs to none.
  told(element) {
    const block = this.drawing.blockOf(element);
    if (block) return block.group.getAttribute("aria-label");
    const { token, from, to, p } = element.closest(".ribbon")?.dataset ?? {};
    if (!token) return null;
    const [left, right] = [Number(token), Number(token) + 1].map((t) => isolated(this.drawing.columns[t]?.text ?? ""));
    return `${left} ${from} → ${right} ${to}: ${said(Number(p))}`;
  }
}
