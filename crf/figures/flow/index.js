// Flow: a column per token, a block per tag, ribbons between them. Python sends probabilities and their texts and checks
// what goes back, { token, tag }; here they are laid out, and one picture glides into the next.

import { decimal } from "../shared/decimal.js";
import { clipped, fill, filledText, html, isolated, put, svg, whenPointed } from "../shared/dom.js";
import { report, whenData } from "../shared/model.js";
import { offerWays } from "../shared/save.js";
import { HEAD, HEIGHT, LINE, bandPath, bands, columnPlaces, inkOn, stacked, targets } from "./layout.js";
import { drawLines, drawSpans } from "./lines.js";
import { Menu } from "./menu.js";
import { Overview } from "./overview.js";

const OTHER = "other";
const [GLIDE, BRISK] = [300, 110]; // ms: from one picture to the next; and while they come quickly
const QUICK = 400; // ms between two pictures: as in a drag

const SKELETON = `
<div class="flow" data-figure="flow" role="group">
  <div class="overview" data-export="no" aria-hidden="true"></div>
  <div class="stage">
    <div class="names" aria-hidden="true"></div>
    <div class="scroll"><svg role="group"></svg></div>
  </div>
  <div class="keys" data-export="only"></div>
  <div class="foot" data-export="no"><p class="readout" role="status" aria-live="polite"></p>
  <button type="button" class="save">SVG</button></div>
  <div class="menu" role="menu" hidden></div>
</div>`;

export default {
  render({ model, el, signal }) {
    const flow = new Flow(fill(el, SKELETON), (choice) => report(model, "choice", choice), signal);
    whenData(model, signal, (data) => flow.load(data));
  },
};

class Flow {
  root;
  send;
  stage;
  room;
  readout;
  data;
  text;
  shape;
  ribbons;
  blocks;

  constructor(root, send, signal) {
    Object.assign(this, { root, send });
    this.find = (selector) => root.querySelector(selector);
    [this.stage, this.room, this.readout] = [".stage svg", ".scroll", ".readout"].map(this.find);
    this.parts = new Map(); // "b|column|tag" or "r|column|from|to|cut" -> what is drawn
    this.menu = new Menu(root, this.find(".menu"), (token, tag) => send({ token, tag }));
    this.calm = matchMedia("(prefers-reduced-motion: reduce)");
    this.stage.onkeydown = (event) => this.key(event);
    this.stage.onclick = (event) => this.press(event.target.closest(".block, .head"));
    whenPointed(this.stage, (event) => this.look(event.target.closest(".block, .ribbon, .head")));
    this.stage.onpointerleave = () => this.look(null);
    this.stage.addEventListener("focusin", (event) => this.reach(event.target.closest(".block, .head")));
    this.stage.addEventListener("focusout", () => this.look(null));
    this.overview = new Overview(this.find(".overview"), this.room);
    offerWays(this.find(".save"), root);
    this.watch = new ResizeObserver(() => this.resize());
    signal.addEventListener("abort", () => {
      this.watch.disconnect();
      cancelAnimationFrame(this.frame);
    });
  }

  load(data) {
    const text = JSON.stringify(data.flow);
    if (text === this.text) return;
    this.watch.observe(this.room);
    const shape = JSON.stringify([
      data.flow.columns.map(({ token, text, part }) => [token, text, part]),
      data.flow.tags,
    ]);
    const same = shape === this.shape;
    Object.assign(this, { text, shape, data });
    this.tags = new Map(data.flow.tags.map((tag, k) => [tag.name, { ...tag, place: k }]));
    this.tags.set(OTHER, {
      name: OTHER,
      colour: "120, 128, 136",
      about: data.words.other,
      place: data.flow.tags.length,
    });
    this.root.setAttribute("aria-label", data.flow.label);
    this.stage.setAttribute("aria-label", data.flow.label);
    if (!same) this.rebuild();
    this.aim();
    this.writeKeys();
    const now = performance.now();
    this.span = now - (this.loaded ?? -Infinity) < QUICK ? BRISK : GLIDE;
    this.loaded = this.began = now;
    if (!same || this.calm.matches) this.span = 0;
    this.fit();
    this.tick();
    this.lookAgain();
  }

