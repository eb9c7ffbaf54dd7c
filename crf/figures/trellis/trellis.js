// The drawing: built once per trace; a step only toggles classes and moves a few elements.

import { clipped, put, svg } from "../shared/dom.js";
import { geometry, layout } from "./layout.js";
import { drawFlips, drawWay, ring } from "./overlays.js";

function definitions(root) {
  const defs = svg("defs", {}, root);
  const hatch = svg(
    "pattern",
    { id: "hatch", width: 6, height: 6, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" },
    defs,
  );
  svg("rect", { width: 6, height: 6, class: "hatch-back" }, hatch);
  svg("line", { y2: 6, class: "hatch-line" }, hatch);
  for (const name of ["arrow", "arrow-win"]) {
    const marker = svg(
      "marker",
      {
        id: name,
        viewBox: "0 0 8 8",
        refX: 7,
        refY: 4,
        markerWidth: 8,
        markerHeight: 8,
        markerUnits: "userSpaceOnUse",
        orient: "auto-start-reverse",
        class: name,
      },
      defs,
    );
    svg("path", { d: "M0 0.5 8 4 0 7.5z" }, marker);
  }
}

const LAYERS = [
  "all",
  "linked",
  "backs",
  "prefix",
  "decided",
  "paths",
  "incoming",
  "hits",
  "cells",
  "rings",
  "dots",
  "heads",
];

const run = (element, frames, timing) => element.animate(frames, { fill: "backwards", ...timing });

export class Trellis {
  viewport;
  data;
  host;

  constructor(host, data, room) {
    Object.assign(this, { host, data, viewport: room, scrolled: 0, current: -1 });
    this.at = layout(data, room);
    this.place = geometry(data, this.at);
    const { nameWidth, width, height, font } = this.at;
    const style = `--font: ${font}px`;
    this.names = svg("svg", { class: "names", width: nameWidth, height, style, "aria-hidden": "true" });
    this.element = svg("svg", { class: "trellis", width, height, role: "img", "aria-label": data.title, style });
    definitions(this.element);
    this.layer = Object.fromEntries(LAYERS.map((name) => [name, svg("g", { class: name }, this.element)]));
    this.reveals = data.steps.map(() => []); // what is on from a step on
    this.answers = data.steps.map(() => []); // (on) => tells or hides what the step has found
    this.told = data.steps.map(() => null);
    this.cellAt = new Map();
    this.stepAt = new Map();
    this.drawHeads();
    this.drawBoundary();
    if (data.allEdges) this.drawAllEdges();
    this.drawSteps();
    this.showFlips = drawFlips(data, this);
    this.frame = svg("rect", { class: "frame", rx: 6 }, this.layer.rings);
    this.marked = {}; // class -> the parts that have it for now
    host.onscroll = () => (this.scrolled = host.scrollLeft);
    host.replaceChildren(this.names, this.element);
  }

  drawHeads() {
    const { place, at, data } = this;
    const head = ({ index, word }, column, room, kind) => {
      const box = place.box([column, 0]);
      const x = box.x + box.width / 2;
      const group = svg("g", { class: kind }, this.layer.heads);
      svg("text", { x, y: at.index, class: "index" }, group, index);
      svg("text", { x, y: at.word, class: "word" }, group, clipped(word, Math.floor(room / (0.55 * (at.font + 2)))));
      svg("title", {}, group, word);
      return group;
    };
    this.heads = data.columns.map((words, column) => head(words, column, at.pitch - 8, "head"));
    if (data.outer) head(data.outer, place.first[0], 62, "head small");
    this.rowNames = data.tags.map((tag, row) => {
      const name = svg(
        "text",
        { x: at.nameWidth - 10, y: at.top + (row + 0.5) * at.rowPitch, class: "name" },
        this.names,
        clipped(tag, 9),
      );
      svg("title", {}, name, tag);
      return name;
    });
  }

  // The node that the recursion starts from; in message form also the outer token's tags.
  drawBoundary() {
    const { place, data, layer, at } = this;
    const b = place.box(place.first);
    const height = at.pill;
    const opening = svg("g", { class: "cell bandtotal on" }, layer.cells);
    svg("rect", { x: b.x, y: place.middle - height / 2, width: b.width, height, rx: height / 2 }, opening);
    svg("text", { x: b.x + b.width / 2, y: place.middle, class: "boundary" }, opening, data.backward ? "END" : "START");
    this.cellAt.set(place.first.join(), opening);
    if (!data.outer) return;
    data.tags.forEach((_, row) => {
      const node = [place.first[0], row];
      svg("path", { d: place.edge(place.first, node) }, layer.all);
      this.cellAt.set(node.join(), svg("rect", { ...place.box(node), rx: 9, class: "dot" }, layer.cells));
    });
  }

  drawAllEdges() {
    const { data, place, layer } = this;
    const from = data.outer && !data.backward ? 0 : 1;
    const to = data.columns.length + (data.outer && data.backward ? 1 : 0);
    for (let column = from; column < to; column++)
      for (let i = 0; i < data.tags.length; i++)
        for (let j = 0; j < data.tags.length; j++)
          svg("path", { d: place.edge([column - 1, i], [column, j]) }, layer.all);
    const [first, last] = data.backward ? [data.columns.length - 1, 0] : [0, data.columns.length - 1];
    data.tags.forEach((_, row) => {
      if (!data.outer) svg("path", { d: place.edge(place.first, [first, row]) }, layer.all);
      svg("path", { d: place.edge([last, row], place.last) }, layer.all);
    });
  }

  drawSteps() {
    let following = null;
    this.data.steps.forEach((step, index) => {
      if (step.kind !== "backtrace") return this.drawCell(step, index);
      const here = this.place.node(step);
      const { rings, decided } = this.layer;
      const sides = ["outer", "inner"];
      const parts = sides.map((side) =>
        svg("path", { d: this.place.edge(here, following ?? this.place.last), class: `viterbi ${side}` }, decided),
      );
      parts.push(...sides.map((side) => ring(rings, this.place.box(here), 1.5, { class: `viterbi ${side}` })));
      following = here;
      this.answers[index].push((on) => parts.forEach((part) => part.classList.toggle("on", on)));
    });
  }

  drawCell(step, index) {
    const { data, place, layer } = this;
    const here = place.node(step);
    const b = place.box(here);
    const fill = step.kind === "cell" ? data.fills[step.column][step.row] : "total";
    const group = svg(
      "g",
      {
        class: `cell band${fill}`,
        "data-step": index,
        "data-cell": (step.kind === "total" ? [here[0], 0] : here).join(),
      },
      layer.cells,
    );
    svg("rect", { ...b, rx: 4 }, group);
    if (step.kind === "total")
      svg(
        "text",
        { x: b.x + b.width / 2, y: b.y - 0.55 * this.at.pill, class: "boundary" },
        group,
        data.backward ? "START" : "END",
      );
    const value = svg("text", { x: b.x + b.width / 2, y: b.y + b.height / 2, class: "value" }, group, step.label);
    this.cellAt.set(here.join(), group);
    this.stepAt.set(here.join(), index);
    this.reveals[index].push(group);
    const backs = step.terms
      .filter((term) => this.wins(term, step))
      .map((term) => {
        const taken = term.from === step.back;
        return svg(
          "path",
          {
            d: place.edge(place.source(term, data.reads), here),
            class: `back ${step.ties ? "tied" : ""}`,
            ...(taken && { "marker-start": "url(#arrow)" }),
          },
          layer.backs,
        );
      });
    const under = this.at.rowPitch - this.at.cellHeight >= 20; // whether there is room for a word
    const spot = under
      ? { x: b.x + b.width / 2, y: b.y + b.height + 8 }
      : { x: b.x + b.width + 4, y: b.y + b.height / 2 };
    if (step.ties)
      backs.push(svg("text", { ...spot, class: under ? "tie" : "tie beside" }, layer.rings, data.words.tie));
    this.answers[index].push((on) => {
      group.classList.toggle("told", on);
      value.textContent = on ? step.label : "?";
      for (const back of backs) back.classList.toggle("on", on);
    });
  }

  wins(term, step) {
    if (this.data.semiring !== "max" || term.sum === this.data.zero) return false;
    return step.ties ? step.ties.includes(term.from) : term.from === step.back;
  }

  // The edges that a step is about: into its cell, or, tracing back, the pointer it follows.
  edgesOf(step) {
    const { data, place } = this;
    if (step.kind === "backtrace") {
      return [
        { from: place.node(step), to: place.node(data.steps[step.via]), row: step.row, kind: "wins", taken: true },
      ];
    }
    return step.terms
      .filter((term) => term.sum !== data.zero)
      .flatMap((term) => {
        const edge = {
          from: place.source(term, data.reads),
          to: place.node(step),
          row: term.from,
          share: term.share,
          kind: "candidate",
        };
        edge.boundary = step.kind === "total" || edge.from[1] < 0; // its score is start or end, not a transition
        if (data.semiring === "sum") return [{ ...edge, width: `${1 + (term.share * 5) / 100}px` }];
        if (!this.wins(term, step)) return [edge];
        const won = { ...edge, kind: step.ties ? "wins tied" : "wins", taken: term.from === step.back };
        return step.ties ? [won, { ...won, kind: "between" }] : [won];
      });
  }

  // Light one step's own edges and the cells they come from.
  light(index, animate) {
    const step = this.data.steps[index];
    const edges = this.edgesOf(step);
    for (const layer of [this.layer.incoming, this.layer.hits]) layer.replaceChildren();
    for (const { from, to, row, kind, width = "", taken, boundary } of edges) {
      const path = { d: this.place.edge(from, to), "data-from": row };
      svg("path", path, this.layer.hits);
      const loses = kind === "candidate" && this.data.semiring === "max";
      const line = svg(
        "path",
        { ...path, pathLength: 1, class: `${kind}${boundary ? " boundary" : ""}${loses ? " loses" : ""}` },
        this.layer.incoming,
      );
      line.style.strokeWidth = width;
      if (taken) line.setAttribute("marker-start", "url(#arrow-win)");
      if (animate)
        run(line, [{ strokeDasharray: "0 1" }, { strokeDasharray: "1 0" }], { duration: 140, easing: "ease-out" });
    }
    this.layer.incoming.append(...this.layer.incoming.querySelectorAll(":not(.candidate)")); // on top of the others
    if (animate) this.compute(index, edges);
    const b = this.place.box(this.place.node(step));
    put(this.frame, { x: b.x - 3, y: b.y - 3, width: b.width + 6, height: b.height + 6 });
    this.mark(
      "source",
      edges.map(({ from }) => this.cellAt.get(from.join())),
    );
    this.mark("on", [this.heads[step.column], this.rowNames[step.row]]);
    return b;
  }

  // Give a class to these parts, and take it from those that had it.
  mark(name, parts) {
    for (const part of this.marked[name] ?? []) part?.classList.remove(name);
    this.marked[name] = parts;
    for (const part of parts) part?.classList.add(name);
  }

  // ------------------------------------------------------------------ motion that computes

  // What moves is at its end: the reader has gone on.
  skip() {
    for (const motion of this.element.getAnimations({ subtree: true })) motion.finish();
  }

  // The terms run along their edges into the cell; there they are one value, and what lost fades.
  compute(index, edges) {
    const step = this.data.steps[index];
    const cell = this.cellAt.get(this.place.node(step).join());
    for (const { from, to, share, kind } of edges.filter((edge) => edge.kind !== "between")) {
      const dot = svg(
        "circle",
        {
          r: 2.5 + (share ?? 0) / 25,
          class: `dot-term ${kind}`,
          style: `offset-path: path("${this.place.edge(from, to)}")`,
        },
        this.layer.dots,
      );
      run(
        dot,
        [
          { offsetDistance: "0%", opacity: 1 },
          { offsetDistance: "100%", opacity: 1 },
        ],
        { duration: 210, delay: 60, easing: "ease-in" },
      ).finished.then(
        () => dot.remove(),
        () => dot.remove(),
      );
    }
    const late = (part, before, after) => run(part, [before, { ...before, offset: 0.6 }, after], { duration: 380 });
    late(cell.querySelector(".value"), { opacity: 0 }, { opacity: 1 });
    late(cell.querySelector("rect"), { fill: "transparent" }, {});
    for (const line of this.layer.incoming.querySelectorAll(".loses")) late(line, { opacity: 1 }, {});
  }

  // ------------------------------------------------------------------ the best way into a cell

  // From the cell back to where the recursion starts, over the best sources: rows by column.
  wayInto(column, row) {
    const { best } = this.data;
    const step = this.data.backward ? 1 : -1;
    const nodes = [[column, row]];
    while (best?.[column]?.[row] !== undefined && best[column][row] >= 0) {
      row = best[column][row];
      column += step;
      nodes.push([column, row]);
      if (!this.place.isCell(column)) break;
    }
    return nodes;
  }

  // Draw it, or nothing.
  drawWay(at) {
    this.layer.prefix.replaceChildren();
    if (!at || !this.data.best) return;
    const nodes = this.wayInto(...at)
      .filter((node) => this.cellAt.has(node.join()))
      .reverse();
    drawWay(this.layer.prefix, this.place, nodes, 3, { class: "way" });
  }

  // Reveal everything up to and including this step, and light it.
  show(index, animate) {
    this.reveals.forEach((parts, i) => parts.forEach((part) => part.classList.toggle("on", i <= index)));
    this.current = index;
    this.tell();
    this.element.classList.toggle("tracing", this.data.steps[index].kind === "backtrace");
    this.showFlips(index);
    this.follow(this.light(index, animate));
  }

  // Show what has been found up to here.
  tell() {
    this.answers.forEach((answers, i) => {
      const on = i <= this.current;
      if (on === this.told[i]) return;
      this.told[i] = on;
      for (const answer of answers) answer(on);
    });
  }

  follow(b) {
    if (this.at.width + this.at.nameWidth <= this.viewport) return; // all of it is seen
    const [from, to] = [b.x - this.at.pitch - 8, b.x + b.width + this.at.pitch];
    const space = this.viewport - this.at.nameWidth;
    if (from < this.scrolled) this.host.scrollLeft = Math.min(from, Math.max(to - space, from - space / 3));
    else if (to > this.scrolled + space) this.host.scrollLeft = Math.min(from, to - space / 2);
  }

  // Stress the edge of one term of the current step.
  stress(from) {
    for (const line of this.layer.incoming.children)
      line.classList.toggle("stressed", from !== null && line.dataset.from === String(from));
  }

  // Outline the cells and edges that use a score: [[step, row the term comes from, or null], …].
  link(uses) {
    for (const cell of this.layer.cells.querySelectorAll(".linked")) cell.classList.remove("linked");
    const edges = uses.map(([index, from]) => {
      const step = this.data.steps[index];
      const here = this.place.node(step);
      this.cellAt.get(here.join())?.classList.add("linked");
      const term = from === null ? null : step.terms.find((term) => term.from === from);
      return term && svg("path", { d: this.place.edge(this.place.source(term, this.data.reads), here) });
    });
    this.layer.linked.replaceChildren(...edges.filter(Boolean));
  }
}
