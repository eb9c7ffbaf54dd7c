// Code with one wrong line, and its results beside it: a nan is drawn as ink and spreads.

import { clipped, html, svg } from "../../../crf/figures/shared/dom.js";
import { curve, mesh } from "../../../crf/figures/trellis/edges.js";
import { cell, sheet, text } from "./cells.js";

const [LOW, ON_PHONE] = [230, 13]; // px

export class Code {
  host;
  code;
  result;
  svg;
  bug;
  words;
  lines = "";

  constructor(root, host) {
    this.host = host;
    root.classList.add("beside");
    this.code = html("div", { class: "code", role: "radiogroup" }, root);
    this.result = html("div", { class: "result" }, root);
    this.svg = svg("svg", { role: "img" }, this.result);
    this.code.onkeydown = (event) => this.key(event);
  }

  key(event) {
    const by = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    if (!by || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    const buttons = [...this.code.children];
    buttons[buttons.indexOf(event.target.closest("button")) + by]?.focus();
  }

  draw({ words, now }, size) {
    const { bug } = now;
    this.bug = bug;
    this.words = words;
    this.code.setAttribute("aria-label", words.line);
    if (this.lines !== bug.lines.join("\n")) this.write(bug);
    this.lines = bug.lines.join("\n");
    const longest = Math.max(...bug.lines.map((line) => line.length));
    const letters = Math.min(
      (this.code.clientWidth - 14) / (longest * 0.605 + 2.1),
      (this.code.clientHeight - 10) / bug.lines.length / 1.3,
      20 * size.k,
    );
    this.code.style.fontSize = `${size.phone ? ON_PHONE : letters}px`; // there a long line goes on below
    [...this.code.children].forEach((button, k) => {
      button.setAttribute("aria-checked", String(k === bug.clicked));
      button.classList.toggle("found", k === bug.clicked && bug.found);
      button.classList.toggle("missed", k === bug.clicked && !bug.found);
      button.tabIndex = k === Math.max(bug.clicked, 0) ? 0 : -1;
    });
    const place = { width: this.result.clientWidth, height: this.result.clientHeight };
    sheet(this.svg, place);
    this.svg.setAttribute("aria-label", words.label);
    const alone = place.height < LOW && bug.cells?.got; // no room for both
    const half = place.height / (alone ? 1 : 2);
    if (bug.cells) {
      const known = Boolean(bug.cells.got);
      this.trellis(
        0,
        half,
        place.width,
        size.k,
        bug.found ? `${words.line} ${bug.clicked + 1}` : words["this-code"],
        "",
        bug.cells.got,
        bug.results[bug.row].got,
      );
      if (alone) return;
      if (known)
        this.trellis(
          half,
          half,
          place.width,
          size.k,
          words["set-right"],
          bug.mended,
          bug.cells.right,
          bug.results[bug.row].right,
        );
      else this.results(half, half, place.width, size.k);
    } else {
      this.results(0, place.height - (bug.mended ? 40 * size.k : 0), place.width, size.k);
      if (bug.mended && bug.results[0].got !== undefined) this.mended(place.height - 20 * size.k, place.width, size.k);
    }
  }

  // The line as it should be.
  mended(y, wide, k) {
    const size = Math.min(18 * k, (wide - 110 * k) / (this.bug.mended.length * 0.605));
    text(this.svg, 4, y, 18 * k, this.words["set-right"], "title");
    text(this.svg, 100 * k, y, size, this.bug.mended, "code");
  }

  write({ lines }) {
    this.code.replaceChildren(
      ...lines.map((line, k) => {
        const button = html("button", { type: "button", role: "radio", "data-line": k });
        html("span", { class: "number", "aria-hidden": "true" }, button, String(k + 1));
        html("span", {}, button, line || " ");
        button.onclick = () => this.host.set("line", `${this.bug.name}.${k}`);
        return button;
      }),
    );
  }

  // One row's cells by this code, or by the corrected one.
  trellis(top, high, wide, k, title, line, values, total) {
    const { bug, words } = this;
    const { tags } = bug.cells;
    const n = bug.words.length;
    const small = Math.min(18 * k, high * 0.09);
    text(this.svg, 4, top + small, small * 1.1, title, "title");
    if (line)
      text(
        this.svg,
        12 + title.length * small * 0.62,
        top + small,
        Math.min(small * 1.06, (wide - title.length * small * 0.62 - 14) / (line.length * 0.605)),
        line,
        "code",
      );
    const [tag, box] = [small * 4.2, Math.min(78 * k, wide * 0.17)];
    const pitch = (wide - tag - box - 10) / n;
    const head = small * (line ? 3.5 : 2);
    const row = Math.min((high - head - 6) / tags.length, 40 * k);
    const middle = top + head + 4 + (row * tags.length) / 2;
    const at = (r) => top + head + 4 + (r + 0.5) * row;
    const x = (t) => tag + (t + 0.46) * pitch;
    const half = pitch * 0.32;
    const bad = (t, r) => values?.[t]?.[r] === "nan";
    bug.words.forEach((word, t) => {
      text(
        this.svg,
        x(t),
        top + head - small * 0.55,
        small * 1.15,
        clipped(word || words["no-word"], 9),
        word ? "word" : "none",
      );
      if (t)
        svg(
          "path",
          {
            class: "thin",
            d: mesh(
              x(t - 1) + half,
              x(t) - half,
              tags.map((_, r) => at(r)),
            ),
          },
          this.svg,
        );
    });
    bug.words.forEach((_, t) =>
      tags.forEach((name, r) => {
        if (!t) text(this.svg, tag - 6, at(r), Math.min(small, row * 0.7), clipped(name, 8), "tag");
        if (bad(t, r))
          for (let from = 0; from < tags.length; from++)
            if (t && (bad(t - 1, from) || (values[t - 1][from] === "-inf" && from === r)))
              svg("path", { class: "spreads", d: curve(x(t - 1) + half, at(from), x(t) - half, at(r)) }, this.svg);
      }),
    );
    const end = wide - box / 2 - 4;
    tags.forEach((_, r) =>
      svg(
        "path",
        { class: bad(n - 1, r) ? "spreads" : "thin", d: curve(x(n - 1) + half, at(r), end - box / 2, middle) },
        this.svg,
      ),
    );
    bug.words.forEach((word, t) =>
      tags.forEach((_, r) => {
        const value = values ? values[t][r] : null;
        const group = cell(this.svg, x(t), at(r), half * 2, row - 4, {
          value,
          share: share(values?.[t], r),
          classes: word ? "" : "wordless",
        });
        if (!values) text(group, x(t), at(r), (row - 4) * 0.6, "?", "number");
      }),
    );
    const group = svg(
      "g",
      { class: `cell of-row${total === "nan" ? " nan" : ""}${total ? "" : " unknown"}` },
      this.svg,
    );
    svg(
      "rect",
      { class: "body", x: end - box / 2, y: middle - row * 0.65, width: box, height: row * 1.3, rx: 7 },
      group,
    );
    svg(
      "rect",
      { class: "frame", x: end - box / 2, y: middle - row * 0.65, width: box, height: row * 1.3, rx: 7 },
      group,
    );
    text(group, end, middle, Math.min(box * 0.25, row * 0.7), total ?? "?", "number");
    text(this.svg, end, middle - row * 0.65 - small * 0.8, small, words["log-z"], "label");
  }

  // The code's result for each row, beside the right one.
  results(top, high, wide, k) {
    const { bug, words } = this;
    const size = Math.min(20 * k, high / (bug.results.length + 1) / 2.2);
    const line = Math.min(high / (bug.results.length + 1), size * 4.4);
    const long = Math.max(...bug.results.map(({ got = "", right = "" }) => Math.max(got.length, right.length))) > 9;
    const first = wide * (long ? 0.34 : 0.56);
    const column = (wide - first) / 2;
    if (bug.premise)
      text(
        this.svg,
        4,
        top + line / 2,
        Math.min(size, (first - 8) / (bug.premise.length * 0.56)),
        bug.premise,
        "title",
      );
    ["", words["this-code"], words.right].forEach(
      (head, i) => head && text(this.svg, first + (i - 0.5) * column, top + line / 2, size, head, "label"),
    );
    bug.results.forEach(({ words: names, got, right, same }, b) => {
      const y = top + (b + 1.5) * line;
      text(
        this.svg,
        4,
        y,
        size * 1.1,
        clipped(names.join(" ") || words["no-word"], Math.floor(first / (size * 0.56))),
        `word row${b === bug.row ? " now" : ""}`,
      );
      [got, right].forEach((value, i) => {
        const x = first + (i + 0.5) * column;
        const group = svg(
          "g",
          {
            class: `cell${value === "nan" ? " nan" : value === undefined ? " unknown" : ""}${i === 0 && same === false ? " wrong" : ""}`,
          },
          this.svg,
        );
        const box = { x: x - column / 2 + 6, y: y - line * 0.36, width: column - 12, height: line * 0.72, rx: 8 };
        svg("rect", { class: "body", ...box }, group);
        svg("rect", { class: "frame", ...box }, group);
        const shown = value ?? "?";
        const lines = shown.length > 12 ? halves(shown) : [shown];
        const letters = Math.min(size * 1.1, (column - 20) / (Math.max(...lines.map((one) => one.length)) * 0.58));
        lines.forEach((one, n) =>
          text(group, x, y + (n - (lines.length - 1) / 2) * letters * 1.15, letters, one, "number"),
        );
      });
    });
  }
}

// A long path on two lines.
function halves(path) {
  const names = path.split(" ");
  const middle = Math.ceil(names.length / 2);
  return [names.slice(0, middle).join(" "), names.slice(middle).join(" ")];
}

// A number's share of its column, for the level.
function share(column, r) {
  if (!column || column.some((value) => typeof value === "string" && value !== "-inf")) return 0;
  const numbers = column.map((value) => (value === "-inf" ? -Infinity : value));
  const top = Math.max(...numbers);
  const all = numbers.reduce((sum, value) => sum + Math.exp(value - top), 0);
  return Math.exp(numbers[r] - top) / all;
}