  // Nothing is there yet: the layers of the picture, and a word over each column.
  rebuild() {
    this.menu.close(false);
    this.parts.clear();
    this.stage.replaceChildren();
    const hatch = svg(
      "pattern",
      { id: "cut", width: 7, height: 7, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" },
      svg("defs", {}, this.stage),
    );
    svg("rect", { width: 7, height: 7, fill: "#fff", "fill-opacity": 0.35 }, hatch);
    svg("line", { x1: 0, x2: 0, y1: 0, y2: 7, stroke: "#b3261e", "stroke-width": 4 }, hatch);
    const picture = svg("g", { class: "picture" }, this.stage);
    [this.ribbons, this.blocks] = ["ribbons", "blocks"].map((name) => svg("g", { class: name }, picture));
    this.lines = svg("g", { class: "lines" }, this.stage);
    this.spans = svg("g", { class: "spans" }, this.stage);
    this.heads = this.data.flow.columns.map((column, k) => {
      const group = svg("g", { class: "head", "data-column": k }, this.stage);
      const box = svg("rect", { class: "hit", height: HEAD - 2, rx: 4 }, group);
      const ring = svg("rect", { class: "ring", height: HEAD - 4, y: 1, rx: 4 }, group);
      const word = svg(
        "text",
        {
          class: `word ink ${column.unknown ? "unknown" : ""}`,
          "font-size": 17,
          "font-weight": 600,
          "text-anchor": "middle",
          y: 21,
        },
        group,
      );
      const mark = svg("text", { class: "mark ink", "font-size": 11, "text-anchor": "middle", y: 32 }, group);
      return (group.drawn = { kind: "head", k, group, box, ring, word, mark });
    });
    this.at = null;
  }

  // What every block and ribbon shall become; what is not in the new picture shrinks to nothing.
  aim() {
    for (const part of this.parts.values())
      Object.assign(part, {
        from: part.now ?? 0,
        to: 0,
        fromRight: part.right ?? null,
        toRight: part.right == null ? null : 0,
      });
    const { columns, ribbons } = this.data.flow;
    columns.forEach((column, k) => {
      for (const [tag, p, text, cut] of column.blocks)
        Object.assign(
          this.part(`b|${k}|${tag}`, () => this.block(k, tag)),
          { p, to: p, text, cut },
        );
    });
    ribbons.forEach((row, k) => {
      for (const [a, b, p, text, cut, right] of row)
        Object.assign(
          this.part(`r|${k}|${a}|${b}|${cut}`, () => this.ribbon(k, a, b, cut)),
          { p, to: p, text, toRight: right ?? null, fromRight: right == null ? null : 0 },
        );
    });
    for (const part of this.parts.values()) this.describe(part);
    const { words, clickable } = this.data;
    columns.forEach((column, k) => {
      const { group, box, word } = this.heads[k];
      const opens = clickable && column.choices?.length;
      group.classList.toggle("opens", Boolean(opens));
      put(
        group,
        opens
          ? {
              role: "button",
              "aria-haspopup": "menu",
              tabindex: -1,
              "aria-label": filledText(words.choose, { word: column.text }),
            }
          : { role: "presentation" },
      );
      box.dataset.token = word.dataset.word = column.token;
      this.heads[k].told = clickable ? filledText(words.open, { word: column.text }) : null;
    });
  }

  part(key, make) {
    if (!this.parts.has(key)) this.parts.set(key, { key, from: 0, now: 0, right: null, ...make() });
    return this.parts.get(key);
  }

  block(k, tag) {
    const group = svg("g", { class: "block", tabindex: -1 }, this.blocks);
    const { colour, continues } = this.tags.get(tag);
    const paint = `rgb(${colour})`;
    const fill = svg(
      "rect",
      { fill: paint, ...(continues && { "fill-opacity": 0.4, stroke: paint, "stroke-width": 2 }) },
      group,
    );
    const ink = continues
      ? { class: "label ink" }
      : { class: "label", style: `fill: ${inkOn(colour)}`, fill: inkOn(colour) };
    const label = svg("text", { ...ink, "font-size": 12.5, "font-weight": 650, "text-anchor": "middle" }, group);
    return { kind: "block", k, tag, group, fill, label };
  }

  ribbon(k, a, b, cut) {
    const group = svg(
      "g",
      { class: "ribbon", fill: `rgb(${this.tags.get(a).colour})`, "fill-opacity": 0.38, stroke: "#fff" },
      this.ribbons,
    );
    const made = { kind: "ribbon", k, a, b, group, band: svg("path", {}, group) };
    if (cut) made.hatch = svg("path", { fill: "url(#cut)", "fill-opacity": 0.9 }, group);
    return made;
  }

  // Everything of a part that does not move: what tests, menus and reading aloud go by.
  describe(part) {
    const { columns } = this.data.flow;
    const { clickable } = this.data;
    const [here, next] = [columns[part.k], columns[part.k + 1]];
    const { dataset } = part.group;
    part.group.drawn = part;
    dataset.token = here.token;
    if (here.part) dataset.part = here.part;
    if (part.to > 0) dataset.p = String(part.p);
    else delete dataset.p;
    const number = ` ${part.text}`;
    if (part.kind === "ribbon") {
      Object.assign(dataset, { from: part.a, to: part.b, ...(part.hatch && { cut: "true" }) });
      part.told = `${here.text} ${part.a} → ${next.text} ${part.b}:${number || ` ${this.data.words.ribbon}`}${part.hatch ? `, ${this.data.words.forbidden}` : ""}`;
      return;
    }
    dataset.tag = part.tag;
    const { about } = this.tags.get(part.tag);
    const held = here.held === part.tag;
    const { words } = this.data;
    const marks = [held && words.fixed, here.path === part.tag && words.on_outline, part.cut && words.forbidden].filter(
      Boolean,
    );
    part.told = `${filledText(words.block, { word: here.text, tag: part.tag })}${about && about !== part.tag.toLowerCase() ? ` (${about})` : ""}: ${part.text}${marks.length ? `; ${marks.join(", ")}` : ""}`;
    const opens = clickable && (part.tag !== OTHER || here.choices?.length);
    part.group.classList.toggle("opens", Boolean(opens));
    put(part.group, {
      role: opens ? "button" : "img",
      "aria-label": part.told,
      ...(opens && part.tag !== OTHER && { "aria-pressed": held }),
    });
    const shown = part.p >= 0.005 && part.p < 0.995 ? decimal(part.p.toFixed(2).slice(1)) : "";
    part.lettering = [part.tag, held ? words.fixed : shown];
  }

  // The size of the picture for the room there is.
  fit() {
    const { flow } = this.data;
    this.width = this.room.clientWidth;
    if (!this.width || !flow.columns.length) return;
    this.places = columnPlaces(flow.columns, this.width);
    const tall = HEAD + HEIGHT + 4 + (flow.lines.length ? flow.lines.length * LINE + 8 : 0);
    const longest = Math.max(...[...this.tags.keys()].map((tag) => tag.length)) + 4; // with its number
    this.larger = Math.min(1.35, Math.max(1, this.places.width / (longest * 7.4 + 6))); // letters, where blocks are wide
    put(this.stage, { width: this.places.whole, height: tall, viewBox: `0 0 ${this.places.whole} ${tall}` });
    this.root.classList.toggle("scrolls", this.places.scrolls);
    const { middles, wides, whole } = this.places;
    flow.columns.forEach((column, k) => {
      const { box, ring, word, mark } = this.heads[k];
      const middle = middles[k];
      const half = Math.min(wides[k] / 2, middle - 2, whole - middle - 2);
      for (const part of [box, ring]) put(part, { x: middle - half, width: 2 * half });
      put(word, { x: middle });
      word.textContent = clipped(column.text, Math.floor(wides[k] / 8.6));
      mark.textContent = column.marked ? `▲ ${this.data.words.marked}` : "";
      put(mark, { x: middle });
    });
    drawSpans(this.spans, this.heads, flow, this.places);
    const names = drawLines(this.lines, flow, this.places, HEAD + HEIGHT + 8, this.tags);
    this.find(".names").replaceChildren(...names);
    this.overview.draw(flow.columns, this.places.scrolls, this.data.words.overview);
  }

  resize() {
    if (!this.data || this.room.clientWidth === this.width) return;
    this.fit();
    this.draw();
    this.settle();
    this.lookAgain();
  }

  tick() {
    cancelAnimationFrame(this.frame);
    const share = this.span ? Math.min((performance.now() - this.began) / this.span, 1) : 1;
    const eased = this.span === BRISK ? share : share * share * (3 - 2 * share);
    const between = (from, to) => (share < 1 ? from + eased * (to - from) : to);
    for (const part of this.parts.values()) {
      part.now = between(part.from, part.to);
      part.right = part.toRight == null ? null : between(part.fromRight ?? part.toRight, part.toRight);
    }
    this.draw();
    if (share < 1) this.frame = requestAnimationFrame(() => this.tick());
    else this.settle();
  }

  // One frame.
  draw() {
    if (!this.places) return;
    const { lefts, middles, width } = this.places;
    const order = (tag) => this.tags.get(tag).place;
    const all = [...this.parts.values()];
    const sorted = (kind, compare) =>
      lefts.map((_, k) => all.filter((part) => part.kind === kind && part.k === k).sort(compare));
    this.columns = sorted("block", (a, b) => order(a.tag) - order(b.tag));
    this.columns.forEach((blocks, k) => {
      const places = stacked(
        blocks.map(({ now }) => now),
        HEIGHT,
      );
      blocks.forEach((block, i) => {
        const { y, height } = (block.place = places[i]);
        put(block.fill, { x: lefts[k], y, width, height: Math.max(height, 0) });
        this.letter(block, middles[k], y, height);
        this.edge(block, lefts[k], y, width, height, i);
      });
    });
    const gaps = sorted("ribbon", (r, s) => order(r.a) - order(s.a) || order(r.b) - order(s.b));
    gaps.forEach((row, k) => {
      if (!row.length) return;
      const ends = [k, k + 1].map((column) => this.columns[column].map((block) => [block.tag, block.place]));
      const places = bands(
        row.map(({ a, b, now, right }) => ({ a, b, p: now, q: right })),
        ...ends,
        HEIGHT,
      );
      row.forEach((ribbon, i) => {
        const d = bandPath(lefts[k] + width, lefts[k + 1], places[i]);
        put(ribbon.group, { "stroke-width": Math.min(places[i].h0, places[i].h1) > 4 ? 1 : 0 });
        put(ribbon.band, { d });
        if (ribbon.hatch) put(ribbon.hatch, { d });
      });
    });
  }

  // Tag and number, as far as they have room.
  letter(block, x, y, height) {
    const [name, number] = block.lettering ?? ["", ""];
    const larger = height < 26 ? 1 : this.larger;
    const wide = (text) => text.length * 7.4 * larger + 6;
    const { width } = this.places;
    const tag = name.length > 12 ? clipped(name, Math.floor((width - 2) / (7.4 * larger))) : name;
    const both = number ? `${tag} ${number}` : tag;
    const two = number && wide(both) > width && height >= 32 * larger;
    const text =
      height < 15 * Math.max(1, larger / 1.35) || wide(tag) > width + 4
        ? ""
        : wide(both) <= width + 2 || two
          ? both
          : tag;
    const key = `${text}|${two}`;
    if (block.lettered !== key) {
      block.label.replaceChildren();
      if (two) [tag, number].forEach((part) => svg("tspan", {}, block.label, part));
      else block.label.textContent = isolated(text);
      block.lettered = key;
    }
    const middle = y + height / 2 + 4.4 * larger;
    put(block.label, { x, y: middle, "font-size": 12.5 * larger });
    if (two) [...block.label.children].forEach((part, i) => put(part, { x, y: middle + (i ? 8 : -7) * larger }));
  }

  // The line between neighbours, the outline of the path, the hatching of what is cut.
  edge(block, x, y, width, height, i) {
    const keep = (name, isWanted, shape, look, place) => {
      if (isWanted) put((block[name] ??= svg(shape, look, block.group)), place);
      else block[name] = block[name]?.remove();
    };
    keep(
      "divide",
      i > 0 && height > 3,
      "line",
      { class: "divide", stroke: "#fff", "stroke-width": 1.5 },
      { x1: x, x2: x + width, y1: y, y2: y },
    );
    keep("hatch", block.cut, "rect", { fill: "url(#cut)" }, { x, y, width, height });
    const outlined = this.data.flow.columns[block.k].path === block.tag && height > 0.5;
    const inside = { x: x + 1, y: y + Math.min(1, height / 2), width: width - 2, height: Math.max(height - 2, 0.5) };
    keep("outline", outlined, "rect", { class: "outline ink", rx: 2, fill: "none", "stroke-width": 2.5 }, inside);
    if (outlined) block.group.append(block.outline); // on top
  }

  // The picture stands still: what shrank to nothing goes, and blocks get their targets.
  settle() {
    for (const [key, part] of this.parts) {
      if (part.to > 0 || part.toRight > 0) continue;
      if (part.group.contains(this.stage.getRootNode().activeElement)) this.lost = part.k;
      part.group.remove();
      this.parts.delete(key);
    }
    if (this.looked && !this.looked.isConnected) this.look(null);
    if (!this.places) return;
    const { lefts, width } = this.places;
    const seen = ({ now }) => now * HEIGHT >= 0.75;
    this.columns = this.columns?.map((blocks) => blocks.filter(({ to }) => to > 0)) ?? [];
    this.columns.forEach((blocks, k) => {
      const visible = blocks.filter(seen);
      const zones = targets(
        visible.map((block) => block.place),
        HEIGHT,
      );
      for (const block of blocks) if (!visible.includes(block)) block.hit = block.hit?.remove();
      visible.forEach((block, i) => {
        block.hit ??= svg("rect", { class: "hit" }, block.group);
        block.ring ??= svg("rect", { class: "ring", rx: 3 }, block.group);
        put(block.hit, { x: lefts[k], width, ...zones[i] });
        put(block.ring, { x: lefts[k] - 3, y: block.place.y - 3, width: width + 6, height: block.place.height + 6 });
      });
    });
    const focusable = this.focusable();
    if (!focusable.includes(this.at)) {
      const back = this.lost === undefined ? null : this.columns[this.lost]?.find(seen)?.group;
      this.reach(back ?? focusable.find((group) => group.drawn.kind === "block") ?? focusable[0] ?? null, false);
      back?.focus({ preventScroll: true });
    }
    this.lost = undefined;
    for (const group of focusable) group.setAttribute("tabindex", group === this.at ? 0 : -1);
  }

  // All that the arrow keys reach.
  focusable() {
    const heads = this.heads.filter(({ group }) => group.classList.contains("opens"));
    return [...heads, ...(this.columns ?? []).flat().filter(({ hit }) => hit)].map(({ group }) => group);
  }

  // The one that Tab reaches; the arrow keys go on from it.
  reach(group, told = true) {
    if (!group) return;
    this.at?.setAttribute("tabindex", -1);
    this.at = group;
    group.setAttribute("tabindex", 0);
    if (told) this.look(group);
  }

  // What is pointed at: its numbers in words, its ribbons lit.
  look(group) {
    this.looked = group;
    const part = group?.drawn;
    const isNear = ({ k, a, b }) =>
      part?.kind === "block" && ((k === part.k && a === part.tag) || (k === part.k - 1 && b === part.tag));
    this.lightRibbons((ribbon) => ribbon === part || isNear(ribbon));
    this.stage.classList.toggle("looking", Boolean(part) && part.kind !== "head");
    const told = isolated(part?.told ?? this.hint);
    if (this.readout.textContent !== told) this.readout.textContent = told;
  }

  lightRibbons(isLit) {
    const ribbons = [...this.parts.values()].filter(({ kind }) => kind === "ribbon");
    for (const ribbon of ribbons) ribbon.group.classList.toggle("lit", isLit(ribbon));
    this.stage.classList.toggle("looking", ribbons.some(isLit));
  }

  // The picture or its room has changed: what is pointed at has other numbers, or is no more.
  lookAgain() {
    this.look(this.looked?.isConnected ? this.looked : null);
  }

  get hint() {
    const { hint, how, columns } = this.data.flow;
    const told = [hint, this.data.clickable && how].filter(Boolean).join(" ");
    if (!told) return "";
    const unknown = columns.some((column) => column.unknown) ? ` ${this.data.words.unknown}` : "";
    return told + unknown + (this.places?.scrolls ? ` ${this.data.words.bars}` : "");
  }

  press(group) {
    if (!group?.classList.contains("opens")) return;
    this.reach(group);
    const { k, tag = OTHER } = group.drawn; // a word has no tag
    const column = this.data.flow.columns[k];
    if (tag !== OTHER) this.send({ token: column.token, tag });
    else
      this.menu.open(group, column, {
        tags: this.tags,
        label: filledText(this.data.words.menu, { word: column.text }),
      });
  }

  key(event) {
    const group = event.target.closest(".block, .head");
    if (!group || event.altKey || event.ctrlKey || event.metaKey) return;
    if (event.key === "Enter" || event.key === " ") this.press(group);
    else {
      const next = this.neighbour(group, event.key);
      if (!next) return;
      next.focus({ preventScroll: true });
      next.scrollIntoView({ block: "nearest", inline: "nearest" });
    }
    event.preventDefault();
    event.stopPropagation();
  }

  // Up and down within a column, its word on top; left and right to the same tag, else to the nearest block.
  neighbour(group, key) {
    const { k, tag, place } = group.drawn;
    const stack = (column) => this.focusable().filter(({ drawn }) => drawn.k === column);
    if (key === "ArrowUp" || key === "ArrowDown")
      return stack(k)[stack(k).indexOf(group) + (key === "ArrowDown" ? 1 : -1)];
    const last = this.columns.length - 1;
    const there = stack({ ArrowLeft: k - 1, ArrowRight: k + 1, Home: 0, End: last }[key] ?? -1);
    const same = there.find(({ drawn }) => drawn.tag === tag); // a word's is another word
    if (same || !place) return same;
    const distance = ({ drawn }) =>
      drawn.place ? Math.abs(drawn.place.y + drawn.place.height / 2 - place.y - place.height / 2) : Infinity;
    return there.sort((a, b) => distance(a) - distance(b))[0];
  }

  // What a saved picture says under it.
  writeKeys() {
    const { lines, columns } = this.data.flow;
    const { key, outlined, boxed } = this.data.words;
    const keys = [columns.some(({ path }) => path) ? `${key} ${outlined}` : key];
    if (lines.length) keys.push(filledText(boxed, { name: lines[0].name }));
    this.find(".keys").replaceChildren(...keys.map((text) => html("p", {}, null, text)));
  }
}
