// Paths through the trellis, and under it how their scores grow: one path as a waterfall, several as lines. Where a path may
// be picked each token is a group of radio buttons. Python sends every text and checks the path that goes back; here it is
// only drawn, the path picked at once, before Python has answered.

import { element, fill, followWords, html, lightElsewhere, readable, svg, taller, whenPointed } from "../../../../crf/figures/shared/dom.js";
import { report, whenData } from "../../../../crf/figures/shared/model.js";
import { offerWays } from "../../../../crf/figures/shared/save.js";

let groups = 0;

const SKELETON = `
<div class="picker" role="group">
  <div class="scroll" role="group" aria-label="The trellis">
    <div class="stage"><svg class="links" aria-hidden="true"></svg></div>
    <svg class="fall" aria-hidden="true"></svg>
  </div>
  <p class="sum"></p>
  <div class="foot" data-export="no">
    <details hidden><summary></summary><div class="scroll"><table><caption></caption><thead></thead><tbody></tbody></table></div></details>
    <button type="button" class="save">SVG</button>
  </div>
</div>`;

export default {
  render({ model, el, signal }) {
    const picker = new Picker(fill(el, SKELETON));
    picker.send = (value) => report(model, "choice", value);
    document.addEventListener("crf:light", picker.lights, { signal });
    whenData(model, signal, (data) => picker.load(data));
  },
};

const WIDENS = 8; // letters of a word that make its column wider; a longer one is shortened
const MANY = 8; // tags, from which on each has its name but once
const longest = (texts) => Math.max(...texts.map((text) => text.length));
// The letters of the longest score of a cell, and of a link.
const widthsOf = ({ emissions, start, end, transitions }) => [
  longest(emissions.flat().map(([text]) => text)),
  longest([start, end, ...transitions.flat()].flat()),
];

class Picker {
  send; form; widths;

  constructor(root) {
    this.root = root;
    this.find = (selector) => root.querySelector(selector);
    this.stage = this.find(".stage");
    this.links = this.find(".links");
    this.fall = this.find(".fall");
    this.group = `path${groups++}`;
    this.client = `${Date.now()} ${Math.random()}`;
    this.serial = 0;
    this.pending = 0; // the pick that Python has not answered
    this.lights = ({ detail }) => {
      if (Array.isArray(detail?.reads) && detail.source !== this.data?.source) this.lit(detail.reads);
    };
    this.stage.onkeydown = (event) => this.key(event);
    this.stage.onchange = (event) => this.choose(event.target);
    offerWays(this.find(".save"), root);
    whenPointed(root, (event) => this.light(event.target));
    root.addEventListener("focusin", (event) => this.light(event.target));
    for (const type of ["pointerleave", "focusout"]) root.addEventListener(type, () => this.light(null));
    followWords((name) => this.lit(name ? [name] : [], "speaks")); // the words of the text speak of these parts
    new ResizeObserver(() => this.data && this.draw()).observe(this.stage);
    document.addEventListener("crf:rows", () => this.data && this.draw());
  }

  load(data) {
    if (this.data && data.serial < this.data.serial) return; // two repaints may arrive in the wrong order
    const form = JSON.stringify([data.tags, data.tokens, data.pick]);
    const widths = widthsOf(data);
    if (form !== this.form || (data.client === this.client && data.upto >= this.pending)) this.pending = 0;
    this.answered = !this.pending;
    if (!this.answered) data.paths[0].tags = this.data.paths[0].tags;
    this.data = data;
    if (form !== this.form || widths.join() !== this.widths?.join()) this.build(widths);
    [this.form, this.widths] = [form, widths];
    this.root.setAttribute("aria-label", data.label);
    this.root.dataset.figure = data.figure;
    this.paint();
    if (this.answered) this.write();
  }

