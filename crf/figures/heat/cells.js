// A table of cells to pick from. Python sends every text and colour; nothing is computed here.

import { clipped, element } from "../shared/dom.js";

export class Cells {
  root;
  send;

  // `send` gets the row and column of the cell that is picked.
  constructor(root, send) {
    Object.assign(this, { root, send });
    this.at = [0, 0]; // the one cell that Tab reaches; arrow keys go on from it
    this.painted = new WeakMap(); // button -> its cell, as text
    root.onclick = (event) => this.pick(event.target);
    root.onkeydown = (event) => this.key(event);
  }

  load(data) {
    const form = JSON.stringify([data.columns, data.rows.map((row) => row.name), data.sums, data.footer.length]);
    this.data = data;
    if (form !== this.form) this.build();
    this.form = form;
    this.paint();
  }

  build() {
    const { columns, rows, sums, footer, letters = [Infinity, Infinity] } = this.data; // of a row's name, of a column's
    // Null: there is none.
    this.buttons = rows.map(({ cells }) => cells.map((cell) => cell && element("button", { type: "button" })));
    this.texts = rows.map(() => sums.map(() => element("td", { className: "sum" })));
    this.feet = footer.map(() => columns.map(() => element("td")));
    this.caption = element("caption");
    this.corner = element("td");
    const heading = (text, scope) =>
      element(
        "th",
        { scope, title: text },
        element("bdi", { textContent: clipped(text, letters[Number(scope === "col")]) }),
      );
    const head = element(
      "tr",
      {},
      this.corner,
      ...columns.map((name) => heading(name, "col")),
      ...sums.map((name) => heading(name, "col")),
    );
    const body = rows.map((row, i) =>
      element(
        "tr",
        {},
        heading(row.name, "row"),
        ...this.buttons[i].map((button) => element("td", {}, ...(button ? [button] : []))),
        ...this.texts[i],
      ),
    );
    this.names = footer.map(() => element("th", { scope: "row" }));
    const feet = this.feet.map((cells, k) => element("tr", { className: "foot" }, this.names[k], ...cells));
    this.root.replaceChildren(
      element("table", {}, this.caption, element("thead", {}, head), element("tbody", {}, ...body, ...feet)),
    );
    this.at = [0, 0];
  }

  paint() {
    const { data } = this;
    this.root.setAttribute("aria-label", data.label);
    this.caption.textContent = data.label;
    this.corner.textContent = data.corner;
    let pressed = null;
    data.rows.forEach((row, i) => {
      row.cells.forEach((cell, j) => {
        if (!cell) return;
        const [text, background, colour, about, isPressed] = cell;
        const button = this.buttons[i][j];
        if (isPressed) pressed ??= [i, j];
        if (this.painted.get(button) === String(cell)) return;
        this.painted.set(button, String(cell));
        button.textContent = text;
        button.style.background = background;
        button.style.color = colour;
        button.title = about;
        button.setAttribute("aria-label", about);
        button.setAttribute("aria-pressed", isPressed);
      });
      row.sums.forEach((text, k) => (this.texts[i][k].textContent = text));
    });
    data.footer.forEach(([name, texts], k) => {
      this.names[k].textContent = name;
      texts.forEach((text, j) => (this.feet[k][j].textContent = text));
    });
    if (pressed && !this.root.contains(this.root.getRootNode().activeElement)) this.at = pressed;
    this.reach();
  }

  reach() {
    const [row, column] = this.at;
    this.buttons.forEach((line, i) =>
      line.forEach((button, j) => button && (button.tabIndex = i === row && j === column ? 0 : -1)),
    );
  }

  placeOf(target) {
    const button = target.closest("button") ?? undefined; // null stands where there is none
    const i = this.buttons.findIndex((line) => line.includes(button));
    return i < 0 ? null : [i, this.buttons[i].indexOf(button)];
  }

  pick(target) {
    const place = this.placeOf(target);
    if (!place) return;
    this.at = place;
    this.reach();
    this.send(place);
  }

  key(event) {
    const go = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key];
    if (!go || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    event.stopPropagation();
    const [i, j] = [this.at[0] + go[0], this.at[1] + go[1]];
    if (!this.buttons[i]?.[j]) return;
    this.at = [i, j];
    this.reach();
    this.buttons[i][j].focus();
  }
}
