// The names of the rows, each with a bar in its tag's colour.

import { filledText, isolated, put, svg } from "../shared/dom.js";
import { set } from "./cells.js";

const [BAR, HIGH, NEAR] = [6, 24, 6]; // px: width and height of a bar, and its distance from the name
const OTHER = "120, 128, 136"; // of the row of the other tags
export const BESIDE = BAR + NEAR;

// The rows of a picture: { tag, name, colour }; the tags that have none of their own share the last one, with tag -1.
export function rowsOf({ tags, rows, other }, words) {
  const own = rows.map((tag) => ({ tag, ...tags[tag] }));
  if (!other) return own;
  return [
    ...own,
    {
      tag: -1,
      name: filledText(words[other.count === 1 ? "other-tag" : "other-tags"], { n: other.count }),
      colour: OTHER,
    },
  ];
}

export class Tags {
  group;
  names = [];
  bars = [];

  constructor(parent) {
    this.group = svg("g", { class: "tags" }, parent);
  }

  // `rows`: { name, colour }; elements that are no longer needed stay empty.
  name(rows) {
    while (this.names.length < rows.length) {
      this.names.push(svg("text", {}, this.group));
      this.bars.push(svg("rect", { class: "spine", rx: 1 }, this.group));
    }
    this.names.forEach((name, r) => {
      name.textContent = isolated(rows[r]?.name ?? "");
      this.bars[r].style.setProperty("--c", rows[r]?.colour);
      this.bars[r].style.display = rows[r] ? "" : "none";
    });
  }

  place(at) {
    const bar = { width: BAR, height: Math.min(HIGH * at.big, at.high) };
    this.names.forEach((name, r) => {
      put(name, { x: at.tag - BESIDE, y: at.y(r) });
      put(this.bars[r], { x: at.tag - BAR, y: at.y(r) - bar.height / 2, ...bar });
    });
    this.group.style.fontSize = `${at.phone ? 15 : Math.min(18 * at.big, at.row * 0.45)}px`;
  }

  // `current`: the tag on screen.
  draw(rows, current) {
    rows.forEach(({ tag }, r) =>
      set(this.names[r], "class", `tag${tag >= 0 && tag === current ? " now" : ""}${tag < 0 ? " folded" : ""}`),
    );
  }
}
