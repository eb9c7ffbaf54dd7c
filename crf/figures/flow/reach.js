// How a flow's blocks are reached: Tab comes to one of them, the arrow keys go on from it; and what is said of each.

import { isolated } from "../shared/dom.js";
import { said } from "./columns.js";

export class Reach {
  drawing;
  press;
  above;

  // `press(block)`: it is chosen; `above(t)`: the element over a column, which the arrow key up leads to.
  constructor(drawing, press, above) {
    Object.assign(this, { drawing, press, above });
    drawing.svg.onclick = ({ target }) => press(drawing.blockOf(target));
    drawing.svg.onkeydown = (event) => this.key(event);
    // Not on the drawing itself: Chromium lets one with such a listener take the focus, and frames the page.
    drawing.svg.parentElement.addEventListener("focusin", ({ target }) => this.reach(drawing.blockOf(target)));
  }

  reach(block) {
    if (!block) return;
    for (const { group } of this.drawing.blocks) group.setAttribute("tabindex", group === block.group ? 0 : -1);
    block.group.scrollIntoView?.({ block: "nearest", inline: "nearest" });
  }

  key(event) {
    const block = this.drawing.blockOf(event.target);
    if (!block || event.altKey || event.ctrlKey || event.metaKey) return;
    if (event.key === "Enter" || event.key === " ") this.press(block);
    else {
      const next = this.neighbour(block, event.key);
      if (!next && !event.key.startsWith("Arrow")) return;
      next?.focus({ preventScroll: true });
    }
    event.preventDefault();
    event.stopPropagation();
  }

  // Up and down within a column, then to what is above; left and right to the same tag, else to the outlined one.
  neighbour(block, key) {
    const column = (t) => this.drawing.blocks.filter((other) => other.t === t && other.group.style.display !== "none");
    const here = column(block.t);
    const i = here.indexOf(block);
    if (key === "ArrowUp") return here[i - 1]?.group ?? this.above(block.t);
    if (key === "ArrowDown") return here[i + 1]?.group;
    const last = this.drawing.columns.length - 1;
    const to = { ArrowLeft: block.t - 1, ArrowRight: block.t + 1, Home: 0, End: last }[key];
    const there = column(to);
    return (there.find(({ name }) => name === block.name) ?? there.find(({ best }) => best) ?? there[0])?.group;
  }

  // At rest: the blocks say their numbers; Tab comes to the one that is kept, else to one of the best reading.
  settle(kept, ribbons) {
    const { drawing } = this;
    const { blocks } = drawing;
    const same = kept && blocks.find((block) => block.t === kept.t && block.name === kept.name);
    drawing.settle(same?.group, ribbons);
    for (const { group } of blocks) group.setAttribute("tabindex", -1);
    (same ?? blocks.find((block) => block.best) ?? blocks[0])?.group.setAttribute("tabindex", 0);
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
