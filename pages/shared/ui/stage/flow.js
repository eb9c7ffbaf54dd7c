// The front page's picture: words, flow, and the reader's actions on them.

import { FlowDrawing, said } from "../../../../crf/figures/flow/columns.js";
import { measureAnew } from "../../../../crf/figures/flow/labels.js";
import { fill, isolated, whenPointed } from "../../../../crf/figures/shared/dom.js";
import { arrange } from "./arrange.js";
import { Bars } from "./bars.js";
import { interpolated } from "./grid.js";
import { Headline } from "./headline.js";
import { Still, caption } from "./still.js";

const SKELETON = `
<div class="picture">
  <div class="scroll"><div class="sheet"><div class="words" aria-hidden="true"></div>
  <div class="flow" data-figure="flow"><svg role="group"></svg></div></div></div>
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
  numbers;
  view;
  flow;
  live;
  columns;
  values;
  resting;
  all;
  still;
  kept;

  // `commit(changes)`: the reader has changed parts of the state; `typing`, `nothing`, `done`: see the headline.
  constructor(el, { commit, typing, nothing, done }, signal) {
    const root = fill(el, SKELETON);
    Object.assign(this, { root, commit });
    [this.scroll, this.sheet, this.row, this.box, this.numbers] = [
      ".scroll",
      ".sheet",
      ".words",
      ".flow",
      ".numbers",
    ].map((part) => root.querySelector(part));
    this.svg = this.box.firstElementChild;
    this.drawing = new FlowDrawing(this.svg);
    this.bars = new Bars(root.querySelector(".bars"), {
      fix: (token, tag) => this.fix(token, tag),
      leaves: () => this.headline.field.focus(),
    });
    this.headline = new Headline(root, {
      typed: (sentence) => this.commit({ fix: "", ...this.view.headline.typed, sentence }),
      opens: (token, focus) => this.openBars(token, focus),
      leaves: () => this.bars.fade(),
      typing,
      nothing,
      done,
    });
    this.svg.onclick = ({ target }) => this.press(this.drawing.blockOf(target));
    this.svg.onkeydown = (event) => this.key(event);
    whenPointed(this.svg, (event) => this.tell(event));
    this.svg.onpointerleave = () => (this.numbers.hidden = true);
    // Not on the drawing itself: Chromium lets one with such a listener take the focus, and frames the page.
    this.svg.parentElement.addEventListener("focusin", ({ target }) => this.reach(this.drawing.blockOf(target)));
    this.scroll.onscroll = () => {
      this.bars.close();
      this.numbers.hidden = true;
    };
    root.addEventListener("wheel", (event) => this.wheel(event), { passive: false, signal });
    const watch = new ResizeObserver(() => this.layout());
    for (const part of [this.scroll, this.box]) watch.observe(part);
    document.fonts.addEventListener(
      "loadingdone",
      () => {
        measureAnew();
        this.layout();
      },
      { signal },
    );
    signal.addEventListener("abort", () => watch.disconnect());
  }

  show(view, live) {
    const { flow, words } = view;
    const { t, name } = this.focused ?? {};
    Object.assign(this, { view, flow, live, kept: { t, name } });
    this.bars.close();
    this.headline.show(view.headline, flow.tokens, live);
    this.headline.field.setAttribute("aria-label", words.headline);
    this.svg.setAttribute("aria-label", words.flow);
    this.root.classList.toggle("blank", !flow.grid);
    this.columns = flow.tokens.map(({ text, fixed }, t) => ({
      text,
      fixed: flow.shown[t]?.indexOf(fixed) ?? -1,
      tags: (flow.shown[t] ?? []).map((tag) => flow.tags[tag]),
    }));
    this.values = null;
    this.layout();
  }

  // All sizes for the room there is.
  layout() {
    const [room, height] = [this.scroll.clientWidth, this.box.clientHeight];
    if (!room || !height || !this.columns?.length) return;
    const serif = getComputedStyle(this.row).fontFamily;
    const { at, size, middles, space, whole } = arrange(
      this.columns.map(({ text }) => isolated(text)),
      room,
      serif,
    );
    this.sheet.style.width = `${Math.max(whole, room)}px`;
    this.root.classList.toggle("scrolls", whole > room + 1);
    this.headline.place(middles, size, space, serif);
    this.drawing.layout(height, at, this.columns, this.view.words, getComputedStyle(this.root).fontFamily);
    if (this.values) this.draw(this.values, this.resting);
    this.still?.layout();
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
    const { t, name } = this.focused ?? this.kept ?? {};
    this.drawing.draw(values, resting);
    if (!resting) return;
    this.kept = null;
    const { blocks } = this.drawing;
    const same = blocks.find((block) => block.t === t && block.name === name);
    this.drawing.settle(same?.group, values.ribbons);
    for (const { group } of blocks) group.setAttribute("tabindex", -1);
    (same ?? blocks.find((block) => block.best) ?? blocks[0])?.group.setAttribute("tabindex", 0);
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
    if (!block) return;
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
    if (token < 0 || !this.values) return;
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
    const { lefts, width } = this.drawing.at;
    const left = lefts[token] - this.scroll.scrollLeft;
    this.bars.open(about, [left, left + width], focus);
  }

  // What the blocks of a token show, by tag.
  shares(token) {
    return Object.fromEntries(
      this.drawing.blocks.filter(({ t }) => t === token).map(({ k, p }) => [this.flow.shown[token][k], p]),
    );
  }

  reach(block) {
    if (!block) return;
    for (const { group } of this.drawing.blocks) group.setAttribute("tabindex", group === block.group ? 0 : -1);
    block.group.scrollIntoView?.({ block: "nearest", inline: "nearest" });
  }

  key(event) {
    const block = this.drawing.blockOf(event.target);
    if (!block || event.altKey || event.ctrlKey || event.metaKey) return;
    if (event.key === "Enter" || event.key === " ") this.press(block);
    else {
      const next = this.neighbour(block, event.key);
      if (!next && !event.key.startsWith("Arrow")) return;
      next?.focus({ preventScroll: true });
    }
    event.preventDefault();
    event.stopPropagation();
  }

  // Up and down within a column, then to the words; left and right to the same tag, else to the outlined one.
  neighbour(block, key) {
    const column = (t) => this.drawing.blocks.filter((other) => other.t === t && other.group.style.display !== "none");
    const here = column(block.t);
    const i = here.indexOf(block);
    if (key === "ArrowUp") return here[i - 1]?.group ?? this.headline.field;
    if (key === "ArrowDown") return here[i + 1]?.group;
    const to = { ArrowLeft: block.t - 1, ArrowRight: block.t + 1, Home: 0, End: this.columns.length - 1 }[key];
    const there = column(to);
    return (there.find(({ name }) => name === block.name) ?? there.find(({ best }) => best))?.group;
  }

  // The numbers of the block or ribbon under the pointer.
  tell({ target, clientX, clientY }) {
    const block = this.drawing.blockOf(target);
    const ribbon = target.closest(".ribbon");
    this.numbers.hidden = !this.resting || !(block || ribbon);
    if (this.numbers.hidden) return;
    const { token, from, to, p } = ribbon?.dataset ?? {};
    const [left, right] = [Number(token), Number(token) + 1].map((t) => isolated(this.columns[t]?.text ?? ""));
    this.numbers.textContent = block
      ? block.group.getAttribute("aria-label")
      : `${left} ${from} → ${right} ${to}: ${said(Number(p))}`;
    const frame = this.root.getBoundingClientRect();
    const half = this.numbers.offsetWidth / 2;
    const x = Math.min(Math.max(clientX - frame.left, half + 4), frame.width - half - 4);
    Object.assign(this.numbers.style, { left: `${x - half}px`, top: `${Math.max(clientY - frame.top - 40, 0)}px` });
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
