// Present, and the plan of a lecture, behind "⋯": for lecturers who do not know the keys.

import { html } from "../../../../../crf/figures/shared/dom.js";
import { whenData } from "../../../../../crf/figures/shared/model.js";
import { letLettersAct, lettersAct } from "../../stage/keeping.js";

const WAYS = { "more-present": "crf:present", "more-plan": "crf:plan" }; // what each tells the stage

export default {
  render({ model, el, signal }) {
    whenData(model, signal, ({ words }) => {
      el.replaceChildren();
      for (const [name, tells] of Object.entries(WAYS)) {
        const button = html("button", { type: "button", class: "presenting" }, el, words[name]);
        button.onclick = () => document.dispatchEvent(new CustomEvent(tells));
      }
      const letters = html("button", { type: "button", class: "presenting" }, el, words["more-letters"]);
      letters.setAttribute("aria-pressed", String(lettersAct()));
      letters.onclick = () => {
        letLettersAct(!lettersAct());
        letters.setAttribute("aria-pressed", String(lettersAct()));
      };
    });
  },
};
