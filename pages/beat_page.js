// The stage on a page of its own: its data are in the page, and it asks the server for more. It has no host to report to.

import stage from "./index.js";

const values = { data: JSON.parse(document.getElementById("beat").textContent) };
const model = {
  get: (name) => values[name],
  set: (name, value) => (values[name] = value),
  save_changes() {},
  on() {},
  off() {},
};
stage.render({ model, el: document.querySelector(".crf-figure"), signal: new AbortController().signal });
