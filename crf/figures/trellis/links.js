// Linked views: whatever the pointer or the focus is on lights its counterparts, here and in other parts of the page.

import { followWords, lightElsewhere } from "../shared/dom.js";
import { nameOf } from "./panel.js";

export class Links {
  data; trellis;

  constructor(root) {
    this.root = root;
  }

  load(data, trellis) {
    Object.assign(this, { data, trellis, index: null });
  }

  // Every place that a score is used at: [step, the row its term comes from; null where it is added after them].
  usesOf(reads) {
    if (!this.index) {
      this.index = new Map();
      const add = (read, use) => {
        const name = nameOf(this.data.reads[read]);
        if (!this.index.has(name)) this.index.set(name, []);
        this.index.get(name).push(use);
      };
      this.data.steps.forEach((step, i) => {
        for (const { from, reads } of step.terms) for (const read of reads) add(read, [i, from]);
        for (const read of step.added) add(read, [i, null]);
      });
    }
    return reads.flatMap((name) => this.index.get(name) ?? []);
  }

  // Light some scores wherever they stand; a term's own edge is stressed by the caller.
  light(reads, { everywhere = true } = {}) {
    for (const element of this.root.querySelectorAll("[data-read]")) element.classList.toggle("linked", reads.includes(element.dataset.read));
    this.trellis.link(everywhere ? this.usesOf(reads) : []);
  }

  tell(reads, step) {
    lightElsewhere(this.root, this.data.view.source, reads.filter((name) => !name.startsWith("previous")), step);
  }

  hear({ detail }) {
    if (!this.data || !this.root.isConnected || !Array.isArray(detail?.reads) || detail.source === this.data.view.source) return;
    this.light(detail.step === undefined ? detail.reads : []);
  }
}

// Up and down among the terms, of which Tab reaches one. Returns whether the key was one of these.
export function rove(event) {
  const stop = event.target.closest?.("[data-stop]");
  const move = { ArrowUp: -1, ArrowDown: 1 }[event.key];
  if (!stop || !move) return false;
  const row = stop.closest("tr");
  const line = row.parentElement.rows[row.sectionRowIndex + move];
  const next = line?.querySelector("[data-stop]") ?? line;
  if (next) {
    stop.tabIndex = -1;
    next.tabIndex = 0;
    next.focus();
  }
  return true;
}

// While a word of the text that speaks of parts of the picture is pointed at or focused, `light` gets their names and true; else it
// gets those of the section on screen, the paragraph nearest to the middle that speaks of any, and false.
export function followText(light, signal) {
  const names = (text) => text.split(" ").filter(Boolean);
  let [pointed, shown, scrolled, waiting] = ["", "", false, null];
  const show = (found) => {
    const now = `${pointed !== ""} ${found}`;
    if (now !== shown) light(found, pointed !== "");
    shown = now;
  };
  const section = () => {
    if (pointed) return;
    const distance = (part) => {
      const { top, bottom } = part.getBoundingClientRect();
      return bottom < 60 || top > innerHeight - 40 ? Infinity : Math.abs((top + bottom) / 2 - innerHeight / 2);
    };
    const all = [...document.querySelectorAll(".crf-prose:has([data-lights])")];
    const nearest = all.reduce((best, part) => (distance(part) < (best ? distance(best) : Infinity) ? part : best), null);
    show(scrolled && nearest ? [...nearest.querySelectorAll("[data-lights]")].flatMap((word) => names(word.dataset.lights)) : []);
  };
  followWords((text) => {
    pointed = text;
    show(names(text));
    section();
  }, signal);
  const scroll = () => {
    scrolled = true;
    waiting ??= setTimeout(() => {
      waiting = null;
      section();
    }, 120);
  };
  document.addEventListener("scroll", scroll, { signal, capture: true, passive: true });
}
