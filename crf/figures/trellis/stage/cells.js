// Cells as vessels: a level that is the share of the column, two ticks at it, and a number on top that never moves.

import { put, svg } from "../../shared/dom.js";

const FILM = 2.5; // px of a level that means "little"

// Set an attribute only if it changes: a step touches few of them.
export function set(part, name, value) {
  if (part.getAttribute(name) !== String(value)) part.setAttribute(name, value);
}

export class Cell {
  t;
  r;
  group;
  about;
  body;
  level;
  ticks;
  number;
  given;
  x;
  y;
  high;
  stands;

  constructor(parent, t, r) {
    Object.assign(this, { t, r });
    this.group = svg("g", { class: "cell", "data-token": t, "data-value": "" }, parent);
    this.body = svg("rect", { class: "body", rx: 8 }, this.group);
    this.level = svg("rect", { class: "level", rx: 6 }, this.group);
    this.ticks = svg("path", { class: "ticks" }, this.group);
    svg("rect", { class: "frame", rx: 8 }, this.group);
    this.number = svg("text", { class: "number" }, this.group);
  }

  // The cell's tag; without one it has no row and is taken out.
  name(tag, token, parent) {
    if (!tag) return this.group.remove();
    if (!this.group.parentNode) parent.prepend(this.group);
    set(this.group, "data-tag", tag);
    this.about = `${token}, ${tag}`;
  }

  place(x, y, wide, high, letters) {
    Object.assign(this, { x, y, high });
    for (const part of [this.body, this.level, this.group.children[3]])
      put(part, { x: x - wide / 2, y: y - high / 2, width: wide, height: high });
    this.level.style.transformOrigin = `0 ${y + high / 2}px`;
    put(this.ticks, { d: `M${x - wide / 2 + 1} ${y + high / 2}h12M${x + wide / 2 - 1} ${y + high / 2}h-12` });
    this.number.style.fontSize = `${letters}px`;
  }

  // `share`: the level, null while the column is not complete; `shift`: px by which the number gives way to a pill; `given`: a
  // wrong number that stands below the right one.
  draw({ text, share, value, p, shift = 0, given = "", classes }) {
    const level = share === null ? 0 : Math.max(share, share > 0 ? FILM / this.high : 0);
    set(this.group, "class", classes);
    set(this.group, "data-value", value);
    if (p !== undefined) set(this.group, "data-p", p);
    else this.group.removeAttribute("data-p");
    set(this.ticks, "display", share !== null && share > 0.03 && share < 0.97 ? "inline" : "none");
    const stands = `${level} ${this.high}`;
    if (stands !== this.stands) {
      this.level.style.transform = `scaleY(${level})`;
      this.ticks.style.transform = `translateY(${-level * this.high}px)`;
    }
    this.stands = stands;
    if (this.number.textContent !== text) this.number.textContent = text;
    set(this.number, "x", this.x - shift);
    set(this.number, "y", this.y - (given ? this.high * 0.2 : 0));
    if (given) this.given ??= svg("text", { class: "given" }, this.group);
    if (!this.given) return;
    this.given.textContent = given;
    put(this.given, { x: this.x - shift, y: this.y + this.high * 0.24 });
  }
}
