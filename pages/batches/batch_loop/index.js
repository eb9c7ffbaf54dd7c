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
    const batch = new Batch(fill(el, SKELETON), (step) => report(model, "step", step));
    whenTurned(batch.root, (by) => batch.go(batch.step + by), signal);
    whenData(model, signal, (data) => batch.load(data));
  },
};

class Batch {
  constructor(root, send) {
    this.root = root;
    this.send = send;
    offerSave(root);
    this.find = (selector) => root.querySelector(selector);
    this.find(".back").onclick = () => this.go(this.step - 1);
    this.find(".on").onclick = () => this.go(this.step + 1);
    this.find(".at").oninput = (event) => this.go(Number(event.target.value));
    root.onkeydown = (event) => this.key(event);
    followWords((name) => root.querySelectorAll("[data-name]").forEach((part) => part.classList.toggle("lit", part.dataset.name === name)));
  }

  load({ drawing, step, sent }) {
    const text = JSON.stringify(drawing);
    if (text === this.text && sent === this.sent) return;
    if (text !== this.text) {
      this.text = text;
      this.data = drawing;
      this.last = drawing.captions.length - 1;
      this.build();
    }
    if (sent !== this.sent) this.step = step;
    this.sent = sent;
    this.step = Math.min(this.step, this.last);
    this.paint();
  }

  build() {
    const { rows, tags, label } = this.data;
    this.root.setAttribute("aria-label", label);
    this.find(".at").max = this.last;
    const array = html("table");
    this.L = rows[0].words.length;
    this.blocks = rows.map((row) => {
      const head = html("tr", { class: "words" }, array);
      html("th", { scope: "row" }, head, row.name);
      row.words.forEach((word, t) => html("td", row.mask[t] ? { title: word } : { class: "pad" }, head, row.mask[t] ? word : "pad"));
      const fell = html("td", { class: "total", rowspan: tags.length + 2 }, head);
      const masked = html("tr", { class: "inside", "data-name": "mask" }, array);
      html("code", {}, html("th", { scope: "row", class: "tag" }, masked), "mask");
      for (const inside of row.mask) html("td", {}, masked, inside ? "✓" : "✗");
      const line = (name, kind = "") => {
        const made = html("tr", { class: kind }, array);
        html("th", { scope: "row", class: "tag", title: name }, made, name);
        return row.words.map(() => html("td", { class: "cell" }, made));
      };
      return { row, cells: tags.map((tag) => line(tag)), path: row.path && line("best path", "path"), fell };
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
      fell.replaceChildren(...(step >= row.totalAt ? [html("div", {}, null, data.total), html("b", {}, null, row.total)] : []));
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
    html("code", { "data-name": "mask" }, html("td", {}, head), "mask[:, t]");
    for (const name of ["new", "old"]) {
      html("td", { class: "gap" }, head);
      html("code", { "data-name": name }, html("td", { colspan: data.tags.length }, head), name);
    }
    const body = html("tbody", {}, table);
    data.rows.forEach((row, b) => {
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
