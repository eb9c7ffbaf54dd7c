// A heat map; Python is told which cell was picked.

import { fill } from "../shared/dom.js";
import { report, whenData } from "../shared/model.js";
import { Cells } from "./cells.js";

const SKELETON = `<div class="cells scroll" data-figure="heat" role="region" tabindex="-1"></div>`;

export default {
  render({ model, el, signal }) {
    const cells = new Cells(fill(el, SKELETON), (place) => report(model, "pick", place));
    whenData(model, signal, (data) => cells.load(data));
  },
};
