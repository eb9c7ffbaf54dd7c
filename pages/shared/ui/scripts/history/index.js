// One entry of the browser's history for each page: what a page writes into the address while one
// works on it replaces the entry; only another page makes a new one.

import { report, whenData } from "../../../../../crf/figures/shared/model.js";
import { lendClipboard } from "./clipboard.js";
import { closeCourse, forgetCourse, leaveCourse, openCourse } from "./course.js";
import { keep, wayOf } from "./links.js";
import { lendTheme } from "./theme.js";

export default {
  render({ model, signal }) {
    whenData(model, signal, mark);
    for (const press of ["click", "auxclick"]) document.addEventListener(press, keep, { capture: true, signal });
    document.addEventListener("click", (event) => go(model, event), { signal });
    document.addEventListener("toggle", openCourse, { capture: true, signal });
    document.addEventListener("click", forgetCourse, { signal });
    document.addEventListener("keydown", closeCourse, { signal });
    document.addEventListener("focusin", leaveCourse, { signal });
    document.addEventListener("click", skip, { capture: true, signal });
  },
};

function go(model, event) {
  const way = wayOf(event, model.get("data").ways);
  if (!way) return;
  event.preventDefault();
  document.querySelector(".crf-course [open]")?.removeAttribute("open");
  document.dispatchEvent(new CustomEvent("crf:go", { detail: way })); // to the stage
  if (way.path === location.pathname) return;
  // Streamlit takes what is reported in one turn for one fragment's, and the stage may just have reported.
  setTimeout(() => report(model, "go", { path: way.path, query: way.query }));
}

// A skip link leads to a part of the stage.
function skip(event) {
  const link = event.target.closest?.("[data-reach]");
  if (!link) return;
  event.preventDefault();
  event.stopPropagation();
  document.dispatchEvent(new CustomEvent("crf:reach", { detail: link.dataset.reach }));
}

function mark(data) {
  document.documentElement.lang = data.language;
  lendClipboard();
  lendTheme();
  if (window.history.pushState.ofThisApp) return;
  const push = window.history.pushState.bind(window.history);
  const pushState = (state, unused, url) => {
    const same = url && new URL(url, document.baseURI).pathname === window.location.pathname;
    if (same) window.history.replaceState(state, unused, url);
    else push(state, unused, url);
    if (!same) toTheTop(); // where a new page begins
  };
  pushState.ofThisApp = true;
  window.history.pushState = pushState;
}

function toTheTop() {
  document.querySelector("main")?.scrollTo(0, 0);
}
