// The tables of scores on a page without a trellis.

import { fill } from "../shared/dom.js";
import { report, whenData } from "../shared/model.js";
import { ScoreTables } from "./tables.js";

const SKELETON = `
<div class="editor" role="group" data-figure="scores" data-label="editor">
  <div class="tables">
    <section>
      <p class="title"><span data-word="emissions"></span> <small data-word="emissions_about"></small></p>
      <div class="scroll"><table class="emissions" role="grid" data-label="emissions_label"><thead></thead><tbody></tbody></table>
      </div>
      <p class="adds"><button type="button" data-add="tag" data-word="add_tag"></button> <button type="button" data-add="token" data-word="add_token"></button></p>
    </section>
    <section>
      <p class="title"><span data-word="transitions"></span> <small data-word="transitions_about"></small></p>
      <p class="steps" hidden><label><span data-word="step"></span> <select></select></label></p>
      <div class="scroll"><table class="transitions" role="grid" data-label="transitions_label"><thead></thead><tbody></tbody></table>
      </div>
    </section>
  </div>
  <p id="refused" role="alert"></p>
  <p class="keys" data-word="keys"></p>
</div>`;

export default {
  render({ model, el, signal }) {
    const root = fill(el, SKELETON);
    const tables = new ScoreTables(root, (edits) => report(model, "edits", edits));
    whenData(model, signal, (data) => tables.load(data));
  },
};
