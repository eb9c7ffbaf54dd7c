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
    let text = "";
    try {
      text = localStorage.getItem(what(model.get("data")).name) ?? "";
    } catch {
      // a browser that keeps nothing: the session has it
    }
    if (text || !quiet) report(model, "kept", [Date.now(), text]);
  };
  whenData(model, signal, (data) => {
    const { name, write, serial, quiet } = what(data);
    if (write !== null && serial > (done[name] ?? 0)) {
      done[name] = serial;
      try {
        localStorage.setItem(name, write);
      } catch {
        report(model, "full", serial);
      }
    } else if (!done[name]) {
      done[name] = 0.5; // below every serial number
      tell(quiet);
    }
  });
  const hear = (event) => event.key === what(model.get("data")).name && tell();
  window.addEventListener("storage", hear, { signal });
}
