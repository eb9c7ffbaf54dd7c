// What the recursion costs, and what joining pieces of trellis saves: the trick, two trees, three ways in numbers, what was measured.

import { grouped } from "../../crf/figures/shared/decimal.js";
import { fill, html, isolated, put } from "../../crf/figures/shared/dom.js";
import { drawTrick, Trees } from "./trees.js";

const SKELETON = `
<div class="costs" data-figure="cost">
  <svg role="group"></svg>
  <div class="pickers"></div>
  <div class="table" role="table"></div>
  <div class="sliders"><label><span></span><input name="long" type="range" min="1" max="14"><output></output></label><label><span></span><input name="tags" type="range" min="2" max="64"><output></output></label></div>
  <div class="entries" hidden></div>
</div>`;

export class CostPicture {
  root;
  view;
  host;
  trees;
  moved = false; // whether a slider is on its way

  constructor(el, host, signal) {
    this.root = fill(el, SKELETON);
    this.host = host;
    this.find = (part) => this.root.querySelector(part);
    this.trees = new Trees(this.find("svg"), (piece) => this.openEntries(piece));
    for (const input of this.root.querySelectorAll(".sliders input")) {
      input.oninput = () => {
        this.moved = true;
        this.host.set(input.name, input.value, false);
      };
      input.onchange = () => {
        this.moved = false;
        this.host.set(input.name, input.value);
      };
      input.onpointerup = () => input.blur();
    }
    const watch = new ResizeObserver(() => this.draw());
    watch.observe(this.root);
    signal.addEventListener("abort", () => watch.disconnect());
  }

  show(view) {
    this.view = view;
    this.moved = false;
    this.root.dataset.shows = view.beat;
    this.find("svg").setAttribute("aria-label", view.heading);
    this.find(".table").setAttribute("aria-label", view.heading);
    this.openEntries(null);
    this.writePickers();
    this.draw();
  }

  showNow(now, moves = false, veils = false) {
    const before = this.view.picture.now;
    if (now.picture) Object.assign(this.view.picture, now.picture);
    this.view.picture.now = now;
    this.root.classList.toggle("moves", Boolean(moves));
    this.root.classList.toggle("veils", veils);
    if (before.round !== now.round) this.openEntries(null);
    this.draw();
  }

  draw() {
    const { clientWidth: width, clientHeight: whole } = this.root;
    if (!this.view || !width || whole < 60) return;
    const { picture: drawn, beat } = this.view;
    if (beat === "depth") return this.writeDepth(drawn);
    if (beat === "measured") return this.writeMeasured(drawn);
    const pickers = this.find(".pickers");
    const below = beat === "trees" && getComputedStyle(pickers).position === "static" ? pickers.offsetHeight : 0;
    const height = whole - below;
    const svg = this.find("svg");
    put(svg, { width, height });
    svg.style.setProperty("--k", String(width < 640 ? 0.82 : Math.min(Math.max(width / 1280, 0.8), 1.6)));
    if (beat === "trick") drawTrick(svg, drawn, width, height, (from, to) => this.host.set("way", `${from}.${to}`));
    else this.trees.draw(drawn, width, height);
  }

  // Choices of one each: the order of joining and the semiring, or what the scan is measured against.
  writePickers() {
    const { picture: drawn, beat } = this.view;
    const groups =
      beat === "trees"
        ? [
            ["shape", drawn.shapes],
            ["semiring", drawn.semirings],
          ]
        : beat === "measured"
          ? [["against", drawn.ways]]
          : [];
    const room = this.find(".pickers");
    const focused =
      room.contains(document.activeElement) || room.contains(room.getRootNode().activeElement)
        ? room.getRootNode().activeElement?.dataset.pick
        : null;
    room.replaceChildren();
    if (drawn.question) html("span", {}, room, drawn.question);
    for (const [name, options] of groups) {
      const group = html("div", { class: "choices", role: "group" }, room);
      for (const { name: value, label } of options) {
        const button = html(
          "button",
          { type: "button", "data-pick": `${name}:${value}`, "aria-pressed": String(drawn[name] === value) },
          group,
          label,
        );
        button.onclick = () => this.host.set(name, value);
        if (focused === button.dataset.pick) button.focus();
      }
    }
  }

  // The numbers of a piece: from the tags at its left to those at its right.
  openEntries(piece) {
    const box = this.find(".entries");
    const same = !piece || box.dataset.of === piece.key || !piece.matrix.length;
    box.hidden = same;
    box.dataset.of = same ? "" : piece.key;
    box.replaceChildren();
    if (same) return;
    const names = this.view.picture.tag_names;
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

  // ---------------------------------------------------------------- tables

  // Numbers with bars as long as their logarithms.
  writeDepth({ columns, rows, most, long, tags, count, labels }) {
    const table = this.find(".table");
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
    for (const [i, label] of [...this.root.querySelectorAll(".sliders label")].entries()) {
      const [name, input, output] = label.children;
      name.textContent = labels[i];
      if (!this.moved) input.value = String(i ? tags : long);
      output.textContent = i ? String(tags) : count;
      input.setAttribute("aria-valuetext", output.textContent);
    }
  }

  // How many times as fast the scan is: the darker, the faster; a line where that ends.
  writeMeasured({ lengths, sizes, cells, axes, wins }) {
    const table = this.find(".table");
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
