// The front page's picture: words, flow, and the reader's actions on them.

import { FlowDrawing } from "../../../../crf/figures/flow/columns.js";
import { measureAnew } from "../../../../crf/figures/flow/labels.js";
import { Reach } from "../../../../crf/figures/flow/reach.js";
import { fill, html, isolated, whenPointed } from "../../../../crf/figures/shared/dom.js";
import { arrange } from "./arrange.js";
import { Bars } from "./bars.js";
import { between } from "../../../../crf/figures/flow/glide.js";
import { interpolated } from "./grid.js";
import { Headline } from "./headline.js";
import { Still, caption } from "./still.js";

const GLIDE = 400; // ms from one tagger's picture to another's
const TAIL = 150; // px into which the last word's tags fade while one types
const SKELETON = `
<div class="picture">
  <div class="scroll"><div class="sheet"><div class="words" aria-hidden="true"></div>
  <div class="flow" data-figure="flow"><svg role="group"></svg><div class="tail" aria-hidden="true"></div></div></div></div>
  <input class="headline" data-headline type="text" autocomplete="off" autocapitalize="off" spellcheck="false" dir="auto" enterkeyhint="go">
  <div class="bars" role="group" hidden></div>
  <div class="numbers" aria-hidden="true" hidden></div>
</div>`;

export class FlowFigure {
  root;
  commit;
  scroll;
  sheet;
  row;
  box;
  tail;
  numbers;
  view;
  flow;
  live;
  parts;
  isRead;
  columns;
  values;
  resting;
  all;
  still;
  kept;
  blocks;

  // `commit(changes)`: the reader has changed parts of the state; `headline`: what the headline tells.
  constructor(el, commit, headline, signal) {
    const root = fill(el, SKELETON);
    Object.assign(this, { root, commit });
    [this.scroll, this.sheet, this.row, this.box, this.tail, this.numbers] = [
      ".scroll",
      ".sheet",
      ".words",
      ".flow",
      ".tail",
      ".numbers",
    ].map((part) => root.querySelector(part));
    this.svg = this.box.firstElementChild;
    this.drawing = new FlowDrawing(this.svg);
    this.bars = new Bars(root.querySelector(".bars"), {
      fix: (token, tag) => this.fix(token, tag),
      leaves: () => this.headline.field.focus(),
    });
    const does = {
      ...headline,
      focused: () => this.layout(),
      opens: (token, focus) => this.openBars(token, focus),
      leaves: () => this.bars.fade(),
    };
    this.headline = new Headline(root, does, signal);
    this.blocks = new Reach(
      this.drawing,
      (block) => this.press(block),
      () => this.headline.field,
    );
    whenPointed(this.svg, (event) => this.tell(event));
    this.svg.onpointerleave = () => (this.numbers.hidden = true);
    this.scroll.onscroll = () => {
      this.bars.close();
      this.numbers.hidden = true;
      this.showEdges();
    };
    root.addEventListener("wheel", (event) => this.wheel(event), { passive: false, signal });
    const watch = new ResizeObserver(() => this.layout());
    for (const part of [this.scroll, this.box]) watch.observe(part);
    measureAnew(document.body);
    document.fonts.addEventListener(
      "loadingdone",
      () => {
        measureAnew(document.body);
        this.layout();
      },
      { signal },
    );
    signal.addEventListener("abort", () => watch.disconnect());
  }

  show(view, live) {
    const { t, name } = this.focused ?? {};
    Object.assign(this, { view, live, kept: { t, name } });
    const { words } = view;
    this.headline.field.setAttribute("aria-label", words.headline);
    this.svg.setAttribute("aria-label", words.flow);
    this.headline.show(view.headline.text, live);
    this.showFlow(view.flow);
  }

  // The columns of what has been read, a sentence or as much of it as has been typed.
  showFlow(flow) {
    this.bars.close();
    this.flow = flow;
    this.root.classList.toggle("blank", !flow.grid);
    this.values = null;
    this.setColumns();
  }

  // Words that have been read keep their columns while one types, others have empty ones.
  setColumns(parts = this.headline.write(this.flow.tokens.map(({ text }) => text))) {
    const { tokens, shown, tags } = this.flow;
    this.parts = parts;
    this.root.classList.remove("unread");
    this.isRead = this.parts.length === tokens.length && this.parts.every(({ token }, t) => token === t);
    this.columns = this.parts.map(({ text, token }) => ({
      text,
      fixed: shown[token]?.indexOf(tokens[token].fixed) ?? -1,
      tags: (shown[token] ?? []).map((tag) => tags[tag]),
    }));
    this.layout();
  }

