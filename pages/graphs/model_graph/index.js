// A graph of variables (circles) and factors (squares). Python sends places, texts and colours, and checks what goes back:
// the number of the token whose tag was clicked. A node that is looked at shows its values in the panel below.

import { element, fill, followWords, isolated, letters, svg, whenPointed } from "../../../crf/figures/shared/dom.js";
import { report, whenData } from "../../../crf/figures/shared/model.js";
import { offerWays } from "../../../crf/figures/shared/save.js";

const WIDEST = 43; // half of the widest name in a row, less than the way to a square

const SKELETON = `
<div class="graph" role="group">
  <div class="scroll"><svg></svg></div>
  <div class="foot">
    <div class="panel"><p class="title"></p><div class="scroll values" tabindex="0" role="region" aria-label="Its values"><table><thead></thead><tbody></tbody></table></div></div>
    <button type="button" class="save" title="Save this picture" data-export="no">SVG</button>
  </div>
</div>`;

export default {
  render({ model, el, signal }) {
    const graph = new Graph(fill(el, SKELETON), (value) => report(model, "choice", value));
    whenData(model, signal, (data) => graph.load(data));
  },
};

class Graph {
  constructor(root, send) {
    this.root = root;
    this.send = send;
    this.find = (selector) => root.querySelector(selector);
    this.stage = this.find("svg");
    this.stage.onkeydown = (event) => this.key(event);
    this.stage.onclick = (event) => this.press(event.target.closest(".node"));
    offerWays(this.find(".save"), root);
    followWords((name) => {
      for (const part of this.stage.querySelectorAll("[data-speaks]")) part.classList.toggle("lit", name !== "" && part.dataset.speaks.split(" ").includes(name));
    });
    whenPointed(this.stage, (event) => this.look(event.target.closest(".node")));
    this.stage.addEventListener("focusin", (event) => this.look(event.target.closest(".node")));
  }

  load(data) {
    const text = JSON.stringify(data.drawing);
    if (text === this.text) return;
    this.text = text;
    const had = this.stage.getRootNode().activeElement?.dataset.key;
    const isFirst = !this.data;
    this.data = data.drawing;
    const { label, figure, tables, nodes } = this.data;
    this.root.setAttribute("aria-label", label);
    this.root.dataset.figure = figure;
    const rows = Math.max(0, ...tables.map((table) => Math.min(table.rows.length, 8)));
    this.root.style.setProperty("--room", `calc(${rows ? rows * 1.5 + 3.5 : 1.6} * var(--crf-rem))`);
    this.draw();
    const held = nodes.find((node) => node.held);
    if (isFirst && held) this.stage.parentElement.scrollLeft = held.x - this.stage.parentElement.clientWidth / 2;
    const named = (key) => this.nodes.find((node) => node.dataset.key === key);
    this.reach(named(had) ?? named(this.at) ?? this.nodes[0]);
    named(had)?.focus({ preventScroll: true });
    this.looked = null; // it belonged to the drawing before
    this.look(named(this.at));
  }

  draw() {
    const { width, height, nodes, edges, parts, bows } = this.data;
    this.stage.replaceChildren();
    this.stage.setAttribute("viewBox", `0 0 ${width} ${height}`);
    const larger = letters(this.root);
    this.stage.style.width = `clamp(${larger * width}px, 100%, ${1.6 * larger * width}px)`;
    this.stage.style.maxHeight = larger > 1 ? "64vh" : ""; // under a title
    const marker = svg("marker", { id: "head", viewBox: "0 0 8 8", refX: 8, refY: 4, markerWidth: 8, markerHeight: 8, orient: "auto" }, svg("defs", {}, this.stage));
    svg("path", { d: "M0 0L8 4L0 8z", class: "head" }, marker);
    for (const { d, thick, cut, title } of bows) {
      const bow = svg("path", { d, class: cut ? "bow cut" : "bow", "data-speaks": cut ? "bow cut" : "bow" }, this.stage);
      bow.style.strokeWidth = thick;
      svg("title", {}, bow, title);
    }
    for (const { x1, y1, x2, y2, arrow, cut } of edges)
      svg("line", { x1, y1, x2, y2, class: cut ? "edge cut" : "edge", ...(arrow && { "marker-end": "url(#head)" }) }, this.stage);
    for (const { x1, x2, y, x, above, text } of parts) {
      const part = svg("g", { class: "part" }, this.stage);
      svg("line", { x1, x2, y1: y, y2: y }, part);
      svg("text", { x, y: above - 3 }, part, text);
    }
    this.nodes = nodes.map((node) => this.node(node));
  }

