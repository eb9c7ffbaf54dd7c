// Tensors that are broadcast, added and reduced, as slabs. Python sends every text and colour; nothing is computed here.
// A cell of the sum that is looked at lights the cells that it is made of; a result lights the cells that it sums.

import { fill, followWords, html, isolated, whenPointed } from "../../../crf/figures/shared/dom.js";
import { whenData } from "../../../crf/figures/shared/model.js";
import { offerSave } from "../../../crf/figures/shared/save.js";

const SKELETON = `
<div class="slabs" data-figure="slabs" role="group">
  <div class="scroll" tabindex="-1"></div>
  <p class="told" role="status"></p>
</div>`;

export default {
  render({ model, el, signal }) {
    const slabs = new Slabs(fill(el, SKELETON));
    whenData(model, signal, (data) => slabs.load(data));
  },
};

class Slabs {
  constructor(root) {
    this.root = root;
    offerSave(root);
    this.place = root.querySelector(".scroll");
    this.told = root.querySelector(".told");
    whenPointed(this.place, (event) => this.look(event.target.closest("button")));
    this.place.addEventListener("focusin", (event) => this.look(event.target.closest("button")));
    this.place.onkeydown = (event) => this.key(event);
    followWords((name) => root.querySelectorAll("[data-name]").forEach((part) => part.classList.toggle("marked", part.dataset.name === name)));
  }

  load(data) {
    if (JSON.stringify(data) === JSON.stringify(this.data)) return;
    this.data = data;
    this.root.setAttribute("aria-label", data.label);
    this.build();
    this.told.textContent = data.hint;
    this.told.dataset.export = "no"; // until it says a number
  }

  build() {
    const { layers, names, reduction } = this.data;
    const named = layers[0].name !== "";
    const columns = 2 * names.length + 1;
    const grid = html("div", { class: "grid", style: `grid-template-columns: ${named ? "auto " : ""}repeat(${columns}, auto)` });
    const head = (name, shape, role = "") => {
      const box = html("div", { class: `head ${role}`, "data-name": role || "sum" }, grid);
      html("b", {}, box, shape);
      box.append(name);
    };
    const sign = (text) => html("div", { class: "sign" }, grid, text);
    if (named) html("div", {}, grid);
    names.forEach(({ name, shape, role }, k) => {
      if (k) sign("");
      head(name, shape, role);
    });
    sign("");
    head("their sum", this.data.shape);
    this.operands = [];
    this.sums = [];
    layers.forEach((layer, b) => {
      if (named) html("div", { class: "row" }, grid, layer.name);
      this.operands.push(layer.operands.map((cells, k) => {
        if (k) sign("+");
        return this.operand(grid, cells, layer.sum, names[k], b);
      }));
      sign("=");
      this.sum(grid, layer.sum, b);
    });
    if (reduction?.axis === "b") {
      if (named) html("div", { class: "row" }, grid, reduction.shape);
      for (let k = 1; k < columns; k += 1) html("div", {}, grid);
      this.table(html("div", {}, grid), reduction.cells, (td, i, j, cell) => this.result(td, cell, `b·${i}·${j}`));
    }
    this.place.replaceChildren(grid);
    this.buttons = [...this.place.querySelectorAll("button")];
    this.buttons.forEach((button, k) => (button.tabIndex = k ? -1 : 0));
  }

  // One operand as large as the sum: its own cells with numbers, stretched copies as strips.
  operand(grid, cells, sum, { role }, b) {
    const tall = cells.length === 1 && sum.length > 1, wide = cells[0].length === 1 && sum[0].length > 1;
    const repeated = b > 0 && role === "transition";
    const box = html("div", { class: repeated ? "ghost" : "", "data-name": role, ...(repeated && { title: "the same for every row of the batch" }) }, grid);
    const table = html("table", {}, box);
    this.heads(table, wide ? 1 : sum[0].length, !wide, role !== "emission");
    return sum.map((line, i) => {
      const strips = tall && i > 0;
      const tr = html("tr", strips ? { class: "strips" } : {}, table);
      if (role !== "emission" && this.data.tags.length) html("th", {}, tr, this.data.tags[i]);
      return line.map((_, j) => {
        const [text, background] = cells[tall ? 0 : i][wide ? 0 : j];
        const strip = wide && j > 0;
        const td = html("td", { ...(strip && { class: "strip" }), ...((strip || strips) && { title: `a copy of ${text}` }) }, tr, strip || strips ? null : text);
        td.style.background = background;
        return td;
      });
    });
  }

