// The whole sentence's entropy in small: where the model is unsure, and which part is in sight.

import { put, svg } from "../shared/dom.js";

export class Overview {
  element;
  room;
  count;
  window;

  constructor(element, room) {
    Object.assign(this, { element, room });
    room.onscroll = () => this.showWindow();
    element.onpointerdown = (event) => {
      element.setPointerCapture(event.pointerId);
      this.scrollTo(event);
    };
    element.onpointermove = (event) => event.buttons && this.scrollTo(event);
  }

  draw(columns, scrolls, title) {
    this.count = scrolls ? columns.length : 0;
    if (!scrolls) return this.element.replaceChildren();
    const most = Math.max(Math.LN2, ...columns.map((column) => column.entropy ?? 0));
    const drawn = svg("svg", { viewBox: `0 0 ${columns.length} 1`, preserveAspectRatio: "none" });
    columns.forEach(({ entropy = 0 }, k) => {
      svg("rect", { class: "rest", x: k + 0.08, y: 0, width: 0.84, height: 1 }, drawn);
      const high = Math.max(entropy / most, 0.03);
      svg("rect", { x: k + 0.08, y: 1 - high, width: 0.84, height: high }, drawn);
    });
    this.window = svg("rect", { class: "window", y: 0, height: 1 }, drawn);
    this.element.replaceChildren(drawn);
    this.element.title = title;
    this.showWindow();
  }

  showWindow() {
    if (!this.count) return;
    const scale = this.count / this.room.scrollWidth;
    put(this.window, { x: this.room.scrollLeft * scale, width: this.room.clientWidth * scale });
  }

  scrollTo(event) {
    const box = this.element.getBoundingClientRect();
    this.room.scrollLeft = ((event.clientX - box.left) / box.width) * this.room.scrollWidth - this.room.clientWidth / 2;
  }
}
