// Keeps a text of ours in this browser, under `data.name`, and tells Python what it is, and when another tab has changed it;
// with `data.quiet` only if there is one.

import { report, whenData } from "../../../../../crf/figures/shared/model.js";

const done = (window.crfKept ??= {}); // name -> the last write that was done; outlives this component

export default {
  render({ model, signal }) {
    const tell = (quiet = false) => {
      let text = "";
      try {
        text = localStorage.getItem(model.get("data").name) ?? "";
      } catch {
        // a browser that keeps nothing: the session has it
      }
      if (text || !quiet) report(model, "kept", [Date.now(), text]);
    };
    whenData(model, signal, ({ name, write, serial, quiet }) => {
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
    window.addEventListener("storage", (event) => event.key === model.get("data").name && tell(), { signal });
  },
};