  heads(table, columns, named, corner) {
    if (!this.data.tags.length) return;
    const head = html("tr", {}, table);
    if (corner) html("th", { class: "corner" }, head, named ? "from ↓ to →" : "from ↓");
    for (let j = 0; j < columns; j += 1) html(named ? "th" : "td", named ? {} : { class: "none" }, head, named ? this.data.tags[j] : "");
  }

  table(box, cells, each) {
    const table = html("table", {}, box);
    this.heads(table, cells[0].length, true, true);
    cells.forEach((line, i) => {
      const tr = html("tr", {}, table);
      if (this.data.tags.length) html("th", {}, tr, this.data.tags[i]);
      line.forEach((cell, j) => each(html("td", {}, tr), i, j, cell));
    });
    return table;
  }

  sum(grid, cells, b) {
    const box = html("div", { "data-name": "sum" }, grid);
    this.sums.push(cells.map(() => []));
    const table = this.table(box, cells, (td, i, j, [text, background]) => {
      td.style.background = background;
      html("button", { type: "button", "data-at": `${b}·${i}·${j}` }, td, text);
      this.sums[b][i][j] = td;
    });
    const { reduction, tags } = this.data;
    if (reduction?.axis === "from") {
      const tr = html("tr", {}, table);
      html("th", { title: reduction.name }, tr, "↓");
      reduction.cells[b].forEach((cell, j) => this.result(html("td", {}, tr), cell, `${b}·*·${j}`, reduction.right[b][j]));
    }
    if (reduction?.axis === "to") {
      html("th", {}, table.rows[0], "→");
      tags.forEach((_, i) => {
        const line = table.rows[i + 1];
        this.result(html("td", {}, line), reduction.cells[b][i], `${b}·${i}·*`, reduction.right[b][i]);
        html("th", { class: "should" }, line, `right: ${reduction.right[b][i]}`);
      });
    }
  }

  result(td, [text, background], at, right = null) {
    td.className = "result";
    td.style.background = background;
    html("button", { type: "button", "data-at": at }, td, text);
    if (right !== text) td.classList.add("wrong");
  }

  look(button) {
    if (!button) return;
    const { layers, tags, reduction } = this.data;
    for (const td of this.place.querySelectorAll("td")) td.classList.remove("lit", "summed");
    button.parentElement.classList.add("lit");
    const [b, i, j] = button.dataset.at.split("·");
    if (Number.isNaN(Number(b + i + j))) { // a result: over all rows, from or to
      const every = (at, n) => (Number.isNaN(Number(at)) ? [...Array(n).keys()] : [Number(at)]);
      const terms = every(b, layers.length).flatMap((layer) => every(i, tags.length).flatMap((row) => every(j, tags.length).map((column) => {
        this.sums[layer][row][column].classList.add("summed");
        return layers[layer].sum[row][column][0];
      })));
      this.told.textContent = `${reduction.name} of ${terms.join(", ")} = ${button.firstChild.textContent}`;
    } else {
      const parts = layers[b].operands.map((cells, k) => {
        const [row, column] = [cells.length === 1 ? 0 : i, cells[0].length === 1 ? 0 : j];
        this.operands[b][k][i][j].classList.add("lit"); // a stretched copy, it may be, of
        this.operands[b][k][row][column].classList.add("lit"); // the number itself
        const part = cells[row][column][0];
        return part.startsWith("−") ? `(${part})` : part;
      });
      const where = tags.length ? `[${layers[b].name}, from ${tags[i]}, to ${tags[j]}]` : `[${i}, ${j}]`;
      this.told.textContent = `${isolated(where)} = ${parts.join(" + ")} = ${layers[b].sum[i][j][0]}`;
    }
    this.buttons.forEach((other) => (other.tabIndex = other === button ? 0 : -1));
  }

  key(event) {
    const button = event.target.closest("button");
    const by = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] }[event.key];
    if (!button || !by || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    const here = button.getBoundingClientRect();
    const away = (other) => {
      const there = other.getBoundingClientRect();
      const along = by[0] ? (there.top - here.top) * by[0] : (there.left - here.left) * by[1];
      const aside = by[0] ? Math.abs(there.left - here.left) : Math.abs(there.top - here.top);
      return along > 4 && aside < 30 ? along + aside : Infinity; // straight on, before askew
    };
    const next = this.buttons.reduce((best, other) => (away(other) < away(best) ? other : best), button);
    if (away(next) < Infinity) next.focus();
  }
}
