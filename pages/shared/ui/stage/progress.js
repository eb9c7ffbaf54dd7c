// How far this reader has come, kept in the browser: lesson → beat → 1 once it was seen, 2 once its bet was right.

import { recall, remember } from "./keeping.js";

const KEPT = "crf.progress"; // in localStorage
const WAY = "crf.way"; // in sessionStorage: the lesson on screen, and the one before it
const ASKED = "crf.asked"; // in sessionStorage: the beat to which a question of What now? has led

export function progress() {
  const kept = recall("localStorage", KEPT);
  return kept && typeof kept === "object" ? kept : {};
}

// `bet`: of the beat's view, or null.
export function mark(lesson, beat, bet) {
  const kept = progress();
  const now = bet?.revealed && bet.hit ? 2 : 1;
  if ((kept[lesson]?.[beat] ?? 0) >= now) return;
  remember("localStorage", KEPT, { ...kept, [lesson]: { ...kept[lesson], [beat]: now } });
}

export function forget() {
  remember("localStorage", KEPT, {});
}

// The lesson from which the reader has come to this one; undefined where a link led to it.
export function cameFrom(lesson) {
  const way = recall("sessionStorage", WAY) ?? {};
  if (way.lesson === lesson) return way.from;
  remember("sessionStorage", WAY, { lesson, from: way.lesson });
  return way.lesson;
}

export function ask(lesson, beat) {
  remember("sessionStorage", ASKED, { lesson, beat });
}

// Whether a question of What now? has led to a beat.
export function wasAsked(lesson, beat) {
  const asked = recall("sessionStorage", ASKED);
  return asked?.lesson === lesson && asked?.beat === beat;
}
