// A table of switches: which tag may follow which. Python sends every text and is told which cell was pressed.

import { element, fill } from "../../../crf/figures/shared/dom.js";
import { report, whenData } from "../../../crf/figures/shared/model.js";

const SKELETON = `<div class="allowed" data-figure="allowed"></div>`;

export default {
  render({ model, el, signal }) {
    const table = new Allowed(fill(el, SKELETON));
    table.send = (cell) => report(model, "press", cell);
    whenData(model, signal, (data) => table.load(data));
  },
};

class Allowed {
  send;

  constructor(root) {
    this.root = root;
    this.at = [0, 0]; // the one cell that Tab reaches
    root.onkeydown = (event) => this.key(event);
  }

  load(data) {
    if (this.data && data.serial < this.data.serial) return; // two repaints may arrive in the wrong order
    const form = JSON.stringify([data.rows, data.columns]);
    if (form !== this.form) this.build(data);
    this.form = form;
    this.data = data;
    data.cells.forEach((row, i) => row.forEach((cell, j) => this.paint(this.buttons[i][j], cell)));
  }

  build({ rows, columns, caption, cells }) {
    this.at = [0, 0];
    this.buttons = cells.map((row, i) => row.map((cell, j) => this.button(cell, i, j)));
    const named = (name, scope) => element("th", { scope }, element("bdi", { textContent: name, title: name }));
    const head = element("tr", {}, element("td"), ...columns.map((name) => named(name, "col")));
    const body = this.buttons.map((row, i) =>
      element("tr", {}, named(rows[i], "row"), ...row.map((button) => element("td", {}, ...(button ? [button] : [])))));
    const table = element("table", {}, element("caption", { textContent: caption }), element("thead", {}, head), element("tbody", {}, ...body));
    this.root.replaceChildren(table);
  }

  button(cell, i, j) {
    if (!cell) return null;
    const button = element("button", { type: "button", tabIndex: i || j ? -1 : 0 });
    button.onclick = () => this.press(i, j);
    return button;
  }

  paint(button, cell) {
    if (!button) return;
    button.textContent = cell.allowed ? "✓" : "✕";
    button.setAttribute("aria-pressed", cell.allowed);
    button.setAttribute("aria-label", cell.about);
    button.title = cell.about;
    button.classList.toggle("own", cell.own);
  }

  press(i, j) {
    this.focus(i, j);
    this.send([i, j]);
  }

  focus(i, j) {
    const [a, b] = this.at;
    this.buttons[a][b].tabIndex = -1;
    this.at = [i, j];
    this.buttons[i][j].tabIndex = 0;
    this.buttons[i][j].focus();
  }

  key(event) {
    const move = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key];
    if (!move) return;
    const [i, j] = [this.at[0] + move[0], this.at[1] + move[1]];
    event.preventDefault();
    if (this.buttons[i]?.[j]) this.focus(i, j);
  }
}
