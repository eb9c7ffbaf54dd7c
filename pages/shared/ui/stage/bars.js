// All tags of a word as bars, beside its column. A bar fixes its tag, or lets it go.

import { html } from "../../../../crf/figures/shared/dom.js";
import { said } from "../../../../crf/figures/flow/columns.js";

const LINGERS = 250; // ms from the word to the bars
const GAP = 8; // px

export class Bars {
  root;
  fix;
  leaves;
  timer;
  token = -1;

  // `fix(token, tag)`: a bar has been chosen; `leaves()`: the keyboard goes back to where it was.
  constructor(root, { fix, leaves }) {
    Object.assign(this, { root, fix, leaves });
    root.onpointerenter = () => clearTimeout(this.timer);
    root.onpointerleave = () => this.fade();
    root.onkeydown = (event) => this.key(event);
    root.onfocusout = (event) => !root.contains(event.relatedTarget) && this.close();
    root
      .getRootNode()
      .addEventListener(
        "pointerdown",
        (event) => event.pointerType !== "mouse" && !root.hidden && !root.contains(event.target) && this.closeBy(event),
        true,
      );
  }

  // Beside the column from `left` to `right`. `tags`, the last of which is "other", with their probabilities `all`;
  // `fixed`: the index of the tag that is fixed, or null.
  open({ token, word, tags, all, fixed, words, live }, [left, right], focus) {
    clearTimeout(this.timer);
    this.token = token;
    const order = tags
      .map((tag, index) => ({ ...tag, index, p: all[index] ?? 0 }))
      .slice(0, -1)
      .sort((a, b) => b.p - a.p);
    this.root.setAttribute("aria-label", word);
    this.root.replaceChildren(
      html("p", { class: "word", dir: "auto" }, null, word),
      ...order.map((tag) => this.bar(tag, tag.index === fixed, words, live)),
    );
    this.root.hidden = false;
    const wide = this.root.offsetWidth + GAP;
    const room = this.root.parentElement.clientWidth;
    const beside = right + wide <= room ? right + GAP : left - wide;
    this.root.style.left = `${Math.min(Math.max(beside, GAP), room - wide)}px`;
    this.root.scrollTop = 0;
    if (focus) this.root.querySelector("button").focus();
  }

  bar({ name, about, colour, index, p }, fixed, words, live) {
    const button = html("button", { type: "button", "aria-pressed": fixed });
    html("b", {}, button, name);
    const bar = html("span", { class: "track" }, button);
    bar.style.setProperty("--p", p);
    bar.style.setProperty("--c", colour);
    html("small", {}, button, said(p));
    html("span", { class: "about" }, button, fixed ? words.free : (about ?? ""));
    button.disabled = !live;
    button.onclick = () => {
      this.fix(this.token, index);
      this.close();
    };
    return button;
  }

  key(event) {
    const bars = [...this.root.querySelectorAll("button")];
    const at = bars.indexOf(event.target);
    const next = { ArrowDown: bars[at + 1], ArrowUp: bars[at - 1], Home: bars[0], End: bars.at(-1) }[event.key];
    if (event.key === "Escape" || (event.key === "ArrowUp" && at === 0)) {
      this.close();
      this.leaves();
    } else if (!next) return;
    next?.focus();
    event.preventDefault();
    event.stopPropagation();
  }

  // A finger's press beside the bars closes them, and does nothing else.
  closeBy(event) {
    event.stopPropagation();
    event.preventDefault();
    this.close();
    const swallow = (click) => click.stopPropagation();
    this.root.getRootNode().addEventListener("click", swallow, { capture: true, once: true });
    setTimeout(() => this.root.getRootNode().removeEventListener("click", swallow, true), 400);
  }

  fade() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => !this.root.contains(this.root.getRootNode().activeElement) && this.close(), LINGERS);
  }

  close() {
    clearTimeout(this.timer);
    this.token = -1;
    this.root.hidden = true;
  }
}