  /** @param {number[]} widths */
  build([value, link]) {
    const { data } = this;
    const { tags, tokens, pick } = data;
    const focused = this.place(this.stage.getRootNode().activeElement);
    this.stage.style.setProperty("--cell", tags.length > 12 ? (pick ? "24px" : "20px") : tags.length > MANY ? "calc(1.6 * var(--crf-rem))" : pick ? "clamp(calc(2.1 * var(--crf-rem)), 4.4vh, calc(3 * var(--crf-rem)))" : "clamp(calc(2.8 * var(--crf-rem)), 5.4vh, calc(3.4 * var(--crf-rem)))");
    this.stage.style.setProperty("--gap", pick ? (tags.length > 12 ? "1px" : tags.length > MANY ? "3px" : "8px") : tags.length > 12 ? "7px" : tags.length > MANY ? "9px" : "17px");
    const named = tags.length > MANY; // once, before all columns, which so have room beside each other
    this.stage.style.setProperty("--link", `calc(${pick ? (named ? 0.36 : 0.5) * link : 0} * max(var(--crf-rem), 1.2 * var(--crf-least, 0px)))`);
    const letters = named ? value : longest(tags) + value;
    const stacked = !named && letters > 8; // a tag above its score
    this.stage.classList.toggle("stacked", stacked);
    this.stage.classList.toggle("named", named);
    this.stage.style.setProperty("--letters", tokens.length <= 6 ? "clamp(calc(.8 * var(--crf-rem)), 1.55cqw, calc(1.25 * var(--crf-rem)))" : "calc(.8 * var(--crf-rem))");
    this.stage.style.setProperty("--least", `calc(${named ? 0.5 * value + 0.2 : stacked ? 4.6 : Math.max(4.6, 0.62 * letters - 0.4)} * var(--crf-rem))`);
    this.stage.style.setProperty("--narrow", `calc(${named ? 0.4 * value + 0.2 : Math.max(2.2, 0.42 * Math.max(longest(tags), value) + 0.3, 0.4 * Math.min(longest(tokens), 6))} * var(--crf-rem))`);
    this.cells = tokens.map((_, t) => tags.map((tag, s) => this.cell(t, s, tag, pick)));
    const columns = tokens.map((token, t) => {
      const word = element("bdi", { className: "word", textContent: token, title: token });
      word.style.setProperty("--room", `${0.55 * Math.min(token.length, WIDENS)}em`);
      const column = element("div", { className: "column" }, word, ...this.cells[t]);
      return Object.assign(column, pick && { role: "radiogroup", ariaLabel: `Tag of ${token}` });
    });
    const edge = (text) => element("div", { className: "edge" }, element("span", { textContent: text }));
    const names = element("div", { className: "names", ariaHidden: true, hidden: !named }, element("bdi", { className: "above", textContent: "\u00a0" }), ...tags.map((tag) => element("span", { textContent: tag, title: tag })));
    this.stage.replaceChildren(this.links, names, edge("START"), ...columns, edge("END"));
    this.stage.parentElement.tabIndex = pick ? -1 : 0; // what scrolls can be scrolled by keys; a picked tag is reached anyway
    if (focused && pick) this.radio(Math.min(focused[0], tokens.length - 1), Math.min(focused[1], tags.length - 1)).focus({ preventScroll: true });
  }

  cell(t, s, tag, pick) {
    const cell = element(pick ? "label" : "div", { className: "cell" });
    if (pick) cell.append(element("input", { type: "radio", name: `${this.group} ${t}`, value: s }));
    cell.append(element("span", { className: "tag", textContent: tag }), element("span", { className: "value" }));
    cell.dataset.read = `emission:${t}:${s}`;
    return cell;
  }

  radio(t, s) {
    return this.cells[t][s].querySelector("input");
  }

  paint() {
    const { data } = this;
    const path = data.paths[0]?.tags;
    this.cells.forEach((column, t) =>
      column.forEach((cell, s) => {
        const [text, paint] = data.emissions[t][s];
        if (data.pick) {
          this.radio(t, s).checked = path[t] === s;
          this.radio(t, s).setAttribute("aria-label", `${data.tags[s]}, emission ${text}`);
        }
        cell.dataset.speaks = data.pick ? (path[t] === s ? "emission" : "") : "emission";
        if (cell.drawn === text + paint) return;
        cell.drawn = text + paint;
        cell.querySelector(".value").textContent = text;
        cell.style.setProperty("--paint", paint ?? "transparent");
        cell.classList.toggle("never", paint === null);
      }),
    );
    this.draw();
  }

  draw() {
    this.measure();
    this.join();
    if (this.answered) this.grow();
  }

  // Where the cells are; all is measured before anything is drawn.
  measure() {
    const box = this.stage.getBoundingClientRect();
    const zoom = box.width / this.stage.offsetWidth || 1; // of a page that is fitted to its window
    const sides = (node) => {
      const sizes = node.getBoundingClientRect();
      const [left, right] = [sizes.left, sizes.right].map((x) => box.left + (x - box.left) / zoom);
      const [top, bottom] = [sizes.top, sizes.bottom].map((y) => box.top + (y - box.top) / zoom);
      return { left: left - box.left, right: right - box.left, top: top - box.top, bottom: bottom - box.top, x: (left + right) / 2 - box.left, y: (top + bottom) / 2 - box.top };
    };
    const [first, last] = [...this.stage.querySelectorAll(".edge span")].map(sides);
    this.at = { first, last, cells: this.cells.map((column) => column.map(sides)), width: box.width / zoom, room: innerHeight / zoom };
  }

