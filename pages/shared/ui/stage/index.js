// The stage draws a whole beat from one JSON: picture, sentence, ways on. A host feeds it; what the reader does is asked
// of the server beside the host, and told to it afterwards.

import { whenData } from "../../../../crf/figures/shared/model.js";
import { FrontPage } from "./front.js";
import { Lesson } from "./lesson.js";

const PAGES = { flow: FrontPage, trellis: Lesson };

export default {
  render({ model, el, signal }) {
    let page;
    whenData(model, signal, (data) => {
      page ??= new PAGES[data.view.kind](el, model, signal);
      page.load(data);
    });
  },
};
