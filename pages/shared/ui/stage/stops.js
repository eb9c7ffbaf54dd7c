// The parts of all drawings of a lesson are one stop of Tab: the arrow keys go on to the nearest one, Enter and
// Space do what a click does. A slider is a stop of its own, because it is moved with the arrow keys.

import { Roving, nearest } from "../../../../crf/figures/shared/roving.js";

const PARTS = 'svg [tabindex]:not([role="slider"])';

export class Stops {
  root;
  roving;
  held = null; // the part with the focus, even if it has just been taken away
  index = 0; // its place among the parts

  constructor(root) {
    this.root = root;
    const press = (part) => part.dispatchEvent(new MouseEvent("click", { bubbles: true }));
    const next = (part, key) => nearest(this.parts, part, key);
    this.roving = new Roving(root, { next, press, yields: true, parts: PARTS });
    root.addEventListener("focusin", ({ target }) => this.hold(target.closest(PARTS)));
    root.addEventListener("focusout", ({ target }) =>
      queueMicrotask(() => target.isConnected && this.held === target && this.hold(null)),
    );
    const watch = new MutationObserver(() => this.settle());
    watch.observe(root, { subtree: true, childList: true, attributeFilter: ["tabindex"] });
  }

  get parts() {
    const own = this.root.querySelector(".trellis:not([hidden])"); // it has its own order
    return own ? [] : [...this.root.querySelectorAll(PARTS)];
  }

  hold(part) {
    this.held = part;
    if (part) this.index = this.parts.indexOf(part);
  }

  // After the picture has been drawn: if the part with the focus has been drawn again, the new one gets it.
  settle() {
    const { parts, roving, held } = this;
    if (!parts.length) return;
    const chosen = parts.find((part) => part.getAttribute("tabindex") === "0");
    const kept = parts.includes(roving.at) ? roving.at : (chosen ?? parts[Math.min(this.index, parts.length - 1)]);
    roving.stop(kept);
    for (const part of parts)
      if (part !== kept && part.getAttribute("tabindex") !== "-1") part.setAttribute("tabindex", -1);
    if (!held || held.isConnected) return;
    this.held = null;
    kept.focus({ preventScroll: true });
  }
}
