// Cells as vessels: a level that is the share of the column, two ticks at it, and a number on top that never moves.

import { put, svg } from "../shared/dom.js";
import { share as written } from "./numbers.js";

const FILM = 2.5; // px of a level that means "little"
const ROOMY = 66; // px of a cell with room for two numbers
const CHANGE = 0.005; // of a share: a smaller one leaves no ghost
const [SPINE, CORNER, ASIDE] = [6, 8, 3]; // px: of a cell's bar in its tag's colour, its round corner; the number stands aside

// Set an attribute only if it changes: a step touches few of them.
export function set(part, name, value) {
  if (part.getAttribute(name) !== String(value)) part.setAttribute(name, value);
}

export class Cell {
  t;
  r;
  group;
  body;
  level;
  ticks;
  spine;
  number;
  given;
  before;
  x;
  y;
  wide;
  high;
  stands;

  constructor(parent, t, r) {
    Object.assign(this, { t, r });
    const said = { role: "gridcell", tabindex: -1 };
    this.group = svg("g", { class: "cell", "data-token": t, "data-value": "", ...said }, parent);
    this.body = svg("rect", { class: "body", rx: 8 }, this.group);
    this.level = svg("rect", { class: "level", rx: 6 }, this.group);
    this.ticks = svg("path", { class: "ticks" }, this.group);
    this.spine = svg("path", { class: "spine" }, this.group);
    this.frame = svg("rect", { class: "frame", rx: CORNER }, this.group);
    this.number = svg("text", { class: "number", "aria-hidden": "true" }, this.group);
  }

  // The cell's tag and its colour; without one it has no row and is taken out.
  name(tag, colour, parent) {
    if (!tag) return this.group.remove();
    if (!this.group.parentNode) parent.prepend(this.group);
    set(this.group, "data-tag", tag);
    this.spine.style.setProperty("--c", colour);
  }

  place(x, y, wide, high, letters) {
    Object.assign(this, { x, y, high });
    for (const part of [this.body, this.level, this.frame])
      put(part, { x: x - wide / 2, y: y - high / 2, width: wide, height: high });
    put(this.spine, { d: spine(x - wide / 2, y - high / 2, high) });
    this.level.style.transformOrigin = `0 ${y + high / 2}px`;
    put(this.ticks, { d: `M${x - wide / 2 + SPINE} ${y + high / 2}h12M${x + wide / 2 - 1} ${y + high / 2}h-12` });
    this.number.style.fontSize = `${letters}px`;
    this.wide = wide;
  }

  // `share`: the level, null while the column is not complete; `shift`: px by which the number gives way to a pill; `given`: a
  // wrong number that stands below the right one; `before`: the share that it had, of which a ghost stays; `name`: what the
  // cell is called.
  draw({ text, name, share, value, p, before = share, shift = 0, given = "", classes }) {
    set(this.group, "aria-label", name);
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
    this.drawGhost(share, before);
    if (this.number.textContent !== text) this.number.textContent = text;
    set(this.number, "x", this.x + ASIDE - shift);
    set(this.number, "y", this.y - (given ? this.high * 0.2 : 0));
    if (given) this.given ??= svg("text", { class: "given", "aria-hidden": "true" }, this.group);
    if (!this.given) return;
    this.given.textContent = given;
    put(this.given, { x: this.x + ASIDE - shift, y: this.y + this.high * 0.24 });
  }

  // A line where the level was, with its number where there is room beside the new one.
  drawGhost(share, before) {
    const isGhost = share !== null && Math.abs(share - before) >= CHANGE;
    if (isGhost) this.before ??= svg("g", { class: "share-before", "aria-hidden": "true" }, this.group);
    if (!this.before) return;
    set(this.before, "display", isGhost ? "inline" : "none");
    if (!isGhost) return;
    if (!this.before.firstChild) this.before.append(svg("path"), svg("text"));
    const { x, y, wide, high } = this;
    const [line, number] = this.before.children;
    const level = y + high / 2 - before * high;
    put(line, { d: `M${x - wide / 2 + SPINE} ${level}H${x + wide / 2}` });
    number.textContent = wide >= ROOMY ? written(before) : "";
    put(number, { x: x + wide / 2 - 4, y: level + (before < 0.5 ? -8 : 9) });
  }
}

// The left end of a rectangle with round corners.
function spine(x, y, high) {
  const [r, wide] = [Math.min(CORNER, high / 2), Math.min(SPINE, high / 2)];
  const cut = r - Math.sqrt(r * r - (r - wide) ** 2); // how far the corner reaches at the spine's right side
  return `M${x + wide} ${y + cut}V${y + high - cut}A${r} ${r} 0 0 1 ${x} ${y + high - r}V${y + r}A${r} ${r} 0 0 1 ${x + wide} ${y + cut}Z`;
}
