// The tables of scores on a page without a trellis.

import { fill } from "../shared/dom.js";
import { report, whenData } from "../shared/model.js";
import { ScoreTables } from "./tables.js";

const SKELETON = `
<div class="editor" role="group" aria-label="Score editor">
  <div class="tables">
    <section>
      <p class="title">Emissions <small>score of each tag at each token</small></p>
      <div class="scroll"><table class="emissions" role="grid" aria-label="Emission scores, tags by tokens"><thead></thead><tbody></tbody></table></div>
      <p class="adds"><button type="button" data-add="tag">+ tag</button> <button type="button" data-add="token">+ token</button></p>
    </section>
    <section>
      <p class="title">Transitions, start, end <small>from row to column</small></p>
      <p class="steps" hidden><label>Step <select></select></label></p>
      <div class="scroll"><table class="transitions" role="grid" aria-label="Transition scores, from row to column, with start and end"><thead></thead><tbody></tbody></table></div>
    </section>
  </div>
  <p id="refused" role="alert"></p>
  <p class="keys">Drag a score up or down, use the arrow keys ↑ ↓ (Shift: ten times as far), or type; Escape takes back. −inf forbids; 2/3 and log .4 are understood.</p>
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
