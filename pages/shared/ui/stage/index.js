// The stage draws a whole beat from one JSON: picture, sentence, ways on. A host feeds it; what the reader does is asked
// of the server beside the host, and told to it afterwards.

import { html } from "../../../../crf/figures/shared/dom.js";
import { whenData } from "../../../../crf/figures/shared/model.js";
import { FrontPage } from "./front.js";
import { Lesson } from "./lesson.js";
import { Plan } from "./plan.js";
import { Presenter } from "./present.js";
import { TrellisLesson } from "./trellis_lesson.js";

const PAGES = { flow: FrontPage, trellis: TrellisLesson }; // any other picture is a plain lesson's
export const NOBODY = { get() {}, set() {}, save_changes() {}, on() {}, off() {} }; // the model of a stage that reports to no host

// The stage that draws a kind of picture.
export const stageOf = (kind) => PAGES[kind] ?? Lesson;

export default {
  render({ model, el, signal }) {
    let page;
    const plan = new Plan();
    const presenter = new Presenter(el, signal, (kind, place, ends) => new (stageOf(kind))(place, NOBODY, ends), plan);
    whenData(model, signal, (data) => {
      if (page) return page.load(data);
      const place = html("div");
      el.replaceChildren(place);
      page = new (stageOf(data.view.kind))(place, model, signal);
      page.load(data);
      presenter.take(page, place);
    });
  },
};
