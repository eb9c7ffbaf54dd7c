// A training run, played in the browser: Python has computed every iteration and sends them at once, packed. What is shown between
// two iterations is a mean of both. Sent back, and checked there: { iteration, sentence, table, row, column }.

import { EDGE, HEAD, bandPath, bands, inkOn, stacked } from "../../../crf/figures/flow/layout.js";
import { Heat, powerText, signedText } from "../../../crf/figures/gradient/heat.js";
import { clipped, fill, html, isolated, put, svg } from "../../../crf/figures/shared/dom.js";
import { report, whenData } from "../../../crf/figures/shared/model.js";
import { offerSave } from "../../../crf/figures/shared/save.js";

const SECONDS = 7; // that a whole run plays, at most
const FASTEST = 14; // iterations a second, at least 60 / SECONDS
const TWEEN = 260; // ms of a single step
const SETTLE = 500; // ms after which the place is reported
const HIGH = 150; // px of the curve
const [LEFT, RIGHT, BOTTOM] = [46, 10, 20];
const [COLUMN, WIDTH, TALL] = [130, 64, 120]; // px of a column of the flow, and of its blocks

const SKELETON = `
<div class="training" data-figure="training" role="group" aria-label="A training run">
  <div class="player" data-export="no">
    <button type="button" class="first" aria-label="To the beginning" title="To the beginning"><svg viewBox="0 0 16 16" aria-hidden="true"><path d="M3 3h2v10H3zM13 3v10L6 8z" /></svg></button>
    <button type="button" class="back" aria-label="One iteration back" title="One iteration back"><svg viewBox="0 0 16 16" aria-hidden="true"><path d="M11 3v10L4 8z" /></svg></button>
    <button type="button" class="play" aria-label="Play" title="Play or pause"><svg viewBox="0 0 16 16" aria-hidden="true"><path class="go" d="M4 2.5v11L13.5 8z" /><path class="halt" d="M4 3h3v10H4zM9 3h3v10H9z" /></svg></button>
    <button type="button" class="on" aria-label="One iteration on" title="One iteration on"><svg viewBox="0 0 16 16" aria-hidden="true"><path d="M5 3v10l7-5z" /></svg></button>
    <input type="range" min="0" step="1" aria-label="Iteration">
    <output></output>
  </div>
  <div class="columns">
    <div class="left">
      <p class="title curve-title"></p>
      <svg class="curve" role="img" aria-label="The run"></svg>
      <p class="key"><span><i class="whole"></i><span class="name"></span></span><span><i class="each chosen"></i>the chosen sentence</span><span><i class="each"></i>another sentence</span></p>
      <div class="sentences" role="group" aria-label="Sentences as they are decoded"></div>
    </div>
    <div class="right">
      <div class="maps"></div>
      <p class="told" role="status" aria-live="polite"></p>
      <p class="title flow-title"></p>
      <div class="scroll"><svg class="flow" role="img" aria-label="The chosen sentence"></svg></div>
    </div>
  </div>
</div>`;

export default {
  render({ model, el, signal }) {
    const training = new Training(fill(el, SKELETON));
    training.send = (place) => report(model, "place", place);
    signal.addEventListener("abort", () => training.leave());
    whenData(model, signal, (data) => training.load(data));
  },
};

class Training {
  send; playing = false;

  constructor(root) {
    this.root = root;
    offerSave(root);
    this.find = (selector) => root.querySelector(selector);
    this.calm = matchMedia("(prefers-reduced-motion: reduce)");
    this.slider = this.find("input");
    this.slider.oninput = () => this.jump(Number(this.slider.value));
    this.find(".first").onclick = () => this.jump(0);
    this.find(".back").onclick = () => this.glide(this.playing ? Math.ceil(this.at) - 1 : this.near - 1);
    this.find(".on").onclick = () => this.glide(this.playing ? Math.floor(this.at) + 1 : this.near + 1);
    this.find(".play").onclick = () => (this.playing ? this.stop() : this.play());
    const curve = this.find(".curve");
    const scrub = (event) => {
      const x = event.clientX - curve.getBoundingClientRect().left - LEFT;
      this.jump(this.nearest((x / (this.wide - LEFT - RIGHT)) * this.last));
    };
    curve.onpointerdown = (event) => {
      curve.setPointerCapture(event.pointerId);
      scrub(event);
    };
    curve.onpointermove = (event) => event.buttons && scrub(event);
    this.watch = new ResizeObserver(() => {
      if (!this.data || Math.abs(curve.clientWidth - this.wide) < 2) return;
      this.buildCurve();
      this.draw();
    });
    this.watch.observe(curve);
  }

