// Keeps a text of ours in this browser, under a name, and tells Python what it is, and when another tab has changed it; if it is
// `quiet`, only if there is one. `what`: those of the component's data.

import { report, whenData } from "../../../../../crf/figures/shared/model.js";

const done = (window.crfKept ??= {}); // name -> the last write that was done; outlives this component

export default {
  render({ model, signal }) {
    keep(model, signal, (data) => data);
  },
};

export function keep(model, signal, what) {
  const tell = (quiet = false) => {
    const text = stored(what(model.get("data")).name);
    if (text || !quiet) report(model, "kept", [Date.now(), text]);
  };
  whenData(model, signal, (data) => {
    const { name, write, serial, quiet } = what(data);
    if (write !== null && serial > (done[name] ?? 0)) {
      done[name] = serial;
      if (!store(name, write)) report(model, "full", serial);
    } else if (!done[name]) {
      done[name] = 0.5; // below every serial number
      tell(quiet);
    }
  });
  const hear = (event) => event.key === what(model.get("data")).name && tell();
  window.addEventListener("storage", hear, { signal });
}

// "" in a browser that keeps nothing: the session has it.
export function stored(name) {
  try {
    return localStorage.getItem(name) ?? "";
  } catch {
    return "";
  }
}

// Whether it was kept: a browser may be full, or keep nothing.
export function store(name, text) {
  try {
    localStorage.setItem(name, text);
    return true;
  } catch {
    return false;
  }
}