  // What has been typed cannot be read. Where none of it is drawn, the last picture stays, pale, under the field's own text.
  keep() {
    if (this.parts.some(({ token }) => token >= 0)) return;
    this.setColumns(this.headline.keep(this.flow.tokens.map(({ text }) => text)));
    this.root.classList.add("unread");
  }

  // All sizes for the room there is.
  layout() {
    const [room, height] = [this.scroll.clientWidth, this.box.clientHeight];
    if (!room || !height || !this.columns?.length) return;
    const serif = getComputedStyle(this.row).fontFamily;
    const texts = this.columns.map(({ text }) => isolated(text));
    const places = arrange(texts, room, serif, this.headline.isTyping);
    this.sheet.style.width = `${Math.max(places.whole, room)}px`;
    this.root.classList.toggle("scrolls", places.whole > room + 1);
    this.drawing.layout(height, places.at, this.columns, this.view.words, getComputedStyle(this.root).fontFamily);
    this.headline.place(places, serif);
    this.showEdges();
    if (this.values) this.draw(this.values, this.resting);
    this.still?.layout();
  }

  // At which sides there is more of a long sentence.
  showEdges() {
    const { scrollLeft, clientWidth, scrollWidth } = this.scroll;
    this.root.classList.toggle("more-before", scrollLeft > 2);
    this.root.classList.toggle("more-after", scrollLeft + clientWidth < scrollWidth - 2);
  }

  // The same words as another tagger reads them: the picture glides from what it shows to `now`.
  glide(view, now) {
    const { flow, values } = this;
    const tags = ({ tags }) => JSON.stringify(tags);
    const ready = values && this.isRead && flow.tokens.length === view.flow.tokens.length;
    this.show(view, this.live);
    this.showNow(now);
    if (!ready || tags(flow) !== tags(view.flow)) return;
    const way = between({ shown: flow.shown, values }, { shown: view.flow.shown, values: this.values });
    const { path } = now;
    this.flow = { ...view.flow, shown: way.shown };
    this.values = null;
    this.setColumns();
    const began = performance.now();
    const step = () => {
      if (this.view !== view || this.flow.shown !== way.shown) return; // something else is shown
      const share = Math.min((performance.now() - began) / GLIDE, 1);
      if (share === 1) {
        this.showFlow(view.flow);
        return this.showNow(now);
      }
      this.draw({ ...way.at(share * share * (3 - 2 * share)), path: this.placed(path) }, false);
      requestAnimationFrame(step);
    };
    step();
  }

  // The picture at a place of the pad, interpolated; returns what is said there.
  showAt(lambda, tau) {
    const { sentence, path, ...values } = interpolated(this.flow.grid, lambda, tau);
    this.draw({ ...values, path: this.placed(path) }, false);
    return this.flow.sentences[sentence];
  }

  // Draw the numbers that the core has computed.
  showNow({ blocks, ribbons, path, marks, all }) {
    this.all = all;
    this.draw({ blocks: blocks.flat(), ribbons: ribbons.flat(2), path: this.placed(path), marks }, true);
  }

  // Under reduced motion, "each word alone" is shown beside the picture until the reader does something.
  showTwice() {
    const { path, ...values } = interpolated(this.flow.grid, 0, 1);
    this.still = new Still(this.root.parentElement, this.columns, this.view.words, {
      ...values,
      path: this.placed(path),
    });
    this.sheet.append(caption(this.view.words.together));
    this.layout();
  }

  showOnce() {
    for (const part of [this.still?.root, this.sheet.querySelector(".shows")]) part?.remove();
    this.still = null;
    this.layout();
  }

  rest() {
    if (this.values) this.draw(this.values, true);
  }

  draw(values, resting) {
    Object.assign(this, { values, resting });
    this.numbers.hidden = true;
    if (!this.drawing.at) return;
    const kept = this.focused ?? this.kept;
    const drawn = this.isRead ? values : this.projected(values);
    this.drawing.draw(drawn, resting);
    this.drawTail(values);
    if (!resting) return;
    this.kept = null;
    this.blocks.settle(kept, drawn.ribbons);
  }

  // Of numbers for all words that were read, those for the columns there are.
  projected({ blocks, ribbons, path }) {
    const sizes = this.flow.shown.map((own) => own.length);
    const start = (t) => sizes.slice(0, t).reduce((a, b) => a + b, 0);
    const gap = (t) => sizes.slice(0, t).reduce((sum, size, k) => sum + size * sizes[k + 1], 0);
    return {
      blocks: this.parts.flatMap(({ token: t }) => (t < 0 ? [] : blocks.slice(start(t), start(t) + sizes[t]))),
      ribbons: this.parts.slice(1).flatMap(({ token: t }, k) => {
        const before = this.parts[k].token;
        if (t < 0 || before < 0) return [];
        return t === before + 1 ? ribbons.slice(gap(before), gap(t)) : Array(sizes[before] * sizes[t]).fill(0);
      }),
      path: this.parts.map(({ token }) => (token < 0 ? -1 : path[token])),
    };
  }