  leave() {
    this.stop();
    clearTimeout(this.timer);
    this.watch.disconnect();
  }

  load({ run, place }) {
    if (run === this.run) return;
    this.run = run;
    this.stop();
    const corpus = JSON.stringify([run.sentences, run.tags]);
    const same = corpus === this.corpus;
    const atEnd = this.at === this.frames - 1;
    this.corpus = corpus;
    this.data = { ...run, place };
    this.frames = run.frames.length;
    this.last = run.frames.at(-1);
    this.slider.max = this.frames - 1;
    if (!same) {
      this.sentence = Math.min(place.sentence, run.sentences.length - 1);
      this.weight = place.weight;
      this.at = this.nearest(place.iteration);
    } else this.at = atEnd ? this.frames - 1 : Math.min(this.at, this.frames - 1);
    this.build();
    this.draw();
  }

  // The frame nearest to an iteration: of a long run only some are sent.
  nearest(iteration) {
    return this.data.frames.reduce((best, n, k, all) => (Math.abs(n - iteration) < Math.abs(all[best] - iteration) ? k : best), 0);
  }

  // ------------------------------------------------------------------ moving

  jump(frame) {
    this.stop();
    this.at = Math.min(Math.max(frame, 0), this.frames - 1);
    this.draw();
    this.report();
  }

  // The pictures glide; what is written is the goal's at once.
  glide(frame) {
    this.stop();
    const [from, to] = [this.at, Math.min(Math.max(frame, 0), this.frames - 1)];
    if (this.calm.matches) return this.jump(to);
    const began = performance.now();
    this.goal = to;
    const tick = () => {
      const share = Math.min((performance.now() - began) / TWEEN, 1);
      this.at = from + share * (to - from);
      this.draw();
      if (share < 1) this.frame = requestAnimationFrame(tick);
      else {
        this.goal = null;
        this.report();
      }
    };
    tick();
  }

  play() {
    this.stop(); // what glides
    if (this.at >= this.frames - 1) this.at = 0;
    this.playing = true;
    const speed = Math.max(FASTEST, (this.frames - 1) / SECONDS) / 1000;
    let before = performance.now();
    const tick = (now) => {
      this.at = Math.min(this.at + speed * Math.max(now - before, 0), this.frames - 1);
      before = now;
      this.draw();
      if (this.at < this.frames - 1) this.frame = requestAnimationFrame(tick);
      else this.stop(true);
    };
    this.frame = requestAnimationFrame(tick);
    this.buttons();
  }

  stop(atEnd = false) {
    cancelAnimationFrame(this.frame);
    this.goal = null;
    if (!this.playing) return;
    if (!atEnd) this.at = Math.round(this.at);
    this.playing = false;
    this.draw();
    this.report();
  }

  // The frame whose numbers are written: the goal's, else the nearest.
  get near() {
    return this.goal ?? Math.round(this.at);
  }

