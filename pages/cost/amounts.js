// What three ways to compute cost, for a length and a number of tags: numbers with bars as long as their logarithms.

import { grouped } from "../../crf/figures/shared/decimal.js";
import { fill, html } from "../../crf/figures/shared/dom.js";

const SKELETON = `
<div class="costs amounts">
  <div class="table" role="table"></div>
  <div class="sliders"><label><span></span><input name="long" type="range" min="1" max="14"><output></output></label><label><span></span><input name="tags" type="range" min="2" max="64"><output></output></label></div>
</div>`;

export class Amounts {
  table;
  labels;
  picture;
  moved = false; // whether a slider is on its way

  constructor(root, host) {
    const place = fill(root, SKELETON);
    this.table = place.querySelector(".table");
    this.labels = [...place.querySelectorAll(".sliders label")];
    for (const input of place.querySelectorAll("input")) {
      input.oninput = () => {
        this.moved = true;
        host.set(input.name, input.value, false);
      };
      input.onchange = () => {
        this.moved = false;
        host.set(input.name, input.value);
      };
      input.onpointerup = () => input.blur();
    }
  }

  draw(picture, _size, { heading }) {
    if (picture !== this.picture) this.moved = false;
    this.picture = picture;
    const { columns, rows, most, long, tags, count, labels } = picture;
    const { table } = this;
    table.setAttribute("aria-label", heading);
    table.replaceChildren();
    const head = html("div", { role: "row", class: "head" }, table);
    html("span", { role: "columnheader" }, head);
    for (const name of columns) html("b", { role: "columnheader" }, head, name);
    for (const { name, note, values } of rows) {
      const row = html("div", { role: "row" }, table);
      const title = html("div", { role: "rowheader", class: "method" }, row);
      html("b", {}, title, name);
      html("span", {}, title, note);
      for (const [k, value] of values.entries()) {
        const cell = html(
          "div",
          { role: "cell", class: "amount", style: `--share: ${Math.log10(value + 1) / Math.log10(most)}` },
          row,
        );
        html("i", { "aria-hidden": "true" }, cell, columns[k]);
        html("b", {}, cell, grouped(value));
      }
    }
    for (const [i, label] of this.labels.entries()) {
      const [name, input, output] = label.children;
      name.textContent = labels[i];
      if (!this.moved) input.value = String(i ? tags : long);
      output.textContent = i ? String(tags) : count;
      input.setAttribute("aria-valuetext", output.textContent);
    }
  }
}
