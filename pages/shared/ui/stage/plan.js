// The lecture that is being prepared: beats with minutes and notes, kept in this browser.

import { recall } from "./keeping.js";

const KEPT = "crf.lecture"; // in localStorage

export class Plan {
  page;

  get lecture() {
    return recall("localStorage", KEPT) ?? { title: "", beats: [] };
  }

  // What a beat is called.
  label(lesson, beat) {
    const { view } = this.page;
    return (view.lesson === lesson && view.beats?.find(({ name }) => name === beat)?.label) || beat;
  }
}
