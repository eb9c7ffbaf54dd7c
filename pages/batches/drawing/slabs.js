// One step as broadcasting: three tensors with a size of 1 are used again along it, and meet in one sum.

import { clipped, svg, whenPointed } from "../../../crf/figures/shared/dom.js";
import { number, plain, signed } from "../../../crf/figures/trellis/numbers.js";
import { sheet, text } from "./cells.js";

const BEHIND = 12; // px by which a row's slab stands behind the one before

export class Slabs {
  host;
  svg;
  picture;
  size;
  cell;
  slabs;
  words;
  at;
  pointed; // [row, from, to] of the cell under the pointer

  constructor(root, host) {
    this.host = host;
    this.svg = svg("svg", { role: "group" }, root);
    this.svg.addEventListener("click", ({ target }) => this.pick(target.closest("[data-at]")?.dataset.at));
    this.svg.addEventListener("keydown", (event) => this.key(event));
    whenPointed(this.svg, ({ target }) => this.point(target.closest(".sum [data-at]")?.dataset.at));
    this.svg.onpointerleave = () => this.point(undefined);
  }

  // What is pointed at is shown in place of the chosen cell.
  point(place) {
    const cell = place?.split(".").map(Number);
    if (String(cell) === String(this.pointed)) return;
    this.pointed = cell;
    this.draw(this.picture, this.size);
  }

  pick(place) {
    if (place) this.host.set("cell", place);
  }