  // While one types at the end, the last word's tags fade into the place of the next one.
  drawTail({ blocks }) {
    const t = this.parts.findLastIndex(({ token }) => token >= 0);
    const ends = t >= 0 && this.parts.slice(t + 1).every(({ token }) => token < 0);
    this.tail.hidden = !this.headline.isTyping || !ends || this.flow.tokens.length - 1 !== this.parts[t]?.token;
    if (this.tail.hidden) return;
    const { lefts, widths } = this.drawing.at;
    const right = lefts[t] + widths[t];
    const room = Math.max(Math.min(TAIL, this.sheet.clientWidth - right), 0);
    [this.tail.style.left, this.tail.style.width] = [`${right}px`, `${room}px`];
    const own = blocks.slice(-this.columns[t].tags.length);
    const bands = this.columns[t].tags.map(({ colour }, k) => [colour, 100 * own[k]]);
    this.tail.replaceChildren(
      ...bands.map(([colour, share]) => html("div", { style: `height: ${share}%; --c: ${colour}` })),
    );
  }

  // For each token the place of a tag among its blocks; a folded tag is in the last.
  placed(path) {
    return path.map((tag, t) =>
      this.flow.shown[t].includes(tag) ? this.flow.shown[t].indexOf(tag) : this.flow.shown[t].length - 1,
    );
  }

  get focused() {
    return this.drawing.blockOf(this.root.getRootNode().activeElement);
  }

  press(block) {
    if (!block || !this.isRead) return;
    const tag = this.flow.shown[block.t][block.k];
    if (tag === this.flow.tags.length - 1)
      this.openBars(block.t, true); // "other" stands for many
    else this.fix(block.t, tag);
  }

  // Fix a token's tag, or free it where it has this tag.
  fix(token, tag) {
    const fixed = this.flow.tokens.map((one, t) => (t !== token ? one.fixed : one.fixed === tag ? null : tag));
    this.commit({ fix: fixed.flatMap((one, t) => (one === null ? [] : [`${t}.${one}`])).join("~") });
  }

  openBars(token, focus) {
    if (token < 0 || !this.values || !this.isRead) return;
    const { tokens, tags } = this.flow;
    const { text, fixed } = tokens[token];
    const about = {
      token,
      word: text,
      tags,
      all: this.all?.[token] ?? this.shares(token),
      fixed,
      words: this.view.words,
      live: this.live,
    };
    const { lefts, widths } = this.drawing.at;
    const left = lefts[token] - this.scroll.scrollLeft;
    this.bars.open(about, [left, left + widths[token]], focus);
  }

  // What the blocks of a token show, by tag.
  shares(token) {
    return Object.fromEntries(
      this.drawing.blocks.filter(({ t }) => t === token).map(({ k, p }) => [this.flow.shown[token][k], p]),
    );
  }

  // The numbers of the block or ribbon under the pointer.
  tell({ target, clientX, clientY }) {
    const told = this.blocks.told(target);
    this.numbers.hidden = !this.resting || !told;
    if (this.numbers.hidden) return;
    this.numbers.textContent = told;
    const frame = this.root.getBoundingClientRect();
    const half = this.numbers.offsetWidth / 2;
    const x = Math.min(Math.max(clientX - frame.left, half + 4), frame.width - half - 4);
    Object.assign(this.numbers.style, { left: `${x - half}px`, top: `${Math.max(clientY - frame.top - 40, 0)}px` });
  }

  // Scroll to a word that is out of view, for the sentence is about it.
  reveal(token) {
    const { lefts, widths } = this.drawing.at;
    const { scrollLeft, clientWidth } = this.scroll;
    const [x, end] = [lefts[token], lefts[token] + widths[token]];
    if (x >= scrollLeft && end <= scrollLeft + clientWidth) return;
    this.scroll.scrollLeft = (x + end - clientWidth) / 2;
  }

  wheel(event) {
    const { scroll } = this;
    const by = Math.abs(event.deltaX) > Math.abs(event.deltaY) ? event.deltaX : event.deltaY;
    const before = scroll.scrollLeft;
    if (event.ctrlKey || event.target.closest(".bars")) return;
    scroll.scrollLeft += by;
    if (scroll.scrollLeft !== before) event.preventDefault();
  }
}
