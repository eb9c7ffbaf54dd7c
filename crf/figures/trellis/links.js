// Linked views: whatever the pointer or the focus is on lights its counterparts, here and in other parts of the page.
// They speak by the event crf:light, whose detail is { source, reads: ["transition:0:2", …], step? }; `step` is there when
// the reads are those of a whole step.

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
    const detail = { source: this.data.view.source, reads: reads.filter((name) => !name.startsWith("previous")), ...(step !== undefined && { step }) };
    this.root.dispatchEvent(new CustomEvent("crf:light", { bubbles: true, composed: true, detail }));
  }

  hear(event) {
    const { detail } = event;
    if (!this.data || !this.root.isConnected || !Array.isArray(detail?.reads) || detail.source === this.data.view.source) return;
    this.light(detail.step === undefined ? detail.reads : []);
  }

  listen(signal) {
    document.addEventListener("crf:light", (event) => this.hear(event), { signal });
  }
}

// One Tab stop per table, arrows within. Returns whether the key was one of these.
export function rove(event) {
  const stop = event.target.closest?.("[data-stop]");
  const move = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] }[event.key];
  if (!stop || !move) return false;
  const row = stop.closest("tr");
  const isCell = stop.localName === "td";
  if (!isCell && move[1]) return false; // in the terms, left and right go on stepping
  const line = row.closest("tbody").rows[row.sectionRowIndex + move[0]];
  const next = isCell ? line?.cells[stop.cellIndex + move[1]] : line?.querySelector("[data-stop]") ?? line;
  if (next && "stop" in next.dataset) {
    stop.tabIndex = -1;
    next.tabIndex = 0;
    next.focus();
  }
  return true;
}

// Words of the text that speak of parts of the picture: while one is pointed at or focused, `light` gets their names and true;
// else it gets those of the section on screen, the paragraph nearest to the middle that speaks of any, and false.
export function followText(light, signal) {
  const names = (element) => element?.dataset.lights.split(" ") ?? [];
  const word = (event) => event.target.closest?.("[data-lights]");
  let pointed = null;
  let shown = "";
  const show = (found) => {
    const now = `${Boolean(pointed)} ${found}`;
    if (now !== shown) light(found, Boolean(pointed));
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
    show(scrolled && nearest ? [...nearest.querySelectorAll("[data-lights]")].flatMap(names) : []);
  };
  let scrolled = false;
  let waiting = null;
  const scroll = () => {
    scrolled = true;
    waiting ??= setTimeout(() => {
      waiting = null;
      section();
    }, 120);
  };
  for (const [on, off] of [["mouseover", "mouseout"], ["focusin", "focusout"]]) {
    document.addEventListener(on, (event) => word(event) && show(names((pointed = word(event)))), { signal });
    document.addEventListener(off, (event) => {
      if (!word(event)) return;
      pointed = null;
      show([]);
      section();
    }, { signal });
  }
  document.addEventListener("scroll", scroll, { signal, capture: true, passive: true });
}
