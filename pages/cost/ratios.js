// How many times as fast the scan is as the recursion: the darker, the faster; a line where that ends.

import { html, isolated } from "../../crf/figures/shared/dom.js";
import { writePickers } from "./pickers.js";

export class Ratios {
  host;
  pickers;
  table;
  picture;

  constructor(root, host) {
    this.host = host;
    const place = html("div", { class: "costs ratios" }, root);
    this.pickers = html("div", { class: "pickers" }, place);
    this.table = html("div", { class: "table", role: "table" }, place);
  }

  draw(picture, _size, { heading }) {
    const { question, ways, against, lengths, sizes, cells, axes, wins } = picture;
    if (picture !== this.picture) writePickers(this.pickers, this.host, [["against", ways, against]], question);
    this.picture = picture;
    const { table } = this;
    table.setAttribute("aria-label", heading);
    table.replaceChildren();
    const head = html("div", { role: "row", class: "head" }, table);
    html("span", { role: "columnheader" }, head, axes[0]);
    for (const name of lengths) html("b", { role: "columnheader" }, head, name);
    html("span", { "aria-hidden": "true", class: "after" }, head, axes[1]);
    for (const [r, row] of cells.entries()) {
      const line = html("div", { role: "row" }, table);
      html("b", { role: "rowheader" }, line, String(sizes[r]));
      for (const [k, { times, word, log }] of row.entries()) {
        const won = log > 0;
        const edges = [
          cells[r + 1] && cells[r + 1][k].log > 0 !== won ? " ends-below" : "",
          row[k + 1] && row[k + 1].log > 0 !== won ? " ends-right" : "",
        ].join("");
        const cell = html(
          "div",
          {
            role: "cell",
            class: `ratio${won ? " won" : ""}${word ? edges : ""}`,
            style: `--p: ${Math.min(Math.max(log, 0) / 5, 1)}`,
          },
          line,
        );
        html("b", {}, cell, isolated(times));
        html("span", {}, cell, word);
      }
      const last = r === cells.length - 1;
      const some = row.some(({ log }) => log > 0);
      html(
        "b",
        { class: "after", "aria-hidden": "true" },
        line,
        r === 0 && some ? wins[0] : last && !some && row[0].word ? wins[1] : "",
      );
    }
  }
}
