// The picture of a lesson whose beats are drawn by several parts: each is made when its beat opens, and drawn for the room
// that there is. A part: `constructor(root, host)` and `draw(picture, size, told)`; where it needs them, `show(view, live)` for
// a whole answer, `taken(now)` for what the reader has moved since a step was asked for, and `end()`. `told`: { beat, from,
// moves, veils, live, heading, view }; `from` is the beat that was on screen before, null where only the size has changed. The
// root has the class "moves" while a step is drawn after the one before, and "veils" while a question is open.

import { measureAnew } from "../../../../crf/figures/flow/labels.js";
import { fill, html } from "../../../../crf/figures/shared/dom.js";

const WIDTH = 1280; // px of a usual picture
const PHONE = 640; // px below which it is a phone's
const LEAST = 18; // px of letters on a projector
const USUAL = {
  root: "", // class of the figure; "": its name
  skeleton: "", // what a part finds in the root
  room: "", // selector of what is measured; "": the root
  of: ({ beat }) => beat, // a view → its part
  high: 412, // px of a usual picture
  scale: [0.8, 2], // how much smaller and larger it may be
  phone: 1, // the scale there; undefined: as elsewhere
};

// How much larger than usual a picture is in a room.
export function fitting(width, height, high, scale) {
  const [least, most] = scale;
  return Math.min(Math.max(Math.min(width / WIDTH, height / high), least), most);
}

// `name`: of the figure; `parts`: a class for each name that `how.of` gives; `how`: what differs from `USUAL`.
export function ofParts(name, parts, how = {}) {
  const { root: classes, skeleton, room, of, high, scale, phone: small } = { ...USUAL, ...how };
  return class {
    root;
    host;
    view;
    live;
    part;
    Part;
    beat;
    veils = false;

    constructor(el, host, signal) {
      this.root = html("div", { class: `of-parts ${classes || name}`, "data-figure": name });
      el.replaceChildren(this.root);
      this.host = host;
      const watch = new ResizeObserver(() => this.draw(null, false));
      watch.observe(this.root);
      const measured = () => {
        measureAnew(document.body);
        this.draw(null, false);
      };
      measureAnew(document.body);
      document.fonts.addEventListener("loadingdone", measured, { signal });
      signal.addEventListener("abort", () => {
        watch.disconnect();
        this.part?.end?.();
      });
    }

    show(view, live) {
      Object.assign(this, { view, live });
      const Part = parts[of(view)];
      if (this.Part !== Part) {
        this.part?.end?.();
        this.Part = Part;
        this.root.className = `of-parts ${classes || name}`; // a part may add classes of its own
        fill(this.root, skeleton);
        this.part = new Part(this.root, this.host);
      }
      this.part.show?.(view, live);
    }

    showNow(now, moves = false, veils = this.veils) {
      this.veils = veils;
      this.root.classList.toggle("moves", Boolean(moves));
      this.root.classList.toggle("veils", veils);
      Object.assign(this.view.picture, now.picture, { now: this.part.taken?.(now) ?? now });
      const from = this.beat;
      this.beat = this.view.beat;
      this.draw(from, moves);
    }

    draw(from, moves) {
      const { view, live, veils, root } = this;
      const { clientWidth: width, clientHeight: height } = (room && root.querySelector(room)) || root;
      if (!view?.picture.now || !width || !height) return;
      const phone = root.clientWidth < PHONE;
      const k = (phone && small) || fitting(width, height, high, scale);
      root.style.setProperty("--k", String(k));
      const least = getComputedStyle(root).getPropertyValue("--magnify") ? LEAST : 0;
      this.part.draw(
        view.picture,
        { width, height, phone, k, least, edge: phone ? 14 : 40 * k },
        { beat: view.beat, from, moves, veils, live, heading: view.heading, view },
      );
    }
  };
}
