// A batch of sentences, computed column by column. Python sends every text and colour of every step and checks the step that goes
// back; nothing is computed here.

import { clipped, fill, followWords, html, isolated, whenTurned } from "../../../crf/figures/shared/dom.js";
import { report, whenData } from "../../../crf/figures/shared/model.js";
import { offerSave } from "../../../crf/figures/shared/save.js";

const SKELETON = `
<div class="batch" data-figure="batch" role="group">
  <div class="bar" data-export="no">
    <button type="button" class="back" title="One step back (←)" aria-label="One step back"><svg viewBox="0 0 16 16" aria-hidden="true"><path d="M11 3v10L4 8z" /></svg></button>
    <button type="button" class="on" title="One step on (→)" aria-label="One step on"><svg viewBox="0 0 16 16" aria-hidden="true"><path d="M5 3v10l7-5z" /></svg></button>
    <input type="range" class="at" min="0" aria-label="Step">
    <span class="count"></span>
  </div>
  <p class="caption" role="status"></p>
  <div class="scroll array" tabindex="0" role="region" aria-label="The padded array"></div>
  <div class="scroll where" tabindex="0" role="region" aria-label="where(mask, new, old)"></div>
</div>`;

export default {
  render({ model, el, signal }) {
    const batch = new Batch(fill(el, SKELETON));
    batch.send = (step) => report(model, "step", step);
    whenTurned(batch.root, (by) => batch.go(batch.step + by), signal);
    whenData(model, signal, (data) => batch.load(data));
  },
};

class Batch {
  send;

  constructor(root) {
    this.root = root;
    offerSave(root);
    this.find = (selector) => root.querySelector(selector);
    this.find(".back").onclick = () => this.go(this.step - 1);
    this.find(".on").onclick = () => this.go(this.step + 1);
    this.find(".at").oninput = (event) => this.go(Number(event.target.value));
    root.onkeydown = (event) => this.key(event);
    followWords((name) => root.querySelectorAll("[data-name]").forEach((part) => part.classList.toggle("lit", part.dataset.name === name)));
  }

  load(data) {
    const text = JSON.stringify(data.drawing);
    if (text === this.text && data.sent === this.sent) return;
    const isNew = text !== this.text;
    this.text = text;
    this.data = data.drawing;
    if (isNew) {
      this.root.setAttribute("aria-label", this.data.label);
      this.last = this.data.captions.length - 1;
      this.find(".at").max = this.last;
      this.build();
    }
    if (this.sent === undefined || data.sent !== this.sent) this.step = data.step;
    this.sent = data.sent;
    this.step = Math.min(this.step, this.last);
    this.paint();
  }

  build() {
    const { rows, tags } = this.data;
    const array = html("table", {}, null);
    this.L = rows[0].words.length;
    this.blocks = rows.map((row) => {
      const head = html("tr", { class: "words" }, array);
      html("th", { scope: "row" }, head, row.name);
      row.words.forEach((word, t) => html("td", row.mask[t] ? { title: word } : { class: "pad" }, head, row.mask[t] ? word : "pad"));
      const fell = html("td", { class: "total", rowspan: tags.length + 2 }, head);
      const masked = html("tr", { class: "inside", "data-name": "mask" }, array);
      html("code", {}, html("th", { scope: "row", class: "tag" }, masked), "mask");
      for (const inside of row.mask) html("td", {}, masked, inside ? "✓" : "✗");
      const cells = tags.map((tag) => {
        const line = html("tr", {}, array);
        html("th", { scope: "row", class: "tag", title: tag }, line, tag);
        return row.words.map(() => html("td", { class: "cell" }, line));
      });
      let path = null;
      if (row.path) {
        const line = html("tr", { class: "path" }, array);
        html("th", { scope: "row", class: "tag" }, line, "best path");
        path = row.words.map(() => html("td", { class: "cell" }, line));
      }
      return { row, cells, path, fell };
    });
    this.find(".array").replaceChildren(array);
  }

