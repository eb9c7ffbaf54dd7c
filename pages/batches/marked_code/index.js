// Code whose lines can be marked, one at a time. Python sends the lines and checks the number that goes back.

import { fill, html } from "../../../crf/figures/shared/dom.js";
import { report, whenData } from "../../../crf/figures/shared/model.js";

const SKELETON = `<div class="code" data-figure="code" role="radiogroup" aria-label="Lines of code"></div>`;

export default {
  render({ model, el, signal }) {
    const root = fill(el, SKELETON);
    let [text, marked, found] = ["", null, null];
    const paint = () => [...root.children].forEach((button, k) => {
      button.setAttribute("aria-checked", k === marked);
      button.classList.toggle("found", k === found);
      button.tabIndex = k === (marked ?? 0) ? 0 : -1;
    });
    const lineOf = (line, k) => {
      const button = html("button", { type: "button", role: "radio", "aria-label": `${k + 1}: ${line.trim() || "empty"}` });
      button.onclick = () => {
        marked = k;
        paint();
        report(model, "line", k);
      };
      html("span", { class: "number", "aria-hidden": "true" }, button, String(k + 1));
      html("span", {}, button, line);
      return button;
    };
    root.onkeydown = (event) => {
      const by = { ArrowUp: -1, ArrowDown: 1 }[event.key];
      if (!by || event.altKey || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      const buttons = [...root.children];
      buttons[buttons.indexOf(event.target.closest("button")) + by]?.focus();
    };
    whenData(model, signal, (data) => {
      if (JSON.stringify(data.lines) !== text) {
        [text, marked] = [JSON.stringify(data.lines), null];
        root.replaceChildren(...data.lines.map(lineOf));
      }
      [marked, found] = [data.marked ?? marked, data.found];
      paint();
    });
  },
};
