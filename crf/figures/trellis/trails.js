// Whole paths: the chosen one, the leading prefix and the one before it, backpointers, and the ghost of the old best path.

import { put, svg } from "../shared/dom.js";
import { curve, head, trail } from "./edges.js";
import { number } from "./numbers.js";

export class Trails {
  back;
  ghost;
  was;
  lead;
  heads;
  dots;
  following;

  constructor(parent) {
    [this.back, this.ghost, this.was, this.lead, this.heads] = ["back", "ghost", "was", "lead", "heads"].map((name) =>
      svg("path", { class: name }, parent),
    );
    this.dots = svg("g", { class: "dots" }, parent);
    for (let i = 0; i < 2; i++) svg("circle", {}, this.dots);
  }

  draw(drawing) {
    const { at, now, mode } = drawing;
    const how = { x: at.x, y: (tag) => at.y(drawing.row(tag)), cell: at.cell };
    for (const pill of drawing.onPath) pill.show(false);
    const clear = { lead: "", was: "", heads: "", back: "" };
    const lines = mode === "path" ? this.path(now, at, how) : mode === "best" ? this.best(drawing, how) : {};
    for (const [name, d] of Object.entries({ ...clear, ...lines })) put(this[name], { d });
    put(this.ghost, { d: now.ghost ? trail(now.ghost, how) : "" });
    this.lead.classList.toggle("dotted", mode === "path" && !at.hasStairs && !now.bet?.revealed);
    this.dots.style.display = at.hasStairs && now.path.length ? "" : "none";
    if (!at.hasStairs || !now.path.length) return;
    put(this.dots.children[0], { cx: at.start, cy: how.y(now.path[0]), r: at.phone ? 5 : 7 * at.k });
    put(this.dots.children[1], { cx: at.ending, cy: how.y(now.path.at(-1)), r: at.phone ? 5 : 7 * at.k });
  }

  path(now, at, how) {
    if (!at.hasStairs) return { lead: trail(now.path, how) };
    const to = now.path.length ? `M${at.x(at.columns - 1) + at.cell / 2} ${how.y(now.path.at(-1))}H${at.ending}` : "";
    return { lead: trail(now.path, { ...how, from: at.start, to }) };
  }

  best(drawing, how) {
    const { at, now, trellis, rows, isTotal } = drawing;
    const half = at.cell / 2;
    const lines = [];
    for (let t = 1; t < at.columns; t++)
      for (const [r, { tag }] of rows.entries()) {
        const from = tag < 0 ? -1 : (trellis.back[t]?.[tag] ?? -1);
        const current = now.cell?.[0] === t && now.cell[1] === tag;
        if (from >= 0 && drawing.isShown(t, r) && !current)
          lines.push(curve(at.x(t - 1) + half, how.y(from), at.x(t) - half, at.y(r)));
      }
    const back = lines.join("");
    if (!isTotal) {
      const lead = now.lead ? trail(now.lead, { ...how, from: at.start + at.aside }) : "";
      return { back, lead, was: now.was ? trail(now.was, how) : "" };
    }
    return { back, ...this.followed(drawing, how) };
  }

  // Backpointers from END to where one has walked back: thick, with their heads at the earlier word.
  followed(drawing, how) {
    const { at, trellis } = drawing;
    const [reached, path] = [this.reached(drawing), trellis.best];
    this.following = reached < at.columns;
    const half = at.cell / 2;
    if (!this.following) return {};
    const from = at.x(at.columns - 1) + half;
    const parts = [curve(from, how.y(path.at(-1)), at.whole - at.total / 2, at.middle)];
    const heads = [head(from, how.y(path.at(-1)), at.k)];
    for (let t = at.columns - 1; t > reached; t--) {
      const [x, y] = [at.x(t - 1) + half, how.y(path[t - 1])];
      parts.push(curve(x, y, at.x(t) - half, how.y(path[t])));
      heads.push(head(x, y, at.k));
    }
    if (reached === 0) parts.push(`M${at.start + at.aside} ${how.y(path[0])}H${at.x(0) - half}`);
    this.pills(drawing, reached, trellis, how);
    return { lead: parts.join(""), heads: heads.join("") };
  }

  // The first token that the walk back has reached; the number of tokens before it begins.
  reached({ now, at }) {
    return at.columns - now.walked.length;
  }

  pills(drawing, reached, trellis, how) {
    const { at } = drawing;
    drawing.onPath.forEach((pill, i) => {
      pill.show(i >= reached);
      if (i < reached) return;
      const [from, to] = [trellis.best[i], trellis.best[i + 1]];
      const table = trellis.per_step?.[i] ?? trellis.transitions;
      pill.place(
        at.x(i) + at.pitch / 2,
        (how.y(from) + how.y(to)) / 2,
        at.small,
        Math.min(51 * at.k, Math.max(at.gap, 42)),
        27 * Math.min(at.k, at.row / 50),
      );
      pill.group.setAttribute("class", "score transition pilled");
      const names = [trellis.tags[from].name, trellis.tags[to].name];
      pill.write(drawing.transitionKey(...names, i + 1), names.join(" → "), number(table[from][to]));
    });
  }
}
