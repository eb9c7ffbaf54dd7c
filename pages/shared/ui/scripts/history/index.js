// One entry of the browser's history for each page: what a page writes into the address while one
// works on it replaces the entry; only another page makes a new one.

import { whenData } from "../../../../../crf/figures/shared/model.js";
import { lendClipboard } from "./clipboard.js";
import { keep } from "./links.js";
import { lendTheme } from "./theme.js";

export default {
  render({ model, signal }) {
    whenData(model, signal, mark);
    for (const press of ["click", "auxclick"]) document.addEventListener(press, keep, { capture: true, signal });
    document.addEventListener("keydown", closeCourse, { signal });
  },
};

// Esc closes the list of the course.
function closeCourse({ key }) {
  const course = /** @type {HTMLDetailsElement | null} */ (document.querySelector(".crf-course [open]"));
  if (key !== "Escape" || !course) return;
  course.open = false;
  course.querySelector("summary")?.focus();
}

function mark(data) {
  document.documentElement.dataset.section = data.section; // the style sheet marks it in the menu
  lendClipboard();
  lendTheme();
  if (window.history.pushState.ofThisApp) return;
  const push = window.history.pushState.bind(window.history);
  const pushState = (state, unused, url) => {
    const same = url && new URL(url, document.baseURI).pathname === window.location.pathname;
    if (same) window.history.replaceState(state, unused, url);
    else push(state, unused, url);
    const menu = document.querySelector('[aria-label="Collapse sidebar"]'); // covers the page of a phone
    if (!same && window.innerWidth < 768) menu?.click();
    if (!same) toTheTop(); // where a new page begins
  };
  pushState.ofThisApp = true;
  window.history.pushState = pushState;
}

function toTheTop() {
  document.querySelector("main")?.scrollTo(0, 0);
}
