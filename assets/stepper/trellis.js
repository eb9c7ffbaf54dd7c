// The drawing: built once per trace; a step only toggles classes and moves a few elements.

const SVG = "http://www.w3.org/2000/svg";

function svg(name, attributes = {}, parent = null, text = null) {
  const element = document.createElementNS(SVG, name);
  for (const key in attributes) element.setAttribute(key, attributes[key]);
  if (text !== null) element.textContent = text;
  parent?.append(element);
  return element;
}

function clipped(text, room) {
  const letters = [...text];
  return letters.length > room ? letters.slice(0, Math.max(room - 1, 1)).join("") + "…" : text;
}

// Sizes in CSS pixels, from the number of tags, the longest label and the room there is.
function layout(data, room) {
  const tags = data.tags.length;
  const columns = data.columns.length;
  const [font, rowPitch, cellHeight, gap] = tags <= 5 ? [15, 60, 38, 40] : tags <= 9 ? [14, 44, 30, 54] : [12.5, 28, 20, 56];
  const letters = Math.max(4, ...data.labels.flat().map((label) => label.length));
  const cellWidth = Math.round(letters * font * 0.58 + 14);
  const nameWidth = Math.round(Math.min(Math.max(...data.tags.map((tag) => [...tag].length)), 9) * 8.4 + 18);
  const boundary = Math.max(cellWidth, 52);
  const wanted = (room - nameWidth - 2 * boundary - 10 + cellWidth) / (columns + 1);
  const fits = wanted >= cellWidth + 0.6 * gap; // rather a little tight than scrolled
  const pitch = Math.floor(fits ? Math.min(wanted, cellWidth + 2.2 * gap) : cellWidth + gap);
  const left = 5 + boundary + pitch - cellWidth;
  const top = 46;
  return {
    font, rowPitch, cellHeight, cellWidth, nameWidth, boundary, pitch, left, top,
    width: left + columns * pitch + boundary + 5,
    height: top + tags * rowPitch + 6,
  };
}

