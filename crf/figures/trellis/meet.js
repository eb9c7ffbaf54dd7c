// Both ways: the shares from the left and from the right slide into a column, and their product appears.

import { put, svg } from "../shared/dom.js";
import { share } from "./numbers.js";

const LEAST = 2; // px of a strip
const BIG = 0.1; // shares from here on are written bold, in the strip

export class Meet {
  group;
  brackets;
  strips = { left: [], right: [] };
  names = {};

  constructor(parent) {
    this.group = svg("g", { class: "meet", "aria-hidden": "true" }, parent); // cells say it
    this.brackets = {
      left: svg("path", {}, this.group),
      both: svg("path", { class: "both" }, this.group),
      right: svg("path", {}, this.group),
    };
    for (const side of ["left", "both", "right"]) this.names[side] = svg("text", { class: side }, this.group);
  }

  // `meet`: { left, right } shares of the rows; `column`: the token.
  draw(meet, column, at, words) {
    this.group.style.display = meet ? "" : "none";
    if (!meet) return;
    const [x, half, gap] = [at.x(column), at.cell / 2, at.gap];
    const high = Math.min(at.row * 0.8, at.high * 1.13);
    const letters = Math.min(at.small * 1.12, at.row * 0.5); // of a number above its strip
    for (const [side, from, wide] of [
      ["left", x - half - gap + 4, gap - 8],
      ["right", x + half + 4, gap - 8],
    ]) {
      meet[side].forEach((p, r) => {
        const strip = (this.strips[side][r] ??= this.strip(side));
        const h = Math.max(p * high, LEAST);
        const big = p >= BIG && h >= at.letters * 0.8; // a thin strip would strike its number out
        put(strip.body, { x: from, y: at.y(r) - h / 2, width: wide, height: h });
        put(strip.text, { x: from + wide / 2, y: big ? at.y(r) : at.y(r) - h / 2 - letters * 0.63 - 2 });
        strip.text.textContent = share(p);
        strip.text.style.fontSize = `${big ? at.letters : letters}px`;
        strip.text.classList.toggle("big", big);
      });
    }
    const [y, last] = [at.bottom + at.under + 14, at.columns - 1];
    const reach = at.phone ? gap : Infinity; // px to the sides that the brackets have
    const spans = {
      left: [Math.max(at.x(0) - half, x - half - reach), x - half - 5],
      both: [x - half, x + half],
      right: [x + half + 5, Math.min(at.x(last) + half, x + half + reach)],
    };
    for (const side in spans) {
      const [a, b] = spans[side];
      put(this.brackets[side], { d: `M${a} ${y}v7H${b}v-7` });
      const middle =
        side === "both" || at.phone
          ? (a + b) / 2
          : Math.min(Math.max((a + b) / 2, at.near + at.cell), at.near + at.width - at.cell);
      put(this.names[side], { x: middle, y: y + 9 + at.small });
      this.names[side].textContent = words[side === "both" ? "both-say" : `${side}-says`];
      for (const part of [this.brackets[side], this.names[side]]) part.style.display = b - a > 40 ? "" : "none";
      this.names[side].style.fontSize = `${at.phone ? 13.5 : at.small * 1.15}px`;
    }
  }

  strip(side) {
    return {
      body: svg("rect", { class: `strip ${side}`, fill: `url(#${side})` }, this.group),
      text: svg("text", { class: `strip ${side}` }, this.group),
    };
  }
}
