// The headline: words over their columns, and one field over them that nobody sees: its caret and what is selected are drawn
// among the words. On a touch screen, and while an input method composes, the field shows its own text instead.

import { html } from "../../../../crf/figures/shared/dom.js";
import { closed, pieces } from "./typing.js";

const HOVER = 300; // ms until a word that is pointed at shows its tags
const PRESS = 500; // ms of a long press
const [MOUSE, FINGER] = [8, 40]; // px from the letters of a word that count as on it

export class Headline {
  row;
  field;
  does;
  timer;
  pointed;
  held;
  next = 0;
  text = "";
  words = [];
  parts = [];

  // `typed()`: the text has changed; `ends()`: the reader is done with it; `givesUp()` and then `done()`: Escape;
  // `opens(token, focus)`: all tags of a word are wanted; `leaves()`: no more.
  constructor(root, does, signal) {
    [this.row, this.field] = [root.querySelector(".words"), root.querySelector("[data-headline]")];
    this.does = does;
    this.caret = html("i", { class: "caret" });
    const { field } = this;
    field.onfocus = () => {
      field.select();
      does.focused(true);
    };
    field.onblur = () => {
      does.leaves();
      does.focused(false);
      does.ends();
    };
    field.oninput = ({ isComposing }) => isComposing || does.typed();
    field.addEventListener("compositionstart", () => root.classList.add("composes"));
    field.addEventListener("compositionend", () => {
      root.classList.remove("composes");
      does.typed();
    });
    document.addEventListener("selectionchange", () => this.isTyping && this.mark(), { signal });
    field.onkeydown = (event) => this.key(event);
    field.onpointermove = (event) => event.pointerType === "mouse" && this.point(event);
    field.onpointerleave = () => this.unpoint();
    field.onpointerdown = (event) => this.press(event);
    field.onpointerup = field.onpointercancel = () => clearTimeout(this.timer);
    field.onmousedown = (event) => this.grasp(event);
    // After a long press the field must not take the focus. (A handler that returns false would prevent that always.)
    field.ontouchend = field.oncontextmenu = (event) => {
      if (this.held) event.preventDefault();
    };
  }

  // A sentence that has been read. What the reader has typed since it was asked for stays in the field.
  show(text, live) {
    const kept = !this.isTyping || !this.isAhead;
    this.text = text;
    if (kept && this.value !== text.trim()) this.field.value = text;
    this.field.readOnly = !live;
  }

  // What stands in the field.
  get value() {
    return this.field.value.trim();
  }

  // Whether that is another sentence than the one that has been read.
  get isAhead() {
    return this.value !== this.text.trim();
  }

  // What of it is read while it is typed.
  get closed() {
    return closed(this.field.value, this.field.selectionEnd ?? 0);
  }

  // The words of the columns, { text, token }; `tokens`: those that have been read. Where the tagger has changed letters, or
  // left words out, its words stand there.
  write(tokens) {
    const found = pieces(this.field.value, tokens);
    return !this.isAhead && found.some(({ token }) => token < 0) ? this.keep(tokens) : this.put(found);
  }

  // The words that have been read, whatever stands in the field.
  keep(tokens) {
    return this.put(tokens.map((text, token) => ({ text, token, start: -1, end: -1 })));
  }

  put(parts) {
    this.parts = parts;
    this.words = parts.map(({ text }) => html("bdi", {}, null, text));
    this.row.replaceChildren(...this.words);
    return parts;
  }

  // Put the words, all of one size, over the middles of their columns.
  place({ middles, size, spaces, next }, family) {
    this.row.style.font = `700 ${size}px/1.2 ${family}`;
    middles.forEach((middle, t) => {
      const { style } = this.words[t];
      [style.left, style.maxWidth] = [`${middle}px`, `${spaces[t]}px`];
    });
    this.field.style.fontSize = `${Math.max(size, 17)}px`;
    this.next = next;
    this.mark();
  }

  get isTyping() {
    return this.field.getRootNode().activeElement === this.field;
  }

  // ---------------------------------------------------------------- the caret and what is selected

  mark() {
    for (const old of this.row.querySelectorAll("i")) old.remove();
    if (!this.isTyping || this.parts.some(({ start }) => start < 0)) return;
    const [from, to] = [this.field.selectionStart ?? 0, this.field.selectionEnd ?? 0];
    const left = this.row.getBoundingClientRect().left;
    this.parts.forEach(({ start, end }, k) => {
      const [a, b] = [Math.max(from, start), Math.min(to, end)];
      if (a >= b) return;
      const box = this.boxOf(k, a - start, b - start);
      const selected = html("i", { class: "selected" }, this.row);
      Object.assign(selected.style, { left: `${box.left - left}px`, width: `${box.width}px` });
    });
    if (from !== to) return;
    this.caret.style.left = `${this.caretAt(from) - left}px`;
    this.row.append(this.caret);
    const { scrollLeft, clientWidth } = this.row.closest(".scroll");
    const x = this.caret.offsetLeft;
    if (x < scrollLeft || x > scrollLeft + clientWidth - 8)
      this.row.closest(".scroll").scrollLeft = x - clientWidth / 2;
  }

