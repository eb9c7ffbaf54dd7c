// What draws a kind of picture, for hosts that change it themselves; stage_of.css styles every stage.

import { FrontPage } from "./front.js";
import { Lesson } from "./lesson.js";

const PAGES = { flow: FrontPage }; // any other picture is a lesson's
// The model of a stage that reports to no host.
export const NOBODY = { get() {}, set() {}, save_changes() {}, on() {}, off() {} };

// `pictures` has the class of each kind.
export function stageOf(kind, pictures, place, model, signal) {
  return new (PAGES[kind] ?? Lesson)(place, model, signal, pictures);
}
