// Code whose lines can be marked, one at a time. Python sends the lines and checks the number that goes back.

import { element, fill, html } from "../../../crf/figures/shared/dom.js";
import { report, whenData } from "../../../crf/figures/shared/model.js";

const SKELETON = `<div class="code" data-figure="code" role="radiogroup" aria-label="Lines of code"></div>`;

export default {
  render({ model, el, signal }) {
    const code = new Code(fill(el, SKELETON));
    code.send = (line) => report(model, "line", line);
    whenData(model, signal, (data) => code.load(data));
  },
};

class Code {
  send;

  constructor(root) {
    this.root = root;
    root.onkeydown = (event) => this.key(event);
  }

  load(data) {
    const text = JSON.stringify(data.lines);
    if (text !== this.text) {
      this.text = text;
      this.marked = null;
      this.root.replaceChildren(...data.lines.map((line, k) => {
        const button = element("button", { type: "button", onclick: () => this.mark(k) });
        button.setAttribute("role", "radio");
        button.setAttribute("aria-label", `${k + 1}: ${line.trim() || "empty"}`);
        html("span", { class: "number", "aria-hidden": "true" }, button, String(k + 1));
        html("span", {}, button, line);
        return button;
      }));
    }
    this.marked = data.marked ?? this.marked;
    this.found = data.found;
    this.paint();
  }

  paint() {
    [...this.root.children].forEach((button, k) => {
      button.setAttribute("aria-checked", k === this.marked);
      button.classList.toggle("found", k === this.found);
      button.tabIndex = k === (this.marked ?? 0) ? 0 : -1;
    });
  }

  mark(line) {
    this.marked = line;
    this.paint();
    this.send(line);
  }

  key(event) {
    const by = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    if (!by || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    const buttons = [...this.root.children];
    buttons[buttons.indexOf(event.target.closest("button")) + by]?.focus();
  }
}
