// Linked views: whatever the pointer or the focus is on lights its counterparts.

import { nameOf } from "./panel.js";

export class Links {
  data;
  trellis;

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
    for (const element of this.root.querySelectorAll("[data-read]"))
      element.classList.toggle("linked", reads.includes(element.dataset.read));
    this.trellis.link(everywhere ? this.usesOf(reads) : []);
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