  // Lines between the cells of each path; of the one picked with their scores.
  join() {
    const { data, at } = this;
    const moves = (t) => data.transitions[data.perStep ? t : 0];
    this.links.replaceChildren();
    data.paths.forEach(({ tags: path, style }, k) => {
      const shift = data.paths.length > 1 ? 5 * (k - (data.paths.length - 1) / 2) : 0; // side by side where they coincide
      const texts = [data.start[path[0]], ...path.slice(1).map((s, t) => moves(t)[path[t]][s]), data.end[path.at(-1)]];
      const reads = [`start:${path[0]}`, ...path.slice(1).map((s, t) => `transition:${path[t]}:${s}`), `end:${path.at(-1)}`];
      const nodes = [at.first, ...path.map((s, t) => at.cells[t][s]), at.last];
      // How far from its cell a path has its ring: those that come later have theirs inside.
      const ring = (t) => (data.pick || !(t in path) ? 0 : 1.5 + 3.5 * data.paths.slice(k + 1).filter(({ tags }) => tags[t] === path[t]).length);
      texts.forEach((text, n) => {
        const [from, to] = [nodes[n], nodes[n + 1]];
        const link = svg("g", { class: ["link", style, text === "−∞" && "forbidden"].filter(Boolean).join(" "), "data-read": reads[n], "data-speaks": style ?? reads[n].split(":")[0] }, this.links);
        const [x1, y1, x2, y2] = [from.right + ring(n - 1), from.y + shift, to.left - ring(n), to.y + shift];
        svg("path", { d: `M${x1} ${y1}L${x2} ${y2}` }, link);
        if (data.pick) svg("text", { x: (x1 + x2) / 2, y: (y1 + y2) / 2 - 9 }, link, text);
        else if (n < path.length) {
          const grow = ring(n);
          svg("rect", { x: to.left - grow, y: to.top - grow, width: to.right - to.left + 2 * grow, height: to.bottom - to.top + 2 * grow, rx: 7 }, link);
        }
      });
    });
  }

  // How the scores grow, under the columns: a bar for each term, or a line for each path.
  grow() {
    const { terms = [], runs = [], levels = [] } = this.data;
    const { fall, at } = this;
    const usual = Math.max(this.data.height, Math.min(0.34 * at.room, 2 * this.data.height));
    const height = Math.round((taller() || 1) * (this.data.tags.length > 12 ? 0.2 * at.room : usual)); // below many tags is little room
    const values = [0, ...levels.map((level) => level.value), ...terms.map((term) => term.running), ...runs.flatMap((run) => run.values)].filter((value) => value !== null);
    const [low, high] = [Math.min(...values), Math.max(...values)];
    const larger = Math.max(1, readable() / 16); // letters before a class
    const off = 11 * larger; // from a line to the middle of the number beside it
    const y = (value) => (value === null ? height - 12 : 2 * off + ((high - value) / (high - low || 1)) * (height - 4 * off));
    const column = (t) => at.cells[t][0].x;
    fall.replaceChildren();
    for (const [name, value] of Object.entries({ width: at.width, height, viewBox: `0 0 ${at.width} ${height}` })) fall.setAttribute(name, value);
    fall.style.display = terms.length || runs.length ? "" : "none";
    svg("line", { class: "zero", x1: 0, x2: at.width, y1: y(0), y2: y(0) }, fall);
    svg("text", { x: 0, y: y(0) + off, "font-size": 11 }, fall, "0");
    for (const { value, text, speaks } of levels) {
      svg("line", { class: "level", x1: 0, x2: at.width, y1: y(value), y2: y(value), "data-speaks": speaks }, fall);
      svg("text", { class: "level-name", x: 0, y: y(value) - off, "data-speaks": speaks }, fall, text);
    }
    const steps = terms.map((_, k) => (k === 0 ? at.first.x + 6 : k === terms.length - 1 ? at.last.x - 6 : k % 2 ? column((k - 1) / 2) : (column(k / 2 - 1) + column(k / 2)) / 2));
    const wide = Math.max(14, Math.min(40, 0.75 * Math.min(...steps.slice(1).map((x, k) => x - steps[k]))));
    let before = 0;
    terms.forEach(({ role, read, what, text, running }, k) => {
      if (before === null) return; // nothing is added to −∞
      const bar = svg("g", { class: `bar ${role}`, "data-read": read, "data-speaks": role }, fall);
      const [top, bottom] = [Math.min(y(before), y(running)), Math.max(y(before), y(running))];
      svg("title", {}, bar, `${what}: ${text}`);
      svg("rect", { x: steps[k] - wide / 2, y: top - 1, width: wide, height: Math.max(bottom - top, 2) }, bar);
      const besideGap = this.data.gap && k === terms.length - 2; // whose number stands above the level
      const isNamed = ({ value, text: name }) => steps[k] - 3.5 * larger * text.length < 7 * larger * name.length && Math.abs(top - y(value)) < 16 * larger; // there stands the level's name
      const isClear = !levels.some((level) => isNamed(level) || Math.abs(top - off - y(level.value) + (besideGap ? 8 * larger : 0)) < (besideGap ? 17 : 9) * larger);
      const above = running !== null && running >= before && role !== "end" && isClear;
      svg("text", { x: steps[k], y: above ? top - off : bottom + off }, bar, text);
      if (k + 1 < terms.length && running !== null) svg("line", { class: "tie", x1: steps[k] + wide / 2, x2: steps[k + 1] - wide / 2, y1: y(running), y2: y(running) }, fall);
      before = running;
    });
    if (this.data.gap && levels.length) {
      const gap = svg("g", { class: "gap", "data-speaks": "log-p" }, fall);
      const x = at.last.x - 6;
      svg("line", { x1: x, x2: x, y1: y(before), y2: y(levels[0].value) }, gap);
      svg("text", { x: x + 20, y: Math.min(y(before), y(levels[0].value)) - off, "text-anchor": "end" }, gap, this.data.gap);
    }
    const written = []; // heights of the numbers at the ends, which keep apart
    for (const { style, values: reached, text, name } of runs) {
      const run = svg("g", { class: `run ${style}`, "data-speaks": style }, fall);
      const points = [[at.first.x, 0], ...reached.map((value, t) => [column(t), value])].filter(([, value]) => value !== null);
      svg("title", {}, run, `${name}: ${text}`);
      svg("path", { d: points.map(([x, value], k) => `${k ? "L" : "M"}${x} ${y(value)}`).join("") }, run);
      for (const [x, value] of points) svg("circle", { cx: x, cy: y(value), r: 4 }, run);
      const [x, value] = points.at(-1);
      let height = y(value);
      while (written.some((other) => Math.abs(other - height) < 15 * larger)) height += 3;
      written.push(height);
      svg("text", { x: x + 10, y: height }, run, text);
    }
  }