function buildTrellis(host, data, room) {
  const at = layout(data, room);
  const columns = data.columns.length;
  const names = svg("svg", { class: "names", width: at.nameWidth, height: at.height, "aria-hidden": "true" });
  const root = svg("svg", { class: "trellis", width: at.width, height: at.height, role: "img", "aria-label": data.title, style: `--font: ${at.font}px` });
  const defs = svg("defs", {}, root);
  const hatch = svg("pattern", { id: "hatch", width: 6, height: 6, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" }, defs);
  svg("rect", { width: 6, height: 6, class: "hatch-back" }, hatch);
  svg("line", { y2: 6, class: "hatch-line" }, hatch);
  for (const name of ["arrow", "arrow-win"]) {
    const marker = svg("marker", { id: name, viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 8, markerHeight: 8, markerUnits: "userSpaceOnUse", orient: "auto-start-reverse", class: name }, defs);
    svg("path", { d: "M0 0.5 8 4 0 7.5z" }, marker);
  }
  const layer = Object.fromEntries(["all", "backs", "decided", "paths", "cells", "incoming", "rings", "heads"].map((name) => [name, svg("g", { class: name }, root)]));

  // A node is a cell [column, row], or a boundary: column −1 is START, column `columns` is END.
  const middle = at.top + (data.tags.length * at.rowPitch) / 2;
  const crowded = data.tags.length > 9;
  const isCell = (column) => column >= 0 && column < columns;
  function box(column, row) {
    if (isCell(column)) {
      const y = at.top + row * at.rowPitch + (at.rowPitch - at.cellHeight) / 2;
      return { x: at.left + column * at.pitch, y, width: at.cellWidth, height: at.cellHeight };
    }
    const x = column < 0 ? 5 : at.width - at.boundary - 5;
    return { x, y: middle - 15, width: at.boundary, height: 30 };
  }
  function edge(from, to) {
    const [a, b] = [box(...from), box(...to)];
    const right = a.x < b.x;
    const [x1, x2] = right ? [a.x + a.width + 1, b.x - 1] : [a.x - 1, b.x + b.width + 1];
    const [y1, y2, bend] = [a.y + a.height / 2, b.y + b.height / 2, (x2 - x1) * (crowded ? 0.2 : 0.4)];
    return `M${x1} ${y1}C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}`;
  }
  function ring(node, grow, attributes, parent) {
    const b = box(...node);
    return svg("rect", { x: b.x - grow, y: b.y - grow, width: b.width + 2 * grow, height: b.height + 2 * grow, rx: 4 + grow, ...attributes }, parent);
  }

  const first = data.backward ? [columns, 0] : [-1, 0]; // where the recursion starts
  const last = data.backward ? [-1, 0] : [columns, 0]; // where it ends
  const node = (step) => (step.k === "total" ? last : isCell(step.c) ? [step.c, step.r] : [-1, 0]);
  const source = (term) => {
    const read = term.slice(4).map((index) => data.reads[index]).find(([role]) => role === 0);
    return read ? [read[2], read[3]] : first;
  };

  const wins = (term, step) => data.semiring === "max" && term[0] === step.back && term[1] !== "−∞";

  // Column heads and row names.
  const heads = data.columns.map(([index, word], column) => {
    const x = box(column, 0).x + at.cellWidth / 2;
    const head = svg("g", { class: "head" }, layer.heads);
    svg("text", { x, y: 14, class: "index" }, head, index);
    svg("text", { x, y: 33, class: "word" }, head, clipped(word, Math.floor((at.pitch - 8) / 7.4)));
    svg("title", {}, head, word);
    return head;
  });
  const rowNames = data.tags.map((tag, row) => {
    const y = at.top + (row + 0.5) * at.rowPitch;
    const name = svg("text", { x: at.nameWidth - 10, y, class: "name" }, names, clipped(tag, 9));
    svg("title", {}, name, tag);
    return name;
  });

  if (data.allEdges) {
    for (let column = 1; column < columns; column++)
      for (let i = 0; i < data.tags.length; i++)
        for (let j = 0; j < data.tags.length; j++) svg("path", { d: edge([column - 1, i], [column, j]) }, layer.all);
  }

  // What each step reveals: reveals[i] are the elements that are on from step i.
  const reveals = data.steps.map(() => []);
  const cellAt = new Map();
  let following = null;
  data.steps.forEach((step, index) => {
    const here = node(step);
    if (step.k === "backtrace") {
      const parts = [];
      if (isCell(step.c)) parts.push(ring(here, 1.5, { class: "viterbi outer" }, layer.rings), ring(here, 1.5, { class: "viterbi inner" }, layer.rings));
      for (const side of ["outer", "inner"]) parts.push(svg("path", { d: edge(here, following ?? last), class: `viterbi ${side}` }, layer.decided));
      following = here;
      reveals[index].push(...parts);
      return;
    }
    const b = box(...here);
    const fill = step.k === "cell" ? data.fills[step.c][step.r] : "total";
    const group = svg("g", { class: `cell band${fill}`, "data-step": index, "data-cell": here.join(",") }, layer.cells);
    svg("rect", { ...b, rx: 4 }, group);
    const boundary = step.k === "total";
    if (boundary) svg("text", { x: b.x + b.width / 2, y: b.y - 10, class: "boundary" }, group, data.backward ? "START" : "END");
    svg("text", { x: b.x + b.width / 2, y: b.y + b.height / 2, class: "value" }, group, step.label);
    cellAt.set(here.join(), group);
    reveals[index].push(group);
    const winner = step.terms.find((term) => wins(term, step));
    if (winner) reveals[index].push(svg("path", { d: edge(source(winner), here), class: "back", "marker-start": "url(#arrow)" }, layer.backs));
  });
  const b = box(...first);
  const opening = svg("g", { class: "cell bandtotal on" }, layer.cells);
  svg("rect", { x: b.x, y: middle - 12, width: b.width, height: 24, rx: 12 }, opening);
  svg("text", { x: b.x + b.width / 2, y: middle, class: "boundary" }, opening, data.backward ? "END" : "START");
  cellAt.set(first.join(), opening);

  // The other decoders' paths appear column by column, as far as the recursion has come.
  const closes = new Map(); // column -> the step that completes it
  data.steps.forEach((step, index) => step.k === "cell" && closes.set(step.c, index));
  const grows = { viterbi: 1.5, greedy: 4, posterior: 6.5 };
  const overlays = data.paths.map(({ style, rows }) => {
    const lines = svg("g", { class: "overlay" }, layer.paths);
    const rings = svg("g", { class: "overlay" }, layer.rings);
    for (const side of style === "viterbi" ? ["outer", "inner"] : [""]) {
      rows.forEach((row, column) => {
        const rx = style === "posterior" ? 12 : 4 + grows[style];
        reveals[closes.get(column)].push(ring([column, row], grows[style], { class: `${style} ${side}`, rx }, rings));
        if (style === "posterior" || column === 0) return;
        const d = edge([column - 1, rows[column - 1]], [column, row]);
        const later = Math.max(closes.get(column), closes.get(column - 1));
        reveals[later].push(svg("path", { d, class: `${style} ${side}` }, lines));
      });
    }
    return [lines, rings];
  });

  const frame = svg("rect", { class: "frame", rx: 6 }, layer.rings);
  const incoming = [];
  let sources = [];
  let named = [];
  let current = -1;

  // The edges that a step is about: into its cell, or, tracing back, the pointer it follows.
  function edgesOf(step) {
    if (step.k === "backtrace") return [{ from: node(step), to: node(data.steps[step.via]), row: step.r, won: true, width: "" }];
    return step.terms
      .filter((term) => term[1] !== "−∞")
      .map((term) => {
        const width = data.semiring === "sum" ? `${1 + (term[3] * 4) / 100}px` : "";
        return { from: source(term), to: node(step), row: term[0], won: wins(term, step), width };
      });
  }

  // Light one step's own edges and the cells they come from.
  function light(index, animate) {
    const step = data.steps[index];
    const edges = edgesOf(step);
    for (const cell of sources) cell.classList.remove("source");
    sources = [];
    while (incoming.length < edges.length) incoming.push(svg("path", { pathLength: 1 }, layer.incoming));
    incoming.forEach((path, i) => {
      if (i >= edges.length) return path.removeAttribute("d");
      const { from, to, row, won, width } = edges[i];
      path.setAttribute("d", edge(from, to));
      path.setAttribute("class", won ? "wins" : "candidate");
      path.setAttribute("data-from", row);
      path.style.strokeWidth = width;
      if (won) path.setAttribute("marker-start", "url(#arrow-win)");
      else path.removeAttribute("marker-start");
      if (won) layer.incoming.append(path); // on top of the others
      if (animate) path.animate([{ strokeDasharray: "0 1" }, { strokeDasharray: "1 0" }], { duration: 240, easing: "ease-out" });
      const cell = cellAt.get(from.join());
      cell?.classList.add("source");
      if (cell) sources.push(cell);
    });
    const b = box(...node(step));
    for (const [key, value] of Object.entries({ x: b.x - 3, y: b.y - 3, width: b.width + 6, height: b.height + 6 })) frame.setAttribute(key, value);
    for (const label of named) label?.classList.remove("on");
    named = [heads[step.c], rowNames[step.r]];
    for (const label of named) label?.classList.add("on");
    return b;
  }

  // Reveal everything up to and including this step, and light it.
  function show(index, animate) {
    for (let i = current + 1; i <= index; i++) for (const element of reveals[i]) element.classList.add("on");
    for (let i = current; i > index; i--) for (const element of reveals[i]) element.classList.remove("on");
    root.classList.toggle("tracing", data.steps[index].k === "backtrace");
    current = index;
    follow(light(index, animate));
  }
  let scrolled = 0;
  let viewport = room;
  function follow(b) {
    const [from, to] = [b.x - at.pitch - 8, b.x + b.width + at.pitch];
    const space = viewport - at.nameWidth;
    if (from < scrolled) host.scrollLeft = Math.min(from, Math.max(to - space, from - space / 3));
    else if (to > scrolled + space) host.scrollLeft = Math.min(from, to - space / 2);
  }
  host.onscroll = () => (scrolled = host.scrollLeft);

  host.replaceChildren(names, root);
  // Stress the edge of one term.
  function stress(from) {
    for (const path of incoming) path.classList.toggle("stressed", from !== null && path.getAttribute("data-from") === from);
  }

  return { show, light, stress, overlays, pitch: at.pitch, resize: (width) => (viewport = width), element: root };
}
