// Two trees of pieces, whose rounds run at the same clock; a press on a piece opens its numbers.

import { html, svg } from "../../crf/figures/shared/dom.js";
import { writePickers } from "./pickers.js";
import { Trees } from "./trees.js";
import { sized } from "./trick.js";

export class JoinedTrees {
  svg;
  pickers;
  entries;
  trees;
  host;
  picture;
  round;

  constructor(root, host) {
    this.host = host;
    const place = html("div", { class: "costs" }, root);
    this.svg = svg("svg", { role: "group" }, place);
    this.pickers = html("div", { class: "pickers" }, place);
    this.entries = html("div", { class: "entries", hidden: "" }, place);
    this.trees = new Trees(this.svg, (piece) => this.openEntries(piece));
  }

  draw(picture, { width, height }, { heading }) {
    const { shapes, shape, semirings, semiring, now } = picture;
    if (picture !== this.picture || now.round !== this.round) this.openEntries(null);
    if (picture !== this.picture)
      writePickers(this.pickers, this.host, [
        ["shape", shapes, shape],
        ["semiring", semirings, semiring],
      ]);
    this.picture = picture;
    this.round = now.round;
    const below = getComputedStyle(this.pickers).position === "static" ? this.pickers.offsetHeight : 0;
    sized(this.svg, width, height - below, heading);
    this.trees.draw(picture, width, height - below);
  }

  // The numbers of a piece: from the tags at its left to those at its right.
  openEntries(piece) {
    const box = this.entries;
    const same = !piece || box.dataset.of === piece.key || !piece.matrix.length;
    box.hidden = same;
    box.dataset.of = same ? "" : piece.key;
    box.replaceChildren();
    if (same) return;
    const names = this.picture.tag_names;
    html("p", {}, box, piece.title);
    const table = html("table", {}, box);
    const head = html("tr", {}, table);
    html("th", {}, head, piece.name);
    for (const name of names) html("th", { scope: "col" }, head, name);
    for (const [i, row] of piece.matrix.entries()) {
      const line = html("tr", {}, table);
      html("th", { scope: "row" }, line, names[i]);
      for (const value of row) html("td", {}, line, value);
    }
  }
}
