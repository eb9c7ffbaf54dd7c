// How many readings there are: a curve that grows with the words and passes what a machine could list since the universe began.

import { put, svg } from "../../../crf/figures/shared/dom.js";
import { set } from "../../../crf/figures/trellis/cells.js";

const SECONDS = 26.64; // log10 of the readings listed: 10⁹ a second for 4.35 · 10¹⁷ s, the age of the universe
const TWENTY = 20; // words

const superscript = (power) => [...String(power)].map((digit) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[Number(digit)]).join("");

export class Growth {
  root;
  at;

  constructor(parent) {
    this.root = svg("svg", { class: "instead", role: "img" }, parent);
  }

  layout({ picture: trellis, words }, width, height) {
    const { count, tokens } = trellis;
    const phone = width < 640;
    const k = Math.min(Math.max(width / 1280, 1), 1.6);
    const [left, right, top, bottom] = [
      phone ? 52 : Math.max(110, width * 0.09),
      width - (phone ? 16 : 60),
      34,
      height - 42 * k,
    ];
    const most = Math.max(count.at(-1).log10, SECONDS) * 1.06;
    const x = (n) => left + ((right - left) * n) / count.at(-1).words;
    const y = (log10) => bottom - ((bottom - top) * log10) / most;
    Object.assign(this, { at: { x, y, left, right, top, bottom }, count, length: tokens.length });
    put(this.root, { width, height });
    this.root.style.setProperty("--k", k);
    this.root.replaceChildren();
    const group = svg("g", { class: "growth" }, this.root);
    const line = (d, name) => svg("path", { class: name, d }, group);
    const text = (name, x, y, content) => svg("text", { class: name, x, y }, group, content);
    const curve = count.map(({ words, log10 }) => `L${x(words)} ${y(log10)}`).join("");
    const shown = svg("g", { class: "grows begun" }, group); // a curve that shrinks would show the answer first
    this.root.style.setProperty("--to", `${right - x(TWENTY)}px`);
    svg("path", { class: "area", d: `M${x(0)} ${y(0)}${curve}V${bottom}Z` }, shown);
    svg("path", { class: "line", d: `M${x(0)} ${y(0)}${curve}` }, shown);
    this.shown = shown;
    line(`M${left} ${bottom}H${right}`, "floor");
    line(`M${left} ${y(SECONDS)}H${right}`, "age");
    const lines = phone ? words.age.split(", ") : [words.age];
    const passes = count.find(({ log10 }) => log10 > SECONDS)?.words ?? Infinity;
    const isRight = passes < count.at(-1).words / 2; // on the side where the curve and its labels are not
    for (const [i, about] of lines.entries()) {
      const above = y(SECONDS) - 14 - 20 * (lines.length - 1 - i);
      text(isRight ? "about last" : "about", isRight ? right - 8 : left + 8, above, about);
    }
    text("axis head", phone ? 8 : left - 78, top - 18, words["axis-readings"]);
    for (let power = 0; power < most; power += 10) {
      line(`M${left} ${y(power)}H${right}`, "tick");
      text("axis last", left - 8, y(power), power ? `10${superscript(power)}` : "1");
    }
    for (let n = 10; n <= count.at(-1).words; n += 10) text("axis", x(n), bottom + 20 * k, String(n));
    if (phone) text("axis head", 8, bottom + 20 * k, words["axis-words"]);
    else text("axis last", left - 8, bottom + 20 * k, words["axis-words"]);
    this.dots = [
      [tokens.length, "now"],
      [TWENTY, ""],
    ].flatMap(([n, name], i) =>
      (i && n === tokens.length) || !count[n - 1] ? [] : [this.dot(group, count[n - 1], name)],
    );
  }

  dot(group, { words, log10, text }, name) {
    const { x, y } = this.at;
    const part = svg("g", { class: `mark ${name}` }, group);
    svg("circle", { cx: x(words), cy: y(log10), r: name ? 8 : 6 }, part);
    const below = Math.min(y(log10) + 16, this.at.bottom - 14); // twenty words: clear of the reader's own
    svg("text", name ? { x: x(words) - 4, y: y(log10) - 26 } : { x: x(words) + 12, y: below }, part, text);
    return part;
  }

  // Before the bet is settled the curve ends at twenty words.
  draw(_now, veils) {
    set(this.shown, "class", `grows${veils ? " begun" : ""}`);
  }
}
