// One small chain twice: "forbidden" is −10000 in the left one and −∞ in the right one.

import { decimal } from "../../crf/figures/shared/decimal.js";
import { put, svg } from "../../crf/figures/shared/dom.js";

const share = (p) => decimal(p > 0.995 ? "1.00" : p.toFixed(2).replace(/^0/, ""));

export class Pair {
  root;
  at;

  constructor(root) {
    this.root = root;
  }

  draw(sides, width, height) {
    const phone = width < 640;
    put(this.root, { width, height });
    this.root.replaceChildren();
    const hatch = svg(
      "pattern",
      { id: "no-path", width: 7, height: 7, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" },
      svg("defs", {}, this.root),
    );
    svg("path", { d: "M0 0V7", class: "hatch" }, hatch);
    for (const [i, side] of sides.entries()) {
      const [across, down] = phone ? [1, 2] : [2, 1];
      this.side(
        side,
        {
          x0: (width / across) * i * (across - 1),
          y0: (height / down) * i * (down - 1),
          width: width / across,
          height: height / down,
        },
        phone,
      );
    }
    svg(
      "path",
      { class: "divide", d: phone ? `M24 ${height / 2}H${width - 24}` : `M${width / 2} 20V${height - 30}` },
      this.root,
    );
  }

  side(side, { x0, y0, width, height }, phone) {
    const k = phone ? Math.min(width / 460, height / 330) : Math.min(width / 640, height / 400);
    this.root.style.setProperty("--k", String(phone ? Math.max(k, 0.8) : k));
    const group = svg("g", {}, this.root);
    const text = (name, x, y, content) => svg("text", { class: name, x, y }, group, content);
    const [cell, tall] = [(phone ? 94 : 104) * k, Math.min(84 * k, height * 0.22)];
    const columns = [0, 1, 2].map((t) => x0 + width * (phone ? 0.19 : 0.225) + t * width * (phone ? 0.25 : 0.238));
    const rows = [y0 + height * 0.3, y0 + height * 0.62];
    const right = x0 + width - (phone ? 52 : 64 * k);
    text("title", (columns[0] + columns[2]) / 2, y0 + height * 0.055, side.title);
    const { marginals, pairs, tags } = side;
    const none = marginals && marginals.every((column) => column.every((p) => p === 0));
    const at = { columns, rows, cell };
    for (let t = 1; t < columns.length; t += 1) {
      for (let from = 0; from < 2; from += 1) {
        for (let to = 0; to < 2; to += 1)
          this.edge(group, at, t, from, to, pairs?.[t - 1][from][to] ?? 0, tall, none && (to === 1 || from + to === 0));
      }
    }
    for (const [t, x] of columns.entries()) {
      text("nth", x, y0 + height * 0.145, side.words[t]);
      for (const [s, y] of rows.entries()) {
        const p = marginals?.[t][s];
        const box = { x: x - cell / 2, y: y - tall / 2, width: cell, height: tall, rx: 8 * k };
        svg("rect", { class: `cell${none ? " never" : p > 0.5 ? " sure" : ""}`, ...box }, group);
        if (marginals) text(`p${p > 0.5 ? " strong" : ""}`, x, y, none ? "0" : share(p));
        if (!t) text("tag", x - cell / 2 - 18 * k, y, tags[s]);
      }
      this.pill(group, "emission", x, rows[1] + tall / 2 + 12 * k, side.text, k);
      if (t) this.pill(group, "transition", (columns[t - 1] + x) / 2, rows[0], side.text, k);
    }
    text("nth", right, y0 + height * 0.46 - 44 * k, "log Z");
    const total = { x: right - 46 * k, y: y0 + height * 0.46 - 26 * k, width: 92 * k, height: 52 * k, rx: 8 * k };
    svg("rect", { class: `cell${none ? " never" : marginals ? " full" : ""}`, ...total }, group);
    text("p", right, y0 + height * 0.46, side.log_z);
    text("foot", (columns[0] + columns[2]) / 2, y0 + height * 0.91, side.foot);
  }

  edge(group, { columns, rows, cell }, t, from, to, p, tall, forbidden) {
    const [x, end] = [columns[t - 1] + cell / 2, columns[t] - cell / 2];
    const [y, last, middle] = [rows[from], rows[to], (columns[t - 1] + columns[t]) / 2];
    const half = (p * tall) / 4;
    if (p > 0.01) {
      const curve = (sign, a, b, ya, yb) =>
        `${a} ${ya + sign * half}C${middle} ${ya + sign * half} ${middle} ${yb + sign * half} ${b} ${yb + sign * half}`;
      svg("path", { class: "band", d: `M${curve(-1, x, end, y, last)}L${curve(1, end, x, last, y)}Z` }, group);
    } else
      svg(
        "path",
        {
          class: `thin${forbidden ? " forbidden" : ""}`,
          d: `M${x} ${y}C${middle} ${y} ${middle} ${last} ${end} ${last}`,
        },
        group,
      );
  }

  pill(group, role, x, y, content, k) {
    const part = svg("g", { class: `pill ${role}` }, group);
    const label = svg("text", { x, y }, part, content);
    const half = label.getComputedTextLength() / 2 + 9 * k;
    part.prepend(svg("rect", { x: x - half, y: y - 13 * k, width: 2 * half, height: 26 * k, rx: 13 * k }));
  }
}
