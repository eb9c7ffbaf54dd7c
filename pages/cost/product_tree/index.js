// A product of matrices as a tree. Python multiplies, places and names; what goes back, a node to look at or a bracket to move up or
// down, is checked there. Here one goes through the rounds and drags.

import { clipped, fill, followWords, html, isolated, put, svg, whenTurned } from "../../../crf/figures/shared/dom.js";
import { report, whenData } from "../../../crf/figures/shared/model.js";
import { offerSave } from "../../../crf/figures/shared/save.js";

const SKELETON = `
<div class="tree" data-figure="tree" role="group">
  <div class="bar" data-export="no">
    <button type="button" class="back" title="One round back" aria-label="One round back"><svg viewBox="0 0 16 16" aria-hidden="true"><path d="M11 3v10L4 8z" /></svg></button>
    <button type="button" class="on" title="One round on" aria-label="One round on"><svg viewBox="0 0 16 16" aria-hidden="true"><path d="M5 3v10l7-5z" /></svg></button>
    <span class="count"></span>
    <span class="apart"></span>
    <button type="button" class="up" title="Merge this bracket later (↑)">Bracket ↑</button>
    <button type="button" class="down" title="Merge this bracket earlier (↓)">Bracket ↓</button>
  </div>
  <p class="told" role="status"></p>
  <div class="parts">
    <div class="scroll stage" tabindex="-1"><svg role="group"></svg></div>
    <div class="chosen">
      <p class="total"></p>
      <p class="brackets"></p>
      <p class="title"></p>
      <div class="scroll matrix" tabindex="0" role="region" aria-label="The matrix of the chosen node"></div>
    </div>
  </div>
</div>`;

export default {
  render({ model, el, signal }) {
    const tree = new Tree(fill(el, SKELETON));
    tree.choose = (node) => report(model, "node", node);
    tree.turn = (gap, up) => report(model, "move", [gap, up]);
    whenTurned(tree.root, (by) => tree.go(tree.round + by), signal);
    whenData(model, signal, (data) => tree.load(data));
  },
};

class Tree {
  choose; turn;

  constructor(root) {
    this.root = root;
    this.find = (selector) => root.querySelector(selector);
    this.stage = this.find(".stage svg");
    this.round = null;
    offerSave(root);
    this.find(".back").onclick = () => this.go(this.round - 1);
    this.find(".on").onclick = () => this.go(this.round + 1);
    this.find(".up").onclick = () => this.move(this.data.chosen, true);
    this.find(".down").onclick = () => this.move(this.data.chosen, false);
    this.stage.onkeydown = (event) => this.key(event);
    this.stage.onpointerdown = (event) => this.press(event);
    followWords((name) => this.groups.forEach((group, k) => group.classList.toggle("lit", name === "leaf" && this.data.nodes[k].gap < 0)));
  }

  load(data) {
    const text = JSON.stringify(data);
    if (text === this.text) return;
    this.text = text;
    const had = this.stage.getRootNode().activeElement?.dataset?.node;
    this.data = data;
    this.last = data.rounds.length - 1;
    this.round = Math.min(this.round ?? 0, this.last);
    this.root.setAttribute("aria-label", data.label);
    this.find(".brackets").textContent = isolated(data.brackets);
    this.find(".total").textContent = data.total;
    this.draw();
    this.matrix();
    this.paint();
    if (had !== undefined) this.groups[Math.min(data.chosen, this.groups.length - 1)].focus({ preventScroll: true });
  }