  report() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      const [table, row, column] = this.weight;
      this.send([this.data.frames[this.near], this.sentence, table, row, column].join("."));
    }, SETTLE);
  }

  // ------------------------------------------------------------------ what stays while it moves

  build() {
    const { tags, words, sentences } = this.data;
    const names = tags.map(({ name }) => name);
    const host = this.find(".maps");
    host.replaceChildren();
    const map = (table, rows, title) => {
      const pick = (i, j) => {
        this.weight = [table, i, j];
        this.tell();
        this.report();
      };
      return new Heat(host, { rows, columns: names, title, signed: true, narrow: names.length > 5, pick });
    };
    this.maps = [map("words", words, "Weight of a word with a tag"), map("tags", names, "Weight T of a tag (row) before a tag")];
    this.rows = sentences.map((sentence, b) => {
      const row = html("button", { type: "button" });
      const line = html("span", { class: "words" }, row);
      const marks = sentence.words.map((word) => html("small", {}, html("span", {}, line, word)));
      const bar = html("i", {}, html("span", { class: "bar", "aria-hidden": true }, row));
      const nllText = html("span", { class: "nll" }, row);
      row.onclick = () => {
        this.sentence = b;
        this.buildFlow();
        this.draw();
        this.report();
      };
      return Object.assign(row, { marks, bar, nllText });
    });
    this.find(".sentences").replaceChildren(...this.rows);
    this.buildCurve();
    this.buildFlow();
  }

  // Up to a factor of 1000 a plain axis; beyond, one by powers of ten.
  buildCurve() {
    const { total, each } = this.data;
    const stage = this.find(".curve");
    stage.replaceChildren();
    this.wide = Math.max(stage.clientWidth, 240);
    const what = this.data.perceptron ? "Wrong tags" : this.data.penalty ? "−L of the corpus" : "−log p of the corpus";
    put(stage, { viewBox: `0 0 ${this.wide} ${HIGH}`, "aria-label": `${what} over ${this.last} iterations` });
    this.find(".key .name").textContent = this.data.penalty ? "−L, with the penalty" : "all sentences";
    const top = Math.max(...total, 1e-9);
    const byPowers = top > 50 * Math.max(total[0], 1);
    const height = (value) => (byPowers ? Math.log10(1 + value) / Math.log10(1 + top) : value / top);
    this.x = (n) => LEFT + ((this.wide - LEFT - RIGHT) * n) / Math.max(this.last, 1);
    this.y = (value) => HIGH - BOTTOM - (HIGH - BOTTOM - 8) * Math.min(height(value), 1);
    const path = (values) => "M" + values.map((v, k) => `${this.x(this.data.steps[k]).toFixed(1)} ${this.y(v).toFixed(1)}`).join("L");
    svg("line", { class: "axis", x1: LEFT, x2: this.wide - RIGHT, y1: this.y(0), y2: this.y(0) }, stage);
    for (const [value, anchor] of [[top, 8], [0, HIGH - BOTTOM]])
      svg("text", { x: LEFT - 6, y: anchor + 4, "text-anchor": "end" }, stage, value >= 1e4 ? powerText(value) : value ? value.toFixed(value < 10 ? 1 : 0) : "0");
    svg("text", { x: LEFT, y: HIGH - 4 }, stage, "0");
    svg("text", { x: this.wide - RIGHT, y: HIGH - 4, "text-anchor": "end" }, stage, `iteration ${this.last}`);
    this.lines = each.map((values, b) => svg("path", { class: `each ${b === this.sentence ? "chosen" : ""}`, d: path(values) }, stage));
    svg("path", { class: "whole", d: path(total) }, stage);
    this.now = svg("line", { class: "now", y1: 4, y2: HIGH - BOTTOM }, stage);
    this.dot = svg("circle", { r: 4.5 }, stage);
  }

  buildFlow() {
    const { words, gold } = this.data.sentences[this.sentence];
    const stage = this.find(".flow");
    stage.replaceChildren();
    const whole = (words.length - 1) * COLUMN + WIDTH + 2 * EDGE;
    const tall = HEAD + TALL + 6;
    put(stage, { width: whole, height: tall, viewBox: `0 0 ${whole} ${tall}` });
    const colour = (s) => `rgb(${this.data.tags[s].colour})`;
    const S = this.data.tags.length;
    this.bands = words.slice(1).map(() => Array.from({ length: S * S }, (_, k) => svg("path", { class: "ribbon", fill: colour(Math.floor(k / S)) }, stage)));
    this.blocks = words.map((word, t) => {
      svg("text", { class: "word", x: EDGE + t * COLUMN + WIDTH / 2, y: 20 }, stage, clipped(word, 13));
      return this.data.tags.map((tag, s) => {
        const box = svg("rect", { x: EDGE + t * COLUMN, width: WIDTH, fill: colour(s) }, stage);
        const label = svg("text", { class: "label", x: EDGE + t * COLUMN + WIDTH / 2, style: `fill: ${inkOn(tag.colour)}` }, stage);
        return { box, label };
      });
    });
    this.rings = gold.map((_, t) => svg("rect", { class: "right", x: EDGE + t * COLUMN + 1, width: WIDTH - 2, rx: 2 }, stage));
    this.lines.forEach((line, b) => line.classList.toggle("chosen", b === this.sentence));
    this.rows.forEach((row, b) => row.setAttribute("aria-pressed", b === this.sentence));
  }

  // ------------------------------------------------------------------ what moves

  buttons() {
    this.find(".play").classList.toggle("playing", this.playing);
    this.find(".play").setAttribute("aria-label", this.playing ? "Pause" : "Play");
    for (const name of [".first", ".back"]) this.find(name).disabled = this.at <= 0;
    this.find(".on").disabled = this.at >= this.frames - 1;
  }

  // A number of the frame that is shown: between two frames their mean.
  between(of) {
    const low = Math.floor(this.at);
    const share = this.at - low;
    const first = of(low);
    return share ? mixed(first, of(low + 1), share) : first;
  }

  draw() {
    const { data, near } = this;
    const n = data.frames[near];
    const k = data.steps.indexOf(n);
    this.buttons();
    this.slider.value = near;
    this.slider.setAttribute("aria-valuetext", `iteration ${n}`);
    this.find("output").textContent = `iteration ${n} of ${this.last}`;
    const weights = this.between((f) => [data.weights[f], data.transitions[f]]);
    const top = Math.max(1, ...weights.flat(2).map(Math.abs));
    this.maps.forEach((map, k) => map.show(weights[k], top, 1));
    const x = this.x(this.between((f) => data.frames[f]));
    put(this.now, { x1: x, x2: x });
    put(this.dot, { cx: x, cy: this.y(this.between((f) => data.total[data.steps.indexOf(data.frames[f])])) });
    this.find(".curve-title").textContent = `${this.height(k)}  ·  ‖${data.perceptron ? "update" : "gradient"}‖ ${small(data.norms[k])}  ·  ‖weights‖ ${small(data.lengths[k])}`;
    const most = Math.max(1e-9, ...data.each.map((values) => values[k]));
    const scale = Math.max(most, Math.min(data.total[0] / data.each.length, 1e9));
    this.rows.forEach((row, b) => {
      const { gold, words } = data.sentences[b];
      data.decoded[near][b].forEach((s, t) => {
        const mark = row.marks[t];
        if (mark.textContent !== data.tags[s].name) mark.textContent = data.tags[s].name;
        mark.style.setProperty("--tag", data.tags[s].colour);
        mark.classList.toggle("wrong", s !== gold[t]);
        mark.title = s === gold[t] ? "right" : `should be ${data.tags[gold[t]].name}`;
      });
      row.bar.style.width = `${Math.min(100, (100 * data.each[b][k]) / scale)}%`;
      const measure = data.perceptron ? `${data.each[b][k]} wrong` : small(data.each[b][k]);
      row.nllText.textContent = measure;
      row.setAttribute("aria-label", `${words.join(" ")}: ${data.decoded[near][b].map((s) => data.tags[s].name).join(" ")}, ${data.perceptron ? "" : "−log p "}${measure}`);
    });
    this.drawFlow();
    this.tell();
  }

  // What the curve shows after k iterations, in words.
  height(k) {
    const { each, lengths, penalty, perceptron, total } = this.data;
    if (perceptron) return `Wrong tags: ${total[k]}`;
    const nll = each.reduce((sum, values) => sum + values[k], 0);
    if (!penalty) return `−log p of the corpus: ${small(total[k])}`;
    const pull = (penalty / 2) * lengths[k] ** 2;
    return `−L = −log p + λ/2 ‖w‖² = ${small(nll)} + ${small(pull)} = ${small(total[k])}`;
  }

  drawFlow() {
    const b = this.sentence;
    const { gold, words } = this.data.sentences[b];
    const [marginals, pairs] = this.between((f) => [this.data.marginals[f][b], this.data.pairs[f][b]]);
    const stacks = marginals.map((column) => stacked(column, TALL));
    stacks.forEach((stack, t) =>
      stack.forEach((place, s) => {
        const { box, label } = this.blocks[t][s];
        put(box, { y: place.y, height: Math.max(place.height, 0) });
        put(label, { y: place.y + place.height / 2 + 4 });
        label.textContent = place.height > 15 ? `${isolated(clipped(this.data.tags[s].name, 5))}${place.height > 22 && marginals[t][s] < 0.995 ? " " + marginals[t][s].toFixed(2).slice(1) : ""}` : "";
        if (s === gold[t]) put(this.rings[t], { y: place.y + 1, height: Math.max(place.height - 2, 0) });
      }),
    );
    pairs.forEach((matrix, t) => {
      const S = matrix.length;
      const ribbons = matrix.flatMap((row, a) => row.map((p, c) => ({ a, b: c, p })));
      const named = (stack) => stack.map((place, s) => [s, { ...place }]);
      const drawn = bands(ribbons, named(stacks[t]), named(stacks[t + 1]), TALL);
      const left = EDGE + t * COLUMN + WIDTH;
      drawn.forEach((band, k) => {
        const path = this.bands[t][ribbons[k].a * S + ribbons[k].b];
        path.setAttribute("d", ribbons[k].p > 0.001 ? bandPath(left, left + COLUMN - WIDTH, band) : "");
      });
    });
    const nll = this.data.each[b][this.data.steps.indexOf(this.data.frames[this.near])];
    const said = this.data.perceptron ? "" : `, p = ${probabilityText(nll)}`;
    this.find(".flow-title").textContent = `${this.data.perceptron ? "Viterbi’s path" : "Expected flow"} of “${isolated(words.join(" "))}”; outlined: the right tags${said}`;
    this.find(".flow").setAttribute("aria-label", this.find(".flow-title").textContent);
  }

  // The chosen weight: every place where it is used, what is observed there and what is expected.
  tell() {
    const { data, near } = this;
    const [table, i, j] = this.weight;
    const isWord = table === "words";
    this.maps.forEach((map, k) => map.choose(...(isWord === !k ? [i, j] : [-1, -1])));
    const name = isWord ? `w[${data.words[i]}, ${data.tags[j].name}]` : `T[${data.tags[i].name}, ${data.tags[j].name}]`;
    const weight = (isWord ? data.weights : data.transitions)[near][i][j];
    const uses = [];
    let [observed, expected] = [0, 0];
    data.sentences.forEach(({ of, gold, words }, b) =>
      of.forEach((word, t) => {
        if (isWord ? word !== i : t === 0) return;
        const seen = isWord ? gold[t] === j : gold[t - 1] === i && gold[t] === j;
        const p = isWord ? data.marginals[near][b][t][j] : data.pairs[near][b][t - 1][i][j];
        observed += Number(seen);
        expected += p;
        (uses[b] ??= []).push(`${isWord ? "" : `${words[t - 1]} `}${words[t]} ${seen ? 1 : 0} − ${data.perceptron ? p : p.toFixed(2)}`);
      }),
    );
    const shown = Object.entries(uses).map(([b, list]) => `${Number(b) + 1}: ${list.join(", ")}`);
    const penalty = data.penalty * weight;
    const slope = observed - expected - penalty;
    const minus = data.penalty ? ` − λ·weight ${penalty < 0 ? `(${signedText(penalty)})` : penalty.toFixed(2)}` : "";
    const subtracted = data.perceptron ? `Viterbi’s ${expected}` : `expected ${expected.toFixed(2)}`;
    const begins = data.frames[near] ? "" : `${data.place.begins} `;
    const told = isolated(`${begins}${name} = ${signedText(weight)}. Its ${data.perceptron ? "update" : "gradient"}: observed ${observed} − ${subtracted}${minus} = ${signedText(slope, data.perceptron ? 0 : 2)}. Used in sentence ${shown.join("; ") || "none"}.`);
    const line = this.find(".told");
    if (line.textContent !== told) line.textContent = told;
  }
}

function mixed(a, b, share) {
  return Array.isArray(a) ? a.map((part, k) => mixed(part, b[k], share)) : a + share * (b - a);
}

// exp(−nll) with three digits; near 1, with two of what is missing to it; 1 only where nothing is.
function probabilityText(nll) {
  const [p, missing] = [Math.exp(-nll), -Math.expm1(-nll)];
  if (p === 0 || missing === 0) return String(p);
  if (missing < 1e-9) return "1 − 10⁻⁹ or more";
  if (missing < 0.0005) return p.toFixed(Math.min(1 + Math.ceil(-Math.log10(missing)), 9)).replace(/0+$/, "");
  return p >= 0.001 ? p.toPrecision(3) : powerText(p);
}

function small(value) {
  return value === 0 || (value >= 0.01 && value < 1e4) ? value.toPrecision(3) : powerText(value);
}
