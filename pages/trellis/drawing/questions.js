// The end of the story: what the reader can do next, each with its beat.

import { html } from "../../../crf/figures/shared/dom.js";

export class Questions {
  root;
  host;

  constructor(parent, host) {
    this.root = html("ol", { class: "questions" }, parent);
    this.host = host;
  }

  layout({ picture }) {
    this.root.replaceChildren();
    for (const { text, beat } of picture.questions)
      html("button", { type: "button" }, html("li", {}, this.root), text).onclick = () => this.host.open(beat);
  }

  draw() {}
}
