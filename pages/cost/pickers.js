// Choices of one each, beside a picture.

import { html } from "../../crf/figures/shared/dom.js";

// `groups`: the name of a control, its options and the chosen one; what has the focus keeps it.
export function writePickers(room, host, groups, question = "") {
  const focused = room.contains(room.getRootNode().activeElement)
    ? room.getRootNode().activeElement.dataset.pick
    : null;
  room.replaceChildren();
  if (question) html("span", {}, room, question);
  for (const [name, options, chosen] of groups) {
    const group = html("div", { class: "choices", role: "group" }, room);
    for (const { name: value, label } of options) {
      const button = html(
        "button",
        { type: "button", "data-pick": `${name}:${value}`, "aria-pressed": String(chosen === value) },
        group,
        label,
      );
      button.onclick = () => host.set(name, value);
      if (focused === button.dataset.pick) button.focus();
    }
  }
}