  paint() {
    const { step, L, data } = this;
    const column = Math.min(step, L) - 1; // the last that is computed
    const back = step > L ? 2 * L - step : L; // columns from here on have their tag
    const now = step > L ? back : column;
    for (const { row, cells, path, fell } of this.blocks) {
      cells.forEach((line, s) => line.forEach((cell, t) => {
        const [text, background] = step === 0 ? row.emissions[t][s] : row.kept[t][s];
        const shown = step === 0 ? row.mask[t] : t <= column;
        cell.textContent = shown ? text : "";
        cell.style.background = shown ? background : "";
        const pointer = shown && step > 0 && row.mask[t] && row.pointers ? row.pointers[t][s] : -1;
        if (pointer >= 0) html("span", { class: "from" }, cell, `←${clipped(data.tags[pointer], 4)}`);
        cell.title = shown ? `${row.name}, column ${t + 1}, ${data.tags[s]}: ${text}${row.mask[t] ? "" : ", carried along"}` : "";
        cell.classList.toggle("carried", !row.mask[t] && (shown || step === 0));
        cell.classList.toggle("later", !shown);
        cell.classList.toggle("now", t === now && step > 0);
        cell.classList.toggle("onpath", Boolean(row.path) && t >= back && row.path[t] === s);
      }));
      path?.forEach((cell, t) => {
        const known = step > L && t >= back;
        cell.textContent = !known ? "" : row.path[t] >= 0 ? data.tags[row.path[t]] : row.mask[t] ? "none" : "";
        cell.classList.toggle("carried", known && !row.mask[t]);
        cell.classList.toggle("later", !known);
      });
      const out = step >= row.totalAt;
      fell.replaceChildren();
      if (out) {
        html("div", {}, fell, data.total);
        html("b", {}, fell, row.total);
      }
      fell.classList.toggle("fell", step === row.totalAt && step > 0);
    }
    this.where(step <= L ? column : -1);
    this.find(".caption").textContent = isolated(data.captions[step]);
    this.find(".at").value = step;
    this.find(".at").setAttribute("aria-valuetext", data.captions[step]);
    this.find(".count").textContent = `${step} / ${this.last}`;
    this.find(".back").disabled = step === 0;
    this.find(".on").disabled = step === this.last;
    const lit = this.blocks[0].cells[0][Math.max(now, 0)];
    const room = this.find(".array");
    if (lit && step && room.scrollWidth > room.clientWidth) room.scrollLeft = lit.offsetLeft - room.clientWidth / 2;
  }

  // mask[:, t] | new | old: what is chosen stands out, the other is struck through.
  where(t) {
    const place = this.find(".where");
    place.style.minHeight = `calc(${this.data.rows.length * 1.75 + 3} * var(--crf-rem))`; // what follows keeps its place
    if (t < 0) return place.replaceChildren();
    const { data } = this;
    const table = html("table", { "data-name": "where" });
    const head = html("tr", {}, html("thead", {}, table));
    html("td", {}, head, `t = ${t + 1}`);
    const S = data.tags.length;
    for (const [name, span] of [["mask[:, t]", 1], ["new", S], ["old", S]]) {
      if (name !== "mask[:, t]") html("td", { class: "gap" }, head);
      html("code", { "data-name": name.split(/[ [(]/)[0] }, html("td", { colspan: span }, head), name);
    }
    const body = html("tbody", {}, table);
    this.data.rows.forEach((row, b) => {
      const line = html("tr", {}, body);
      html("th", { scope: "row" }, line, row.name);
      html("td", { class: "mask" }, line, row.mask[t] ? "✓ True" : "✗ False");
      const { old, new: fresh } = data.where[t][b];
      const side = (values, chosen) => {
        html("td", { class: "gap" }, line);
        values.forEach((text, s) => html("td", { class: `cell ${chosen ? "chosen" : "out"}`, title: data.tags[s] }, line, text));
      };
      side(fresh, row.mask[t]);
      side(old, !row.mask[t]);
    });
    place.replaceChildren(table);
  }

  // Returns whether there was such a step to go to.
  go(step) {
    step = Math.max(0, Math.min(step, this.last));
    if (step === this.step) return false;
    this.step = step;
    this.paint();
    clearTimeout(this.later);
    this.later = setTimeout(() => this.send(this.step), 400);
    return true;
  }

  key(event) {
    if (event.altKey || event.ctrlKey || event.metaKey || event.target.matches("input")) return;
    const by = { ArrowLeft: -1, PageUp: -1, ArrowRight: 1, PageDown: 1 }[event.key];
    if (!by || (event.target.matches(".scroll") && event.key.startsWith("Arrow") && event.target.scrollWidth > event.target.clientWidth)) return;
    event.preventDefault();
    this.go(this.step + by);
  }
}
