// The reader's notation: where a word's own score counts, and whether numbers are logs. Its switch stands at the end of the
// equation's line; where a beat is drawn in ours only, it says so.

import { html } from "../../../../crf/figures/shared/dom.js";

const PARTS = { form: ["state", "message", "pair"], scale: ["log", "potential"], ends: ["start", "root"] }; // of the state; the usual value first

// The reader's notation in a state; "": the usual one.
export const notationOf = (state) => Object.fromEntries(Object.keys(PARTS).map((part) => [part, state?.[part] ?? ""]));

// Whether a state has a notation that is not ours.
export const isOwn = (state) => Object.values(notationOf(state)).some(Boolean);

// `change(parts)`: the reader chooses. Only a picture of recursions has a notation.
export function writeNotation(root, { view, address }, change) {
  const { picture, state, words } = view;
  const own = isOwn(state);
  root.hidden = (picture?.notation ?? null) === null || !address || !(picture.notation || own);
  root.classList.toggle("usual", !own);
  root.classList.toggle("off", !picture.notation);
  if (root.hidden) return;
  if (!root.childElementCount) root.append(html("span"), ...Object.keys(PARTS).map((part) => group(part)));
  root.firstChild.textContent = words[picture.notation ? "notation" : "notation-off"];
  for (const button of root.querySelectorAll("button")) {
    const { part, value } = button.dataset;
    const chosen = picture.notation ? (state[part] ?? PARTS[part][0]) : PARTS[part][0];
    button.textContent = words[`${part}-${value}`];
    button.setAttribute("aria-pressed", String(chosen === value));
    button.disabled = !picture.notation;
    button.onclick = () => chosen !== value && change({ [part]: value === PARTS[part][0] ? "" : value });
  }
}

function group(part) {
  const made = html("div", { role: "group", class: `switch of-${part}` });
  for (const value of PARTS[part])
    html("button", { type: "button", [`data-${part}`]: value, "data-part": part, "data-value": value }, made);
  return made;
}