  draw() {
    const { width, height, nodes, words } = this.data;
    const lane = height + 44;
    this.stage.replaceChildren();
    put(this.stage, { width, height: lane + 22, viewBox: `0 0 ${width} ${lane + 22}` });
    for (const { x, y, children } of nodes)
      for (const child of children) svg("line", { class: "edge", x1: x, y1: y, x2: nodes[child].x, y2: nodes[child].y }, this.stage);
    this.groups = nodes.map(({ x, y, gap, text, title }, k) => {
      const half = Math.max(20, text.length * 5 + 8);
      const group = svg("g", { class: `node${gap >= 0 ? " turns" : ""}`, role: "button", tabindex: -1, "data-node": k, "aria-label": `${text}: ${title}` }, this.stage);
      svg("rect", { x: x - half, y: y - 15, width: 2 * half, height: 30, rx: 6 }, group);
      svg("text", { x, y }, group, text);
      return group;
    });
    const leaves = nodes.filter(({ gap }) => gap < 0);
    leaves.forEach(({ x, y }, t) => svg("text", { x, y: y + 27, class: "word" }, this.stage, words[t]));
    svg("text", { x: 4, y: lane - 16, class: "caption" }, this.stage, "one after the other:");
    this.lane = leaves.map(({ x }) => {
      const box = svg("g", { class: "lane" }, this.stage);
      svg("rect", { x: x - 16, y: lane - 4, width: 32, height: 18, rx: 4 }, box);
      svg("text", { x, y: lane + 5 }, box, "α̂");
      return box;
    });
  }

  paint() {
    const { nodes, chosen, rounds } = this.data;
    this.groups.forEach((group, k) => {
      group.classList.toggle("done", nodes[k].height <= this.round);
      group.classList.toggle("fresh", nodes[k].height === this.round && this.round > 0);
      group.classList.toggle("chosen", k === chosen);
      put(group, { tabindex: k === chosen ? 0 : -1, "aria-pressed": k === chosen });
    });
    this.lane.forEach((box, t) => box.classList.toggle("done", t <= this.round));
    this.find(".told").textContent = isolated(rounds[this.round]);
    this.find(".count").textContent = `round ${this.round}`;
    this.find(".back").disabled = this.round === 0;
    this.find(".on").disabled = this.round === this.last;
    for (const name of [".up", ".down"]) this.find(name).disabled = nodes[chosen].gap < 0;
    this.find(".title").textContent = isolated(nodes[chosen].title);
  }

  matrix() {
    const { tags, cells } = this.data.matrix;
    const table = html("table");
    const head = html("tr", {}, table);
    html("th", {}, head, "from ↓ to →");
    for (const tag of tags) html("th", { scope: "col" }, head, clipped(tag, 10));
    cells.forEach((line, i) => {
      const tr = html("tr", {}, table);
      html("th", { scope: "row" }, tr, clipped(tags[i], 10));
      for (const [text, background] of line) html("td", {}, tr, text).style.background = background;
    });
    this.find(".matrix").replaceChildren(table);
  }

  // Returns whether there was such a round to go to.
  go(round) {
    round = Math.max(0, Math.min(round, this.last));
    if (round === this.round) return false;
    this.round = round;
    this.paint();
    return true;
  }

  look(k) {
    if (k === this.data.chosen) return;
    this.data.chosen = k;
    this.paint();
    this.choose(k);
  }

  move(k, up) {
    if (this.data.nodes[k].gap >= 0) this.turn(this.data.nodes[k].gap, up);
  }

  // A click looks at a node, a drag up or down moves its bracket.
  press(event) {
    const group = event.target.closest(".node");
    if (!group) return;
    const k = Number(group.dataset.node), from = event.clientY;
    const release = (end) => {
      this.look(k);
      group.focus({ preventScroll: true });
      if (Math.abs(end.clientY - from) > 18) this.move(k, end.clientY < from);
    };
    window.addEventListener("pointerup", release, { once: true });
  }

  key(event) {
    const group = event.target.closest(".node");
    if (!group || event.altKey || event.ctrlKey || event.metaKey) return;
    const k = Number(group.dataset.node);
    if (event.key === "ArrowUp" || event.key === "ArrowDown") this.move(k, event.key === "ArrowUp");
    else if (event.key === "Enter" || event.key === " ") this.look(k);
    else if (event.key === "ArrowLeft" || event.key === "ArrowRight") {
      const order = this.data.nodes.map((node, j) => [node.x, j]).sort((a, b) => a[0] - b[0] || a[1] - b[1]).map(([, j]) => j);
      const next = order[order.indexOf(k) + (event.key === "ArrowRight" ? 1 : -1)];
      if (next === undefined) return;
      this.groups[next].focus();
      this.look(next);
    } else return;
    event.preventDefault();
  }
}
