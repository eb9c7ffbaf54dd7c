// A matrix of numbers as a heat map whose cells can be clicked: signed numbers blue below 0 and orange above, counts grey.

import { decimal } from "../shared/decimal.js";
import { Cells } from "../heat/cells.js";
import { html } from "../shared/dom.js";

const SIGNED = { true: "213, 94, 0", false: "0, 114, 178" };
const FAINT = "color-mix(in srgb, var(--crf-ink) 68%, var(--crf-paper))";

export class Heat {
  rows;
  columns;
  title;
  signed;
  narrow;

  constructor(host, { rows, columns, title, signed = false, narrow = false, bare = false, pick }) {
    Object.assign(this, { rows, columns, title, signed, narrow });
    this.root = html("figure", { class: `heat ${narrow ? "narrow" : ""} ${bare ? "bare" : ""}` }, host);
    html("figcaption", {}, this.root, title);
    this.cells = new Cells(html("div", { class: "scroll", role: "group" }, this.root), ([i, j]) => pick(i, j));
  }

  // null: there is no such entry.
  show(values, largest, digits = 2) {
    this.shown = [values, largest, digits];
    const cell = (value, i, j) => {
      if (value === null) return null;
      const short = signedText(value, digits, this.signed).replace(/(^|[+−])0\./, "$1.");
      const text = short === "0" && Math.abs(value) > 1e-9 ? "≈0" : short; // small, but it pushes
      const share = largest > 0 ? Math.min(Math.abs(value) / largest, 1) : 0;
      const [hue, most] = this.signed ? [SIGNED[value > 0], 0.6] : ["118, 118, 118", 0.45];
      const ink = Math.abs(value) < 0.005 ? FAINT : "inherit";
      const about = `${this.rows[i]}, ${this.columns[j]}: ${text}`;
      return [text, `rgba(${hue}, ${(most * share).toFixed(2)})`, ink, about, this.chosen === `${i} ${j}`];
    };
    const rows = this.rows.map((name, i) => ({
      name,
      cells: values[i].map((value, j) => cell(value, i, j)),
      sums: [],
    }));
    const letters = [9, this.narrow ? 3 : 6];
    this.cells.load({ label: this.title, corner: "", columns: this.columns, rows, sums: [], footer: [], letters });
  }

  choose(i, j) {
    if (this.chosen === `${i} ${j}`) return;
    this.chosen = `${i} ${j}`;
    if (this.shown) this.show(...this.shown);
  }
}

export function signedText(value, digits = 2, signed = true) {
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
  if (Math.abs(value) >= 1e4) return powerText(value);
  const text = decimal(Math.abs(value).toFixed(Math.abs(value) >= 100 ? 0 : digits));
  if (Number(text) === 0) return value === 0 || signed ? "0" : "<.01";
  return (value < 0 ? "−" : signed ? "+" : "") + text;
}

export function powerText(value) {
  const [mantissa, exponent] = value.toExponential(1).split("e");
  return `${mantissa.replace("-", "−")}·10${[...String(Number(exponent))].map((c) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[c] ?? "⁻").join("")}`;
}