  // What stands under the figure, and the same numbers as a table.
  write() {
    const { sum, fold } = this.data;
    this.find(".sum").replaceChildren();
    for (const { text, kind = "", speaks = "" } of sum) html("span", { class: kind, "data-speaks": speaks }, this.find(".sum"), text);
    this.find("details").hidden = !fold;
    if (!fold) return;
    this.find("summary").textContent = fold.label;
    this.find("caption").textContent = fold.caption;
    this.find("thead").replaceChildren(element("tr", {}, ...fold.heads.map((text) => (text ? element("th", { textContent: text, scope: "col" }) : element("td")))));
    const rows = fold.rows.map(({ cells: [name, ...cells], role = "", read }) => {
      const row = html("tr", read ? { "data-read": read } : {});
      row.append(element("th", { textContent: name, scope: "row" }), ...cells.map((text, k) => element("td", { textContent: text, className: k ? "" : role })));
      return row;
    });
    this.find("tbody").replaceChildren(...rows);
  }

  choose(radio) {
    const [t, s] = this.place(radio);
    const path = this.data.paths[0].tags.with(t, s);
    this.data.paths[0].tags = path;
    this.answered = false;
    this.paint();
    this.send({ client: this.client, serial: (this.pending = ++this.serial), path });
  }

  key(event) {
    const along = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!along || event.altKey || event.ctrlKey || event.metaKey || !this.data.pick) return;
    event.preventDefault(); // left and right go to the next token; up and down choose
    const t = this.place(event.target)[0] + along;
    if (this.cells[t]) this.radio(t, this.data.paths[0].tags[t]).focus();
  }

  place(node) {
    const cell = node?.closest?.(".cell");
    const t = this.cells?.findIndex((column) => column.includes(cell)) ?? -1;
    return t < 0 ? null : [t, this.cells[t].indexOf(cell)];
  }

  light(target) {
    const read = target?.closest("[data-read]")?.dataset.read;
    if (read === this.shining) return;
    this.shining = read;
    const reads = read ? [read] : [];
    this.lit(reads);
    lightElsewhere(this.root, this.data.source, reads);
  }

  lit(names, kind = "read") {
    for (const node of this.root.querySelectorAll(`[data-${kind}]`)) node.classList.toggle("lit", names.includes(node.dataset[kind]));
  }
}
