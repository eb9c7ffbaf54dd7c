// The headline: words over their columns, and one field over them. While it has the focus it shows the plain sentence.

import { html } from "../../../../crf/figures/shared/dom.js";

const HOVER = 300; // ms until a word that is pointed at shows its tags
const PRESS = 500; // ms of a long press
const [MOUSE, FINGER] = [8, 40]; // px from the letters of a word that count as on it

export class Headline {
  row;
  field;
  typed;
  typing;
  nothing;
  done;
  opens;
  leaves;
  timer;
  tokens;
  pointed;
  held;
  text = "";

  // `typing(isTyping)`: another sentence than the one drawn; `nothing()`: an empty one; `done()`: Enter or Escape;
  // `typed(sentence)`: a new sentence; `opens(token, focus)`: all tags of a word are wanted; `leaves()`: no more.
  constructor(root, { typed, typing, nothing, done, opens, leaves }) {
    [this.row, this.field] = [root.querySelector(".words"), root.querySelector("[data-headline]")];
    Object.assign(this, { typed, typing, nothing, done, opens, leaves });
    const { field } = this;
    field.onfocus = () => field.select();
    field.onblur = () => this.finish();
    field.oninput = () => this.mark(field.value.trim() !== this.text.trim());
    field.onkeydown = (event) => this.key(event);
    field.onpointermove = (event) => event.pointerType === "mouse" && this.point(event);
    field.onpointerleave = () => this.unpoint();
    field.onpointerdown = (event) => {
      this.unpoint();
      this.held = false;
      if (event.pointerType !== "mouse")
        this.timer = setTimeout(() => this.hold(this.tokenAt(event.clientX, FINGER)), PRESS);
    };
    field.onpointerup = field.onpointercancel = () => clearTimeout(this.timer);
    // After a long press the field must not take the focus. (A handler that returns false would prevent that always.)
    field.ontouchend = field.oncontextmenu = (event) => {
      if (this.held) event.preventDefault();
    };
  }

  show({ text }, tokens, live) {
    const kept = this.field.value === this.text || !this.isTyping;
    Object.assign(this, { text, tokens });
    if (kept) this.field.value = text;
    this.field.readOnly = !live;
    this.row.replaceChildren(...tokens.map((token) => html("bdi", {}, null, token.text)));
  }

  // Put the words, all of one size, over the middles of their columns.
  place(middles, size, room, family) {
    this.row.style.font = `700 ${size}px/1.2 ${family}`;
    middles.forEach((middle, t) => {
      const { style } = this.row.children[t];
      [style.left, style.maxWidth] = [`${middle}px`, `${room}px`];
    });
    this.field.style.fontSize = `${Math.max(size, 17)}px`;
  }

  get isTyping() {
    return this.field.getRootNode().activeElement === this.field;
  }

  hold(token) {
    this.held = !this.isTyping && token >= 0;
    if (this.held) this.opens(token, true);
  }

  // Whether another sentence is being typed than the one that is drawn.
  mark(isTyping) {
    if (this.row.parentElement.classList.contains("unread") === isTyping) return;
    this.row.parentElement.classList.toggle("unread", isTyping);
    this.typing(isTyping);
  }

  finish() {
    this.leaves();
    this.mark(false);
    const sentence = this.field.value.trim();
    if (!sentence) {
      this.field.value = this.text;
      this.nothing();
    } else if (sentence !== this.text.trim()) this.typed(sentence);
    else this.field.value = this.text;
  }

  key(event) {
    if (event.isComposing) return;
    if (event.key === "Escape") this.field.value = this.text;
    if (event.key === "Enter" || event.key === "Escape") {
      this.field.blur();
      this.done();
    }
    if (event.key === "ArrowDown" && this.tokens.length) {
      event.preventDefault();
      this.opens(this.tokenAtCaret(), true);
    }
  }

  // The word that the caret is in.
  tokenAtCaret() {
    let end = 0;
    for (const [t, { text }] of this.tokens.entries()) {
      const start = this.text.indexOf(text, end);
      if (start >= 0) end = start + text.length;
      if (end >= this.field.selectionStart) return t;
    }
    return this.tokens.length - 1;
  }

  point({ clientX }) {
    const token = this.isTyping ? -1 : this.tokenAt(clientX, MOUSE);
    if (token === this.pointed) return;
    this.unpoint();
    this.pointed = token;
    if (token >= 0) this.timer = setTimeout(() => this.opens(token, false), HOVER);
  }

  unpoint() {
    clearTimeout(this.timer);
    if (this.pointed >= 0) this.leaves();
    this.pointed = -1;
  }

  // The word that is nearest to a place of the window, and not farther than `far`; else -1.
  tokenAt(x, far) {
    const distances = [...this.row.children].map((word) => {
      const { left, right } = word.getBoundingClientRect();
      return Math.max(left - x, x - right, 0);
    });
    const nearest = Math.min(...distances);
    return nearest <= far ? distances.indexOf(nearest) : -1;
  }
}