  // The letters of a word between two places in it.
  boxOf(k, from, to) {
    const range = document.createRange();
    const letters = this.words[k].firstChild;
    range.setStart(letters, Math.min(from, letters.length));
    range.setEnd(letters, Math.min(to, letters.length));
    return range.getBoundingClientRect();
  }

  caretAt(offset) {
    const k = this.parts.findIndex(({ start, end }) => start <= offset && offset <= end);
    if (k >= 0) {
      const at = offset - this.parts[k].start;
      const box = this.boxOf(k, 0, at);
      return at ? box.right : box.left;
    }
    const before = this.parts.findLastIndex(({ end }) => end < offset);
    if (before === this.parts.length - 1) return this.row.getBoundingClientRect().left + this.next + 8;
    return this.words[Math.max(before, 0)].getBoundingClientRect()[before < 0 ? "left" : "right"] + 6;
  }

  // The place in the text that is nearest to a place of the window.
  offsetAt(x) {
    let nearest = [Infinity, 0];
    this.parts.forEach(({ text, start }) => {
      for (let at = 0; at <= text.length; at++) {
        const distance = Math.abs(this.caretAt(start + at) - x);
        if (distance < nearest[0]) nearest = [distance, start + at];
      }
    });
    return nearest[1];
  }

  // A mouse goes by the words that are seen, not by the field's own text: the first press selects all, the next ones set the
  // caret, two at once select a word, and a drag selects what it goes over.
  grasp(event) {
    if (event.button || this.field.readOnly || this.parts.some(({ start }) => start < 0)) return;
    event.preventDefault();
    if (!this.isTyping) return this.field.focus({ preventScroll: true });
    const at = this.offsetAt(event.clientX);
    if (event.detail === 2) {
      const word = this.parts.find(({ start, end }) => start <= at && at <= end);
      return word && this.field.setSelectionRange(word.start, word.end);
    }
    if (event.detail > 2) return this.field.select();
    this.field.setSelectionRange(at, at);
    const drag = ({ clientX }) => {
      const to = this.offsetAt(clientX);
      this.field.setSelectionRange(Math.min(at, to), Math.max(at, to), to < at ? "backward" : "forward");
    };
    document.addEventListener("mousemove", drag);
    document.addEventListener("mouseup", () => document.removeEventListener("mousemove", drag), { once: true });
  }

  // ---------------------------------------------------------------- keys, and the tags of a word

  press(event) {
    this.unpoint();
    this.held = false;
    if (event.pointerType === "mouse") return;
    this.timer = setTimeout(() => {
      const token = this.tokenAt(event.clientX, FINGER);
      this.held = !this.isTyping && token >= 0;
      if (this.held) this.does.opens(token, true);
    }, PRESS);
  }

  key(event) {
    if (event.key === "Escape") {
      this.field.value = this.text;
      this.does.givesUp();
    }
    if (event.key === "Escape") {
      this.field.blur();
      this.does.done();
    }
    if (event.key === "Enter" && !event.isComposing) {
      if (matchMedia("(pointer: coarse)").matches)
        this.field.blur(); // its keyboard hides the picture
      else this.does.ends();
    }
    if (event.key === "ArrowDown" && this.parts.length && !this.isAhead) {
      event.preventDefault();
      this.does.opens(this.tokenAtCaret(), true);
    }
  }

  // The word that the caret is in.
  tokenAtCaret() {
    const at = this.field.selectionStart ?? 0;
    const token = this.parts.findIndex(({ end }) => end >= at);
    return token < 0 ? this.parts.length - 1 : token;
  }

  point({ clientX }) {
    const token = this.isTyping ? -1 : this.tokenAt(clientX, MOUSE);
    if (token === this.pointed) return;
    this.unpoint();
    this.pointed = token;
    if (token >= 0) this.timer = setTimeout(() => this.does.opens(token, false), HOVER);
  }

  unpoint() {
    clearTimeout(this.timer);
    if (this.pointed >= 0) this.does.leaves();
    this.pointed = -1;
  }

  // The word that is nearest to a place of the window, and not farther than `far`; else -1.
  tokenAt(x, far) {
    const distances = this.words.map((word) => {
      const { left, right } = word.getBoundingClientRect();
      return Math.max(left - x, x - right, 0);
    });
    const nearest = Math.min(...distances);
    return nearest <= far ? distances.indexOf(nearest) : -1;
  }
}
