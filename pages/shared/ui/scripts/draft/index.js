// Keeps what has been typed into fields in this browser, under `data.name`: what Python has, and, when the page is left or the phone
// falls asleep, what is in a field that Python has not heard of yet. `data.write`: the fields by key; null: Python has not heard yet.

import { report, whenData } from "../../../../../crf/figures/shared/model.js";

const placeOf = (key) => `.st-key-${key.trim().replace(/[^a-zA-Z0-9_-]/g, "-")}`;

export default {
  render({ model, signal }) {
    const draft = new Draft();
    whenData(model, signal, (data) => {
      Object.assign(draft, data);
      if (data.write === null) report(model, "kept", draft.stored);
      else draft.store(JSON.stringify(data.write));
    });
    document.addEventListener("visibilitychange", () => document.visibilityState === "hidden" && draft.leave(), { signal });
    window.addEventListener("pagehide", () => draft.leave(), { signal });
  },
};

class Draft {
  name; write;

  get stored() {
    try {
      return localStorage.getItem(this.name) ?? "{}";
    } catch {
      return "{}"; // a browser that keeps nothing: the session has it
    }
  }

  store(text) {
    try {
      if (text !== this.stored) localStorage.setItem(this.name, text);
    } catch {
      // full, or keeps nothing
    }
  }

  leave() {
    if (this.write === null) return;
    const typed = { ...this.write };
    for (const key of Object.keys(this.write)) {
      const field = document.querySelector(`${placeOf(key)} input:not([aria-expanded=true])`); // an open list has no choice yet
      if (field) typed[key] = field.value;
    }
    this.store(JSON.stringify(typed));
  }
}
