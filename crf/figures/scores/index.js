// The tables of scores on a page without a trellis.

import { fill } from "../shared/dom.js";
import { report, whenData } from "../shared/model.js";
import { ScoreTables } from "./tables.js";

const SKELETON = `
<div class="editor" role="group" data-figure="scores" data-label="editor">
  <div class="tables">
    <section>
      <p class="title"><span data-word="emissions"></span> <small data-word="emissions_about"></small></p>
      <div class="scroll"><table class="emissions" role="grid" data-label="emissions_label"><thead></thead><tbody></tbody></table></div>
      <p class="adds"><button type="button" data-add="tag" data-word="add_tag"></button> <button type="button" data-add="token" data-word="add_token"></button></p>
    </section>
    <section>
      <p class="title"><span data-word="transitions"></span> <small data-word="transitions_about"></small></p>
      <p class="steps" hidden><label><span data-word="step"></span> <select></select></label></p>
      <div class="scroll"><table class="transitions" role="grid" data-label="transitions_label"><thead></thead><tbody></tbody></table></div>
    </section>
  </div>
  <p id="refused" role="alert"></p>
  <p class="keys" data-word="keys"></p>
</div>`;

export default {
  render({ model, el, signal }) {
    const editor = new Editor(fill(el, SKELETON));
    editor.send = (edits) => report(model, "edits", edits);
    document.addEventListener("crf:light", editor.hear, { signal });
    whenData(model, signal, (data) => editor.tables.load(data));
  },
};

// What is pointed at here lights its counterparts elsewhere on the page, and the other way round.
class Editor {
  send;

  constructor(root) {
    this.root = root;
    this.tables = new ScoreTables(root, this);
    this.hear = ({ detail }) => {
      if (Array.isArray(detail?.reads) && detail.source !== this.tables.data?.source) this.tables.lit(detail.reads);
    };
  }

  light(reads) {
    const detail = { source: this.tables.data.source, reads };
    this.root.dispatchEvent(new CustomEvent("crf:light", { bubbles: true, composed: true, detail }));
  }
}
