// A figure as small as one can be: a button that shows p and, pressed, tells of it.

import { element, fill } from "../../../crf/figures/shared/dom.js";
import { report, whenData } from "../../../crf/figures/shared/model.js";

const SKELETON = `<div class="coin" data-figure="coin" role="group"></div>`;

export default {
  render({ model, el, signal }) {
    const root = fill(el, SKELETON);
    whenData(model, signal, ({ p, words }) => {
      const button = element("button", { type: "button", textContent: `${words.heads} ${p}` });
      button.onclick = () => report(model, "choice", { side: "heads" });
      root.replaceChildren(button);
    });
  },
};
