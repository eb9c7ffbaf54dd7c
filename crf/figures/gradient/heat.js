// A table of numbers as a heat map whose cells can be clicked: signed numbers blue below 0 and orange above, counts grey.
// Arrow keys go from cell to cell; one of them is reached by Tab.

import { clipped, html, whenPointed } from "../shared/dom.js";

const SIGNED = { true: "213, 94, 0", false: "0, 114, 178" };

export class Heat {
  pick; signed; rows; columns;

  constructor(host, { rows, columns, title, signed = false, narrow = false, bare = false, pick, point = (_i, _j) => {} }) {
    Object.assign(this, { rows, columns, signed, pick });
    this.root = html("figure", { class: ["heat", narrow && "narrow", bare && "bare"].filter(Boolean).join(" ") }, host);
    html("figcaption", {}, this.root, title);
    const table = html("table", {}, html("div", { class: "scroll" }, this.root));
    const head = html("tr", {}, html("thead", {}, table));
    html("td", {}, head);
    for (const name of columns) html("th", { scope: "col", title: name }, head, clipped(name, narrow ? 3 : 6));
    const body = html("tbody", {}, table);
    this.cells = rows.map((row, i) => {
      const line = html("tr", {}, body);
      html("th", { scope: "row", title: row }, line, clipped(row, 9));
      return columns.map((column, j) => {
        const cell = html("button", { type: "button", tabindex: -1 }, html("td", {}, line));
        cell.onclick = () => this.pick(i, j);
        whenPointed(cell, () => point(i, j));
        cell.onfocus = () => point(i, j);
        cell.onpointerleave = cell.onblur = () => point(null, null);
        cell.onkeydown = (event) => this.key(event, i, j);
        return cell;
      });
    });
    this.reach(0, 0);
  }

  // null: there is no such entry.
  show(values, largest, digits = 2) {
    values.forEach((row, i) =>
      row.forEach((value, j) => {
        const cell = this.cells[i][j];
        cell.hidden = value === null;
        if (value === null) return;
        const short = signedText(value, digits, this.signed).replace(/(^|[+−])0\./, "$1.");
        const text = short === "0" && Math.abs(value) > 1e-9 ? "≈0" : short; // small, but it pushes
        if (cell.textContent !== text) cell.textContent = text;
        cell.setAttribute("aria-label", `${this.rows[i]}, ${this.columns[j]}: ${text}`);
        const share = largest > 0 ? Math.min(Math.abs(value) / largest, 1) : 0;
        const ink = this.signed ? `rgba(${SIGNED[value > 0]}, ${(0.6 * share).toFixed(2)})` : `rgba(118, 118, 118, ${(0.45 * share).toFixed(2)})`;
        cell.style.background = ink;
        cell.classList.toggle("nothing", Math.abs(value) < 0.005);
      }),
    );
  }

  choose(i, j) {
    this.root.querySelectorAll(".chosen").forEach((cell) => cell.classList.remove("chosen"));
    this.cells[i]?.[j]?.classList.add("chosen");
    if (this.cells[i]?.[j]) this.reach(i, j);
  }

  reach(i, j) {
    this.root.querySelector('[tabindex="0"]')?.setAttribute("tabindex", -1);
    this.cells[i][j].setAttribute("tabindex", 0);
  }

  key(event, i, j) {
    const [down, right] = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key] ?? [0, 0];
    const next = this.cells[i + down]?.[j + right];
    if ((!down && !right) || !next || next.hidden) return;
    this.reach(i + down, j + right);
    next.focus();
    event.preventDefault();
    event.stopPropagation();
  }
}

export function signedText(value, digits = 2, signed = true) {
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
  if (Math.abs(value) >= 1e4) return powerText(value);
  const text = Math.abs(value).toFixed(Math.abs(value) >= 100 ? 0 : digits);
  if (Number(text) === 0) return value === 0 || signed ? "0" : "<.01";
  return (value < 0 ? "−" : signed ? "+" : "") + text;
}

export function powerText(value) {
  const [mantissa, exponent] = value.toExponential(1).split("e");
  return `${mantissa.replace("-", "−")}·10${[...String(Number(exponent))].map((c) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[c] ?? "⁻").join("")}`;
}
