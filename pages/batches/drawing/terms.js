// The scores that one loop reads for each row's path: a colour for each reason to count, struck out where it does not.

import { clipped, html, svg } from "../../../crf/figures/shared/dom.js";
import { number, plain, signed } from "../../../crf/figures/trellis/numbers.js";
import { cell, frame, sheet, text, word } from "./cells.js";

const REASONS = [
  ["word", "emission"],
  ["pair", "transition"],
  ["ends", "edge"],
];

export class Terms {
  svg;
  reasons;
  picture;
  now;
  at;

  constructor(root) {
    this.svg = svg("svg", { role: "img" }, root);
    this.reasons = html("ul", { class: "reasons" }, root);
  }

  draw(picture, size) {
    const { words, rows, now } = picture;
    this.svg.setAttribute("aria-label", words.label);
    this.reasons.replaceChildren();
    for (const [name, role] of REASONS) {
      const line = html("li", { class: role }, this.reasons);
      html("b", {}, line, words[`name-${name}`]);
      html("span", {}, line, ` ${words[`reason-${name}`]}`);
      html("code", {}, line, words[`mask-${name}`]);
    }
    const height = size.height - this.reasons.offsetHeight;
    Object.assign(this, { picture, now, at: arrange(picture, { ...size, height }) });
    sheet(this.svg, { ...size, height });
    rows.forEach((row, b) => this.drawRow(row.words, b));
    const { at } = this;
    const left = at.x(now.column) - at.pitch / 2 - at.small * 1.8;
    frame(this.svg, left, 2, at.x(now.column) + at.cell / 2 + at.small - left, height - 6);
  }

  drawRow(names, b) {
    const { at, picture, now } = this;
    const { path, emissions, transitions, start, end, so_far: soFar, begins, ends, words } = picture;
    const y = at.y(b);
    for (let t = at.first; t < at.first + at.view; t++) {
      const [x, there, late] = [at.x(t), Boolean(names[t]), t > now.column];
      const missing = there ? "" : "none";
      if (t > at.first || t === begins[b])
        svg(
          "path",
          {
            class: `line ${missing}${late ? " late" : ""}`,
            d: `M${x - at.pitch + (t === begins[b] ? at.pitch * 0.5 : at.cell / 2)} ${y}H${x - at.cell / 2}`,
          },
          this.svg,
        );
      word(this.svg, x, y - at.high / 2 - at.word * 0.9, at.word, names[t], {
        least: at.least,
        none: words["no-word"],
        room: at.pitch * 0.7,
        bold: t === now.column,
      });
      const group = svg("g", { class: `tagged ${missing}${late ? " late" : ""}` }, this.svg);
      svg("rect", { x: x - at.cell / 2, y: y - at.high / 2, width: at.cell, height: at.high, rx: 7 }, group);
      text(group, x, y - at.small * 0.35, at.small * 1.1, clipped(path[b][t], 8));
      const out = !there && t === now.column;
      if (t === begins[b]) this.pill("edge", x - at.pitch / 2, y, start[b][t], late);
      else if (t > at.first && transitions[b][t] !== null)
        this.pill(`transition${missing && " none"}`, x - at.pitch / 2, y, transitions[b][t], late || !there, out);
      this.pill(
        `emission${missing && " none"}`,
        x,
        y + at.high / 2 + at.small * 0.3,
        there ? emissions[b][t] : 0,
        late || !there,
        out,
      );
      if (t === ends[b])
        this.pill("edge", x + at.cell / 2 + at.small * 0.6, y - at.high / 2 + at.small * 0.2, end[b][t], late);
    }
    const value = soFar[b][Math.min(now.column, names.length - 1)];
    cell(this.svg, at.total, y, at.box, at.high * 1.15, {
      value,
      digits: Number.isInteger(number(value) * 10) ? 1 : 2,
      share: now.column >= ends[b] ? 1 : 0,
      classes: "of-row",
    });
    if (!b) text(this.svg, at.total, y - at.high * 0.6 - at.small * 0.9, at.small, words["so-far"], "label");
  }

  pill(role, x, y, score, faint, out = false) {
    const { at } = this;
    const value = number(score);
    const [wide, high] = [at.small * 3.1, at.small * 1.55];
    const group = svg(
      "g",
      { class: `pill ${role}${faint ? " faint" : ""}`, "data-sign": value === -Infinity ? "never" : Math.sign(value) },
      this.svg,
    );
    svg("rect", { x: x - wide / 2, y: y - high / 2, width: wide, height: high, rx: high / 2 }, group);
    text(group, x, y, at.small, value === -Infinity ? plain(value, 0) : signed(value));
    if (out)
      svg(
        "path",
        { class: "struck", d: `M${x - wide * 0.55} ${y + high * 0.4}L${x + wide * 0.55} ${y - high * 0.4}` },
        this.svg,
      );
  }
}

function arrange({ rows, now }, { width, height, k, phone, edge, least }) {
  const [B, L] = [rows.length, rows[0].words.length];
  const box = phone ? 64 : 88 * k;
  const room = width - 2 * edge - box - (phone ? 6 : 30 * k);
  const view = Math.min(L, Math.max(Math.floor(room / (phone ? 128 : 132 * k)), 1));
  const first = Math.min(Math.max(now.column - view + (phone ? 1 : 2), 0), L - view);
  const pitch = Math.min(room / (view + 0.3), 230 * k);
  const line = height / B;
  const left = edge + Math.max(room - pitch * (view + 0.3), 0) / 2;
  const small = Math.max(Math.min(17 * k, line * 0.15, pitch * 0.12), least);
  return {
    k,
    view,
    first,
    pitch,
    box,
    small,
    word: Math.min(23 * k, line * 0.19, pitch * 0.17),
    least,
    cell: pitch * 0.5,
    high: Math.min(line * 0.36, 52 * k),
    x: (t) => left + (t - first + 0.8) * pitch,
    y: (b) => (b + 0.53) * line,
    total: Math.min(left + (view + 0.3) * pitch + 20 * k + box / 2, width - box / 2 - 4),
  };
}