  node(node) {
    const { x, y, radius, half } = node;
    const group = svg("g", {
      class: ["node", node.kind, node.role, node.shaded && "shaded", node.held && "held"].filter(Boolean).join(" "),
      tabindex: -1, "aria-label": node.title, "data-key": node.key, role: this.clicks(node) ? "button" : "img", "data-speaks": node.role ? `factor ${node.kind}` : node.kind,
      ...(this.clicks(node) && { "aria-pressed": node.held }),
    }, this.stage);
    const texts = node.texts.map(([tx, ty, text]) => svg("text", { x: tx, y: ty }, group, text));
    const needed = Math.max(0, ...texts.map((text) => text.getComputedTextLength())) / 2 + 8;
    const wide = half || (!node.role && needed > radius && Math.min(needed, WIDEST)); // a name that a circle has no room for
    for (const [grow, name] of [[5, "halo"], [0, "shape"]]) {
      const [w, h] = [(wide || radius) + grow, radius + grow];
      if (wide || node.role) svg("rect", { class: name, x: x - w, y: y - h, width: 2 * w, height: 2 * h, ...(wide && { rx: radius }) }, group);
      else svg("circle", { class: name, cx: x, cy: y, r: h }, group);
    }
    group.append(...texts);
    if (!half && needed > WIDEST) for (const text of texts) text.setAttribute("textLength", 2 * WIDEST - 14);
    group.node = node;
    return group;
  }

  // Only a CRF's tags are fixed by a click.
  clicks(node) {
    return node.kind === "tag" && this.data.label.endsWith("CRF");
  }

  // The one node that Tab reaches; the arrow keys go on from it.
  reach(group) {
    for (const other of this.nodes) other.setAttribute("tabindex", other === group ? 0 : -1);
  }

  look(group) {
    if (!group && this.looked) return;
    this.looked = group;
    for (const other of this.nodes) other.classList.toggle("looked", other === group);
    const [node, title] = [group?.node, this.find(".title")];
    this.at = node?.key;
    title.textContent = isolated(node?.title ?? this.data.hint ?? "");
    title.dataset.export = node ? "yes" : "no";
    const table = node?.table == null ? null : this.data.tables[node.table];
    this.find(".values").hidden = !table;
    if (!table) return;
    const heads = [table.corner, ...table.head].map((text, k) => element(k ? "th" : "td", { textContent: text, ...(k && { scope: "col" }) }));
    this.find("thead").replaceChildren(element("tr", {}, ...heads));
    const rows = table.rows.map(([name, cells], i) => {
      const drawn = cells.map(([text, background, colour], j) => {
        const cell = element("td", { textContent: text });
        cell.style.background = background ?? "";
        cell.style.color = colour ?? "";
        cell.classList.toggle("never", background === null);
        cell.classList.toggle("out", (node.row ?? i) !== i || (node.column ?? j) !== j);
        return cell;
      });
      return element("tr", {}, element("th", { textContent: name, scope: "row" }), ...drawn);
    });
    this.find("tbody").replaceChildren(...rows);
  }

  press(group) {
    if (!group || !this.clicks(group.node)) return;
    this.reach(group);
    this.send({ token: group.node.token, pressed: Date.now() }); // the same one again is another press
  }

  key(event) {
    const group = event.target.closest(".node");
    if (!group || event.altKey || event.ctrlKey || event.metaKey) return;
    if (event.key === "Enter" || event.key === " ") this.press(group);
    else {
      const next = this.neighbour(group.node, event.key);
      if (!next) return;
      this.reach(next);
      next.focus();
    }
    event.preventDefault();
  }

  // The nearest node that way: along its row, or straight up or down.
  neighbour({ x, level }, key) {
    const along = { ArrowLeft: -1, ArrowRight: 1 }[key] ?? 0;
    const down = { ArrowUp: -1, ArrowDown: 1 }[key] ?? 0;
    if (!along && !down) return null;
    const levels = [...new Set(this.nodes.map((g) => g.node.level))].sort((a, b) => a - b);
    const wanted = levels[levels.indexOf(level) + down];
    const there = this.nodes.filter((g) => g.node.level === wanted && (!along || (g.node.x - x) * along > 0));
    return there.sort((a, b) => Math.abs(a.node.x - x) - Math.abs(b.node.x - x))[0];
  }
}
