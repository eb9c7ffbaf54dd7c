// The picture of a lesson whose beats are drawn by several parts: each is made when its beat opens, and drawn for the room
// that there is. A part: `constructor(root, host)` and `draw(picture, size, { beat, from, moves, heading })`; `from` is the
// beat that was on screen before, null where only the size has changed. The root has the class "moves" while a step is drawn
// after the one before, and "veils" while a question is open.

import { html } from "../../../../crf/figures/shared/dom.js";

const [WIDTH, HEIGHT, PHONE] = [1280, 412, 640]; // px of a usual picture; below the last it is a phone's
const LEAST = 18; // px of letters on a projector

// `name`: of the figure; `parts`: beat → class.
export function ofParts(name, parts) {
  return class {
    root;
    host;
    view;
    part;
    Part;
    beat;

    constructor(el, host, signal) {
      this.root = html("div", { class: `of-parts ${name}`, "data-figure": name });
      el.replaceChildren(this.root);
      this.host = host;
      const watch = new ResizeObserver(() => this.draw(null, false));
      watch.observe(this.root);
      document.fonts.addEventListener("loadingdone", () => this.draw(null, false), { signal });
      signal.addEventListener("abort", () => watch.disconnect());
    }

    show(view) {
      this.view = view;
      if (this.Part === parts[view.beat]) return;
      this.Part = parts[view.beat];
      this.root.className = `of-parts ${name}`; // a part may add classes of its own
      this.root.replaceChildren();
      this.part = new this.Part(this.root, this.host);
    }

    showNow(now, moves = false, veils = false) {
      this.root.classList.toggle("moves", Boolean(moves));
      this.root.classList.toggle("veils", veils);
      Object.assign(this.view.picture, now.picture, { now });
      const from = this.beat;
      this.beat = this.view.beat;
      this.draw(from, moves);
    }

    draw(from, moves) {
      const { clientWidth: width, clientHeight: height } = this.root;
      if (!this.view || !width || !height) return;
      const phone = width < PHONE;
      const k = phone ? 1 : Math.min(Math.max(Math.min(width / WIDTH, height / HEIGHT), 0.8), 2);
      const least = getComputedStyle(this.root).getPropertyValue("--magnify") ? LEAST : 0;
      this.part.draw(
        this.view.picture,
        { width, height, phone, k, least, edge: phone ? 14 : 40 * k },
        { beat: this.view.beat, from, moves, heading: this.view.heading },
      );
    }
  };
}
