// The map of the course, when it opens: what this reader has seen, and where to go on.

import { filledText, html } from "../../../../../crf/figures/shared/dom.js";
import { forget, progress } from "../../stage/progress.js";

const open = () => /** @type {HTMLDetailsElement | null} */ (document.querySelector(".crf-course [open]"));

export function openCourse({ target }) {
  if (target === open()) fill(target);
}

export function forgetCourse(event) {
  if (!event.target.closest?.("[data-forget]")) return;
  forget();
  fill(open());
}

// Esc closes it.
export function closeCourse({ key }) {
  const course = open();
  if (key !== "Escape" || !course) return;
  course.open = false;
  course.querySelector("summary")?.focus();
}

// It does not stay open over what the reader goes on to.
export function leaveCourse({ target }) {
  const course = open();
  if (course && !course.contains(target)) course.open = false;
}

function fill(course) {
  const known = progress();
  const bars = [...course.querySelectorAll("[data-beat-of]")];
  const seen = bars.filter((bar) => {
    const [lesson, beat] = bar.dataset.beatOf.split("/");
    return bar.classList.toggle("seen", Boolean(known[lesson]?.[beat]));
  });
  const told = course.querySelector(".so-far");
  const next = bars.find((bar) => !bar.classList.contains("seen"));
  told.textContent = `${filledText(told.dataset.seen, { n: seen.length, of: bars.length })} `;
  if (!seen.length || !next) return;
  told.append(`${told.dataset.go} `);
  html("a", { href: next.dataset.at, target: "_self", "data-keeps": "lang" }, told, next.title);
}