  // Arrow keys go from cell to cell of the sum.
  key(event) {
    const by = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key];
    if (!by || event.altKey || event.ctrlKey || event.metaKey || !event.target.closest(".sum")) return;
    event.preventDefault();
    event.stopPropagation();
    const [b, i, j] = this.picture.now.cell;
    const K = this.picture.now.slabs.tags.length;
    this.pick([b, Math.min(Math.max(i + by[0], 0), K - 1), Math.min(Math.max(j + by[1], 0), K - 1)].join("."));
  }

  draw(picture, size) {
    const { now, words } = picture;
    const { slabs } = now;
    const held = this.svg.contains(/** @type {any} */ (this.svg.getRootNode()).activeElement);
    Object.assign(this, { picture, size, cell: this.pointed ?? now.cell, slabs, words });
    sheet(this.svg, size);
    this.svg.setAttribute("aria-label", words.label);
    const [B, K] = [slabs.rows.length, slabs.tags.length];
    const { cell } = this;
    const [b] = cell;
    this.at = arrange(size, B, K);
    const { at } = this;
    const shape = (...sizes) => sizes;
    const tensors = [
      {
        role: "previous",
        shape: shape(B, slabs.all, 1),
        code: "alpha[:, :, None]",
        about: words["one-column"],
        read: (i) => plain(number(slabs.alpha[b][i]), 2),
        own: (_, j) => j === 0,
        on: (i) => i === cell[1],
      },
      {
        role: "transition",
        shape: shape(1, slabs.all, slabs.all),
        code: "T[None]",
        about: words["one-table"],
        read: (i, j) => signed(number(slabs.transitions[i][j])),
        own: () => true,
        on: (i, j) => i === cell[1] && j === cell[2],
      },
      {
        role: "emission",
        shape: shape(B, 1, slabs.all),
        code: "e[:, t, None]",
        about: words["one-word"],
        read: (_, j) => signed(number(slabs.emission[b][j])),
        own: (i) => i === 0,
        on: (_, j) => j === cell[2],
      },
      {
        role: "sum",
        shape: shape(B, slabs.all, slabs.all),
        code: words["their-sum"],
        about: words["every-pair"],
        read: (i, j) => plain(number(slabs.sum[b][i][j]), 2),
        own: () => true,
        on: (i, j) => i === cell[1] && j === cell[2],
      },
    ];
    tensors.forEach((tensor, n) => this.drawTensor(tensor, n));
    if (!at.phone) this.drawTags(at.place(0)[0] - 12 * at.k, at.place(0)[1]);
    if (held) this.svg.querySelector(".sum [tabindex='0']")?.focus();
  }

  drawTags(x, y) {
    const {
      at,
      slabs,
      cell: [, i],
      words,
    } = this;
    slabs.tags.forEach((tag, s) =>
      text(this.svg, x, y + (s + 0.5) * at.c, at.small, clipped(tag, 9), `tag${s === i ? " now" : ""}`),
    );
    text(
      this.svg,
      x,
      y - at.small,
      Math.max(at.small * 0.86, at.least),
      slabs.all > slabs.tags.length ? words["of-tags"] : words["from-to"],
      "tag label",
    );
  }

  drawTensor({ role, shape, code, about, read, own, on }, n) {
    const {
      at,
      slabs,
      cell: [b, i0, j0],
    } = this;
    const [x, y] = at.place(n);
    const K = slabs.tags.length;
    const group = svg("g", { class: `tensor ${role}` }, this.svg);
    const [B, rows, columns] = shape;
    slabs.tags.forEach((tag, j) =>
      text(
        group,
        x + (j + 0.5) * at.c,
        y - at.small * 0.9,
        Math.max(Math.min(at.small * 0.86, at.c * 0.34), at.least),
        clipped(tag, 6),
        `to${j === j0 ? " now" : ""}`,
      ),
    );
    for (let back = slabs.rows.length - 1; back > 0; back--) {
      const other = (b + back) % slabs.rows.length;
      const behind = svg("g", { class: B > 1 ? "behind" : "behind ghost", "data-at": `${other}.${i0}.${j0}` }, group);
      const [wide, high] = [columns === 1 && B > 1 ? at.c : K * at.c, rows === 1 && B > 1 ? at.c : K * at.c];
      svg("rect", { x: x + back * BEHIND * at.k, y: y + back * BEHIND * at.k, width: wide, height: high }, behind);
    }
    svg("rect", { class: "front", x, y, width: K * at.c, height: K * at.c }, group);
    for (let i = 0; i < K; i++)
      for (let j = 0; j < K; j++) {
        const value = read(i, j);
        const [mine, chosen] = [own(i, j), i === i0 && j === j0];
        const source = on(i, j) && mine;
        const box = svg(
          "g",
          {
            class: `${mine ? "mine" : "copy"} ${chosen && role === "sum" ? "chosen" : source ? "source" : chosen ? "lent" : ""}`,
          },
          group,
        );
        if (role === "sum")
          for (const [name, mark] of Object.entries({
            "data-at": `${b}.${i}.${j}`,
            role: "button",
            tabindex: chosen ? 0 : -1,
            "aria-label": `${slabs.tags[i]} → ${slabs.tags[j]}: ${value}`,
          }))
            box.setAttribute(name, mark);
        svg("rect", { x: x + j * at.c, y: y + i * at.c, width: at.c, height: at.c }, box);
        text(
          box,
          x + (j + 0.5) * at.c,
          y + (i + 0.5) * at.c,
          Math.max(Math.min(at.c * 0.31, 20 * at.k), Math.min(at.least, at.c * 0.34)),
          value,
        );
        if ((chosen || source) && mine) box.parentNode.append(box);
      }
    if (n) text(this.svg, x - at.gap * 0.42, y + (K * at.c) / 2, at.small * 1.6, n === 3 ? "=" : "+", "sign");
    this.drawShape(group, x, y + K * at.c + at.below, shape, role === "sum");
    text(
      group,
      x,
      y + K * at.c + at.below + at.small * 1.95,
      Math.max(at.small * 0.95, at.least),
      code,
      role === "sum" ? "code plain" : "code",
    );
    text(group, x, y + K * at.c + at.below + at.small * 3.3, Math.max(at.small * 0.9, at.least), about, "about");
  }

  // [3, 4, 1]: a size of 1 is marked.
  drawShape(group, x, y, shape, total) {
    const { at } = this;
    const size = at.small * 1.35;
    let left = x + size * 0.3;
    text(group, left, y, size, "[", "bracket");
    shape.forEach((one, k) => {
      left += size * (String(one).length > 1 ? 1.05 : 0.85);
      if (one === 1 && !total)
        svg(
          "rect",
          { class: "one", x: left - size * 0.5, y: y - size * 0.62, width: size, height: size * 1.2, rx: 5 },
          group,
        );
      text(group, left, y, size, String(one), one === 1 && !total ? "size again" : "size");
      left += size * (String(one).length > 1 ? 0.85 : 0.72);
      text(group, left, y, size, k < 2 ? "," : "]", "bracket");
    });
  }
}

function arrange({ width, height, k, phone, edge, least }, B, K) {
  const small = phone ? 13 : 18 * k;
  const deep = (B - 1) * BEHIND * k;
  if (phone) {
    const c = Math.min((width - 2 * edge - 44 - 2 * deep) / (2 * K), (height / 2 - small * 6.6 - deep) / K);
    const wide = (width - 2 * edge) / 2;
    return {
      k,
      c,
      small,
      phone,
      least,
      gap: 30,
      below: deep + small,
      place: (n) => [edge + 16 + (n % 2) * wide, small * 2 + Math.floor(n / 2) * (height / 2)],
    };
  }
  const tags = 92 * k;
  const gap = 30 * k + deep;
  const c = Math.min((width - 2 * edge - tags - 3 * gap - deep) / (4 * K), (height - deep - small * 7) / K, 70 * k);
  const whole = tags + 4 * K * c + 3 * gap + deep;
  const left = (width - whole) / 2 + tags;
  const top = Math.max((height - (K * c + deep + small * 6.4)) / 2, 0) + small * 1.7;
  return { k, c, small, least, gap, below: deep + small * 1.4, place: (n) => [left + n * (K * c + gap), top] };
}
