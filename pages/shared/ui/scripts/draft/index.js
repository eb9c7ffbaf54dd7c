// Keeps what has been typed into fields in this browser, under `data.name`: what Python has, and, when the page is left or the phone
// falls asleep, what is in a field that Python has not heard of yet. `data.write`: the fields by key; null: Python has not heard yet.

import { report, whenData } from "../../../../../crf/figures/shared/model.js";
import { store, stored } from "../kept/index.js";

const placeOf = (key) => `.st-key-${key.trim().replace(/[^a-zA-Z0-9_-]/g, "-")}`;

export default {
  render({ model, signal }) {
    let draft = { name: "", write: null };
    const keep = (typed) => {
      const text = JSON.stringify(typed);
      if (text !== stored(draft.name)) store(draft.name, text);
    };
    const leave = () => draft.write && keep({ ...draft.write, ...onScreen(Object.keys(draft.write)) });
    whenData(model, signal, (data) => {
      draft = data;
      if (data.write === null) report(model, "kept", stored(data.name) || "{}");
      else keep(data.write);
    });
    document.addEventListener("visibilitychange", () => document.visibilityState === "hidden" && leave(), { signal });
    window.addEventListener("pagehide", leave, { signal });
  },
};

// What is in these fields, by key.
function onScreen(keys) {
  const typed = {};
  for (const key of keys) {
    const field = document.querySelector(`${placeOf(key)} input:not([aria-expanded=true])`); // an open list has no choice yet
    if (field) typed[key] = field.value;
  }
  return typed;
}
