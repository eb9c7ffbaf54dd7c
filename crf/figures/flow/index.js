// Flow: words over columns of blocks, ribbons between them. Python sends probabilities and checks what goes back, { token, tag };
// one picture glides into the next.

import { clipped, element, fill, filledText, isolated, whenPointed } from "../shared/dom.js";
import { report, whenData } from "../shared/model.js";
import { offerWays } from "../shared/save.js";
import { FlowDrawing } from "./columns.js";
import { between } from "./glide.js";
import { measureAnew } from "./labels.js";
import { columnPlaces } from "./layout.js";
import { Menu } from "./menu.js";
import { Reach } from "./reach.js";

const HEIGHT = 260; // px of a column, which is probability 1
const GLIDE = 300; // ms
const LETTER = 8.6; // px of a word's letter

const SKELETON = `
<div class="flow" data-figure="flow" role="group">
  <div class="scroll"><div class="words"></div><div class="drawing"><svg role="group"></svg></div></div>
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
  room;
  words;
  readout;
  resting;
  send;
  data;
  values; // { blocks, ribbons, path } as they are drawn
  shown; // for each token the tags that have a block

  constructor(root, send, signal) {
    Object.assign(this, { root, send });
    this.find = (selector) => root.querySelector(selector);
    [this.room, this.words, this.readout] = [".scroll", ".words", ".readout"].map(this.find);
    this.drawing = new FlowDrawing(this.find(".drawing svg"));
    this.reach = new Reach(
      this.drawing,
      (block) => block && this.press(block.t, this.shown[block.t][block.k]),
      (t) => this.words.children[t],
    );
    this.menu = new Menu(root, this.find(".menu"), (token, tag) => send({ token, tag }));
    whenPointed(this.drawing.svg, ({ target }) => this.say(this.reach.told(target)));
    this.drawing.svg.onpointerleave = () => this.say();
    this.find(".drawing").addEventListener("focusin", ({ target }) => this.say(this.reach.told(target)));
    this.find(".drawing").addEventListener("focusout", () => this.say());
    this.words.onkeydown = (event) => this.key(event);
    offerWays(this.find(".save"), root);
    const watch = new ResizeObserver(() => this.layout());
    watch.observe(this.room);
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

  load(data) {
    const before = this.values && { shown: this.shown, values: this.values };
    const same = before && JSON.stringify(this.data.tags) === JSON.stringify(data.tags);
    this.data = data;
    const { words, shown } = data;
    for (const part of [this.root, this.drawing.svg]) part.setAttribute("aria-label", words.title);
    this.find(".keys").replaceChildren(element("p", { textContent: `${words.key} ${words.outlined}` }));
    this.writeWords();
    const now = { blocks: data.blocks.flat(), ribbons: data.ribbons.flat(2), path: data.path };
    const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
    if (!same || calm || shown.length !== before.shown.length) return this.show(shown, now);
    const way = between(before, { shown, values: now });
    const began = performance.now();
    const step = () => {
      if (this.data !== data) return; // something else is shown
      const share = Math.min((performance.now() - began) / GLIDE, 1);
      if (share === 1) return this.show(shown, now);
      this.show(way.shown, { ...way.at(share * share * (3 - 2 * share)), path: data.path }, false);
      requestAnimationFrame(step);
    };
    step();
  }

  // A word leads to the menu of all its tags, where one can choose.
  writeWords() {
    const { tokens, clickable, words } = this.data;
    const focused = [...this.words.children].indexOf(/** @type {any} */ (this.root.getRootNode()).activeElement);
    const made = tokens.map(({ text }, t) => {
      if (!clickable) return element("bdi", { title: text });
      const label = filledText(words.choose, { word: text });
      const word = element("button", { type: "button", title: text, ariaLabel: label, ariaHasPopup: "menu" });
      word.onclick = () => this.press(t, this.data.tags.length - 1);
      return word;
    });
    this.words.replaceChildren(...made);
    made[focused]?.focus({ preventScroll: true });
  }

  show(shown, values, resting = true) {
    const block = this.drawing.blockOf(this.root.getRootNode().activeElement);
    const kept = block && { t: block.t, name: block.name };
    Object.assign(this, { shown, values, resting });
    if (!this.layout() || !resting) return;
    this.reach.settle(kept, values.ribbons);
    this.say();
  }

  // All sizes for the room there is; whether there is any.
  layout() {
    const room = this.room.clientWidth;
    if (!room || !this.data) return false;
    const { tokens, tags, words } = this.data;
    const { lefts, width, middles, wide, whole } = columnPlaces(tokens, room);
    const columns = tokens.map(({ text, fixed }, t) => ({
      text,
      fixed: fixed === null ? -1 : this.shown[t].indexOf(fixed),
      tags: this.shown[t].map((tag) => tags[tag]),
    }));
    this.words.style.width = `${whole}px`;
    for (const [t, word] of [...this.words.children].entries()) {
      const half = Math.min(wide / 2, middles[t], whole - middles[t]);
      Object.assign(word.style, { left: `${middles[t] - half}px`, width: `${2 * half}px` });
      word.textContent = isolated(clipped(tokens[t].text, Math.floor(wide / LETTER)));
    }
    const family = getComputedStyle(this.root).fontFamily;
    this.drawing.layout(HEIGHT, { lefts, widths: lefts.map(() => width) }, columns, words, family);
    this.draw();
    return true;
  }

  draw() {
    const { shown, values } = this;
    const path = values.path.map((tag, t) => (shown[t].includes(tag) ? shown[t].indexOf(tag) : shown[t].length - 1));
    this.drawing.draw({ ...values, path }, this.resting);
  }

  // What is pointed at, in words; else how to read the picture.
  say(text = null) {
    const { words, clickable } = this.data;
    const hint = clickable ? `${words.hint} ${words.hold}` : words.hint;
    const told = text ?? hint;
    if (this.readout.textContent !== told) this.readout.textContent = told;
  }

  // A block's tag is fixed, or freed; a word, or the block of all other tags, opens the menu.
  press(t, tag) {
    const { tokens, tags, clickable, words } = this.data;
    if (!clickable) return;
    if (tag !== tags.length - 1) return this.send({ token: t, tag: tags[tag].name });
    const { text, fixed, choices } = tokens[t];
    const items = choices.map(([s, p, about]) => ({ ...tags[s], p, text: about, held: s === fixed }));
    this.menu.open(this.words.children[t], t, items, filledText(words.menu, { word: text }));
  }

  // From word to word, and down to the blocks.
  key(event) {
    const t = [...this.words.children].indexOf(event.target);
    const below = this.drawing.blocks.find((block) => block.t === t && block.group.style.display !== "none")?.group;
    const to = { ArrowLeft: this.words.children[t - 1], ArrowRight: this.words.children[t + 1], ArrowDown: below };
    if (!(event.key in to) || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    event.stopPropagation();
    to[event.key]?.focus({ preventScroll: true });
  }
}
