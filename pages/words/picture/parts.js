// What the drawings share: text, marks, and a switch between taggers.

import { html, svg } from "../../../crf/figures/shared/dom.js";

export function text(parent, name, x, y, content, more = {}) {
  return svg("text", { class: name, x, y, ...more }, parent, content);
}

export const share = (value) => `${Math.round(100 * value)} %`;

export function pressable(part, act) {
  part.setAttribute("role", "button");
  part.setAttribute("tabindex", "-1");
  part.onclick = act;
}

// One of several taggers.
export function writeSwitch(root, { choices, chosen }, choose) {
  const tools = root.querySelector(".tools");
  const group = tools.querySelector(".switch") ?? html("div", { class: "switch", role: "group" }, tools);
  group.replaceChildren(
    ...choices.map(({ name, label }) => {
      const button = html(
        "button",
        { type: "button", "data-tagger": name, "aria-pressed": String(name === chosen) },
        null,
        label,
      );
      button.onclick = () => name !== chosen && choose(name);
      return button;
    }),
  );
}
