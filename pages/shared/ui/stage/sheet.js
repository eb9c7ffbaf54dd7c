// A drawing whose parts have keys: drawn again, a part that is still there keeps its element, so that it moves and keeps
// the focus; a part that is not drawn again goes.

import { isolated, put, svg } from "../../../../crf/figures/shared/dom.js";

export class Sheet {
  root;
  here;
  parts = new Map();
  drawn = new Set();

  // `layers`: names of groups, the lowest first; the last one drawn into is the default.
  constructor(root, layers = ["all"]) {
    this.root = root;
    this.layers = Object.fromEntries(layers.map((name) => [name, svg("g", { class: name }, root)]));
    this.here = this.layers[layers[0]];
  }

  begin() {
    this.drawn.clear();
  }

  into(layer) {
    this.here = this.layers[layer];
  }

  part(key, name, attributes, text = null, parent = this.here) {
    let made = this.parts.get(key);
    if (!made) this.parts.set(key, (made = svg(name, {}, parent)));
    put(made, attributes);
    if (text !== null && made.textContent !== isolated(text)) made.textContent = isolated(text);
    this.drawn.add(key);
    return made;
  }

  text(key, x, y, text, kind = "", parent = this.here) {
    return this.part(key, "text", { x, y, class: kind }, text, parent);
  }

  line(key, d, kind = "", parent = this.here) {
    return this.part(key, "path", { d, class: kind }, null, parent);
  }

  box(key, x, y, width, height, kind = "", rx = 0, parent = this.here) {
    return this.part(
      key,
      "rect",
      { x, y, width: Math.max(width, 0), height: Math.max(height, 0), class: kind, rx },
      null,
      parent,
    );
  }

  // A group that one can press; stops.js lets Enter and Space do so, too.
  button(key, label, press, attributes = {}, parent = this.here) {
    const made = this.part(
      key,
      "g",
      { role: "button", tabindex: -1, "aria-label": isolated(label), ...attributes },
      null,
      parent,
    );
    made.onclick = press;
    return made;
  }

  end() {
    for (const [key, made] of this.parts) {
      if (this.drawn.has(key)) continue;
      made.remove();
      this.parts.delete(key);
    }
  }
}

// A number that is dragged up and down or stepped with the arrow keys: `changes(value, resting)`.
export function dial(made, { value, low, high, step, text }, changes) {
  put(made, {
    role: "spinbutton",
    "aria-valuenow": value,
    "aria-valuemin": low,
    "aria-valuemax": high,
    "aria-valuetext": text,
  });
  const bounded = (next) => Math.round(Math.min(Math.max(next, low), high) / step) * step;
  const said = (next) => Number(bounded(next).toFixed(6));
  made.onclick = null;
  made.onkeydown = (event) => {
    const by = { ArrowUp: 1, ArrowDown: -1, PageUp: 10, PageDown: -10 }[event.key];
    if (!by || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    event.stopPropagation();
    changes(said(value + by * step), true);
  };
  made.onpointerdown = (event) => {
    if (event.button) return;
    const from = event.clientY;
    let last = value;
    made.setPointerCapture(event.pointerId);
    made.onpointermove = (moved) => {
      const next = said(value + Math.round((from - moved.clientY) / 4) * step);
      if (next !== last) changes((last = next), false);
    };
    made.onpointerup = made.onpointercancel = () => {
      made.onpointermove = made.onpointerup = made.onpointercancel = null;
      if (last !== value) changes(last, true);
    };
  };
}
