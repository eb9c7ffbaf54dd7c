// Lines between cells: thin ones, bands as wide as their shares, thick paths.

import { put, svg } from "../shared/dom.js";

const BEND = 0.5; // share of the way at which a curve has its handles
const LEAST = 0.8; // px of the thinnest band

export function curve(x0, y0, x1, y1) {
  const bend = (x1 - x0) * BEND;
  return `M${x0} ${y0}C${x0 + bend} ${y0} ${x1 - bend} ${y1} ${x1} ${y1}`;
}

export function band(x0, y0, w0, x1, y1, w1) {
  const bend = (x1 - x0) * BEND;
  const [a, b, c, d] = [y0 - w0 / 2, y1 - w1 / 2, y1 + w1 / 2, y0 + w0 / 2];
  return `M${x0} ${a}C${x0 + bend} ${a} ${x1 - bend} ${b} ${x1} ${b}V${c}C${x1 - bend} ${c} ${x0 + bend} ${d} ${x0} ${d}Z`;
}

// All curves of a gap in one path.
export function mesh(x0, x1, ys) {
  return ys.map((y0) => ys.map((y1) => curve(x0, y0, x1, y1)).join("")).join("");
}

const [HAIR, WIDEST] = [1.4, 4]; // px of an edge of probability 0 and 1

// Edges as wide as their probabilities, each in the colour of the tag that it comes from; `ribbons`: [[token, from, to, p]].
export function drawRibbons(drawing, group, ribbons = []) {
  const { at, rows } = drawing;
  const seen = new Map(); // the tags that share a row share their edges, too
  for (const [t, from, to, p] of ribbons) {
    const key = [t, drawing.row(from), drawing.row(to)].join();
    seen.set(key, (seen.get(key) ?? 0) + p);
  }
  const paths = [...seen].map(([key, p]) => {
    const [t, a, b] = key.split(",").map(Number);
    const path = svg("path", { d: curve(at.x(t) + at.cell / 2, at.y(a), at.x(t + 1) - at.cell / 2, at.y(b)) });
    path.style.cssText = `--c: ${rows[a].colour}; stroke-width: ${HAIR + (WIDEST - HAIR) * p}px`;
    return path;
  });
  group.replaceChildren(...paths);
}

const [VALVE, PLACES] = [16, 14]; // px from a cell to the valves of its losing edges, from place to place

// The edges that meet in the current cell. In *keep best* each has a place at the cell, and the losers end at a valve before it.
export class Bands {
  group;
  bar;
  paths = [];

  constructor(parent) {
    this.group = svg("g", { class: "bands" }, parent);
    this.bar = svg("path", { class: "bar" }, this.group);
  }

  // `ends`: [{ y, share, wins, forbidden }] from top to bottom, which run from x0 to a cell at x1, y1.
  draw(ends, x0, x1, y1, mouth, best) {
    while (this.paths.length < ends.length) this.paths.push(svg("path", { class: "band" }, this.group));
    const [towards, stop] = [Math.sign(x1 - x0), x1 - Math.sign(x1 - x0) * VALVE];
    const gap = Math.min(PLACES, (mouth * 0.9) / Math.max(ends.length, 1));
    const place = (i) => y1 + (i - (ends.length - 1) / 2) * gap;
    let at = y1 - mouth / 2;
    this.paths.forEach((path, i) => {
      const end = ends[i];
      path.style.display = end ? "" : "none";
      if (!end) return;
      path.classList.toggle("thick", best && end.wins);
      path.classList.toggle("loses", best && !end.wins && !end.ties);
      path.classList.toggle("ties", Boolean(best && end.ties && !end.wins));
      path.classList.toggle("never", end.forbidden);
      if (best) put(path, { d: curve(x0, end.y, end.wins || end.ties ? x1 : stop, place(i)) });
      else {
        const wide = end.share * mouth;
        put(path, { d: band(x0, end.y, Math.max(wide, LEAST), x1, at + wide / 2, Math.max(wide, LEAST)) });
        at += wide;
      }
    });
    const half = Math.min(4.8, gap * 0.4);
    const valves = ends.map((end, i) =>
      best && !end.wins && !end.ties ? `M${stop} ${place(i) - half}v${2 * half}` : "",
    );
    put(this.bar, { d: valves.join("") });
    this.group.dataset.towards = towards > 0 ? "right" : "left";
  }
}

// A path through cells as one line, from START (if `from` is given) to END (if `to` is).
export function trail(tags, { x, y, cell, from = undefined, to = "", half = cell / 2 }) {
  const parts = tags.slice(1).map((s, t) => curve(x(t) + half, y(tags[t]), x(t + 1) - half, y(s)));
  if (from !== undefined && tags.length) parts.unshift(`M${from} ${y(tags[0])}H${x(0) - half}`);
  if (to) parts.push(to);
  return parts.join("");
}

// A head at the earlier word, where an edge is followed back.
export const head = (x, y, k) => `M${x} ${y}l${15 * k} ${-9 * k}v${18 * k}Z`;
