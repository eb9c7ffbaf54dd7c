// The gradient of one sentence's log p: observed − expected, as heat maps of the transitions or of the words.
// Python sends counts and places; a cell that is clicked tells its numbers here, and which places it adds up.

import { decimal } from "../shared/decimal.js";
import { element, fill, filledText, html, isolated, writeWords } from "../shared/dom.js";
import { whenData } from "../shared/model.js";
import { offerSave } from "../shared/save.js";
import { Heat, powerText, signedText } from "./heat.js";

const TWEEN = 300; // ms
const WIDEST = 7; // columns with which three maps stand beside each other; else there is only the difference

const SKELETON = `
<div class="gradient" data-figure="gradient" role="group" data-label="label">
  <div class="switch" data-export="no" role="group" data-label="which"></div>
  <div class="maps"></div>
  <p class="told" role="status" aria-live="polite"></p>
</div>`;

export default {
  render({ model, el, signal }) {
    const gradient = new Gradient(fill(el, SKELETON));
    whenData(model, signal, (data) => gradient.load(data));
  },
};

class Gradient {
  text;
  data;

  constructor(root) {
    this.find = (selector) => root.querySelector(selector);
    this.calm = matchMedia("(prefers-reduced-motion: reduce)");
    this.which = 0;
    this.picked = [];
    this.root = root;
    offerSave(root);
  }

  load(data) {
    const text = JSON.stringify(data);
    if (text === this.text) return;
    const before = this.data;
    if (!before) writeWords(this.root, data.words);
    Object.assign(this, { text, data });
    const shape = JSON.stringify(data.tables.map(({ name, rows, columns }) => [name, rows, columns]));
    if (shape !== this.shape) {
      this.shape = shape;
      this.picked = data.tables.map((table) => largestCell(table));
      this.build();
      this.draw(1);
      return;
    }
    this.from = before.tables;
    this.began = performance.now();
    if (this.calm.matches) this.draw(1);
    else this.tick();
  }

  get table() {
    return this.data.tables[this.which];
  }

  build() {
    const { tables } = this.data;
    this.find(".switch").replaceChildren(
      ...tables.map(({ name }, k) => {
        const button = element("button", { type: "button", textContent: name, ariaPressed: String(k === this.which) });
        button.onclick = () => {
          this.which = k;
          this.build();
          this.draw(1);
        };
        return button;
      }),
    );
    const host = this.find(".maps");
    host.replaceChildren();
    const { rows, columns } = this.table;
    const pick = (i, j) => {
      this.picked[this.which] = [i, j];
      this.tell();
    };
    const made = (name, more) => new Heat(host, { rows, columns, title: this.data.words[name], pick, ...more });
    const sign = (text) => html("span", { class: "operator", "aria-hidden": true }, host, text);
    if (columns.length > WIDEST) {
      this.maps = { gradient: made("gradient", { signed: true, narrow: columns.length > 15 }) };
      return;
    }
    const observed = made("observed", {});
    sign("−");
    const expected = made("expected", { bare: true });
    sign("=");
    this.maps = { observed, expected, gradient: made("gradient", { bare: true, signed: true }) };
  }

  tick() {
    const share = Math.min((performance.now() - this.began) / TWEEN, 1);
    this.draw(share * (2 - share));
    cancelAnimationFrame(this.frame);
    if (share < 1) this.frame = requestAnimationFrame(() => this.tick());
  }

  draw(share) {
    const { observed, expected } = this.table;
    const old = (share < 1 && this.from?.[this.which]?.expected) || expected;
    const now = expected.map((row, i) => row.map((p, j) => (p === null ? null : old[i][j] + share * (p - old[i][j]))));
    const difference = observed.map((row, i) => row.map((n, j) => (n === null ? null : n - now[i][j])));
    const top = Math.max(1, ...observed.flat().map((n) => n ?? 0));
    this.maps.observed?.show(observed, top, 0);
    this.maps.expected?.show(now, top);
    this.maps.gradient.show(difference, 1); // it pales as the model learns
    if (share === 1) this.tell();
  }

  tell() {
    const [i, j] = this.picked[this.which] ?? [];
    for (const map of Object.values(this.maps)) map.choose(i, j);
    const { observed, expected, rows, columns, names, places, is_sum: isSum } = this.table;
    const { words } = this.data;
    const n = observed[i]?.[j];
    if (n === undefined || n === null) return;
    const slope = n - expected[i][j];
    const name = names.replace("{row}", rows[i]).replace("{column}", columns[j]);
    const at = (places?.[i]?.[j] ?? []).filter(([, p]) => p >= 0.005);
    const parts = at.map(([where, p]) => `${where} ${decimal(p.toFixed(2))}`).join(", ");
    const move = this.data.rate * slope;
    const step =
      Number.isFinite(move) && !isSum
        ? ` ${filledText(words.step, { rate: short(this.data.rate), slope: signedText(slope, 3), move: signedText(move, 3) })}`
        : "";
    const counts = at.length ? ` ${filledText(at.length > 1 ? words.sum_of : words.at, { parts })}` : "";
    const told = isolated(
      `${name}: ${n} − ${decimal(expected[i][j].toFixed(3))} = ${signedText(slope, 3)}.${counts}${step}`,
    );
    if (this.find(".told").textContent !== told) this.find(".told").textContent = told;
  }
}

function short(x) {
  return Math.abs(x) >= 1e4 ? powerText(x) : String(x);
}

function largestCell({ observed, expected }) {
  let best = [0, 0, -1];
  observed.forEach((row, i) =>
    row.forEach(
      (n, j) => n !== null && Math.abs(n - expected[i][j]) > best[2] && (best = [i, j, Math.abs(n - expected[i][j])]),
    ),
  );
  return best.slice(0, 2);
}
