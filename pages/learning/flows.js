// One sentence: what is observed, less what is expected, is the difference, all on one scale; and the slope of log p.

import { FlowDrawing } from "../../crf/figures/flow/columns.js";
import { hatching } from "../../crf/figures/flow/hatching.js";
import { SANS, numberOf, widthOf } from "../../crf/figures/flow/labels.js";
import { everyRibbon } from "../../crf/figures/flow/layout.js";
import { Reach } from "../../crf/figures/flow/reach.js";
import { filledText, put, svg } from "../../crf/figures/shared/dom.js";

const LITTLE = 0.005; // a difference below this has no label
const LEAST = 0.0005; // what is less is not drawn
const SMALLEST = 12; // px of a label

// Where things are: the columns, and the three rows, of which one unit is equally high.
function layout({ canvas, width, height, k, phone, presents, picture, now, words: texts }, reach) {
  const { tokens } = picture;
  const left = phone ? 14 : Math.max(158 * k, 46 * k + besideRows(texts, canvas.root, k) + 10 * k);
  const beside = phone ? 84 : (presents ? 160 : 190) * k; // of the loss
  const room = width - left - beside;
  const share = phone ? 0.7 : presents ? 0.5 : 0.54; // of a column in its pitch
  const pitch = Math.max(room / Math.max(tokens.length - 1 + share, 1), phone ? 50 : 66 * k);
  const wide = Math.min(pitch * share, 150 * k);
  const last = left + pitch * (tokens.length - 1) + wide;
  const words = 40 * k;
  const names = phone ? 20 * k : 0;
  const gap = 18 * k;
  const unit = Math.max((height - words - 3 * names - 2 * gap - 8) / (2 + 2 * reach), 24);
  const observed = words + names;
  const expected = observed + unit + gap + names;
  const axis = expected + unit + gap + names + reach * unit;
  return {
    left,
    pitch,
    wide,
    last,
    words,
    unit,
    observed,
    expected,
    axis,
    x: (t) => left + pitch * t,
    whole: Math.max(width, last + beside),
    now,
  };
}

// How wide what is called beside the rows is.
function besideRows(words, root, k) {
  const heading = getComputedStyle(root).getPropertyValue("--crf-heading-font");
  const names = ["observed", "expected", "difference"].map(
    (name) => 19 * k * widthOf(words[`word-${name}`], 700, heading),
  );
  const about = ["observed-about", "expected-about", "raise", "lower"];
  return Math.max(...names, ...about.map((name) => 14.2 * k * widthOf(words[`word-${name}`], 400, SANS)));
}

export class Flows {
  host;
  reach = 0.36;
  drawings = {};
  shown = {}; // by drawing: what has had a block since these words came, so that it keeps its place while others move
  sentence = "";

  constructor(host) {
    this.host = host;
  }

  draw(frame) {
    const { canvas, picture, now, k, width, least, phone } = frame;
    const { tokens, tags, right } = picture;
    const sentence = JSON.stringify([tokens, tags]);
    if (sentence !== this.sentence) Object.assign(this, { sentence, shown: {} });
    for (const { svg: part } of Object.values(this.drawings)) part.style.display = "none";
    if (!now.marginals) return this.empty(frame);
    const sums = now.difference.map((column) => column.reduce((sum, value) => sum + Math.max(value, 0), 0));
    const steps = now.pair_difference.map((pairs) => pairs.reduce((sum, [, , value]) => sum + Math.max(value, 0), 0));
    this.reach = Math.max(0.36, ...sums, ...steps);
    const at = layout(frame, this.reach);
    canvas.root.setAttribute("width", at.whole);
    for (const [t, token] of tokens.entries()) {
      const size = Math.min((phone ? 21 : 26) * k, (at.pitch * 0.92) / Math.max(widthOf(token, 700, SANS), 0.1));
      canvas.text(`word ${t}`, at.x(t) + at.wide / 2, at.words * 0.48, token, size, { class: "word" });
    }
    this.rowNames(frame, at);
    const lefts = tokens.map((_, t) => at.x(t));
    const letters = [least || SMALLEST * Math.max(k, 1), 18.5 * k];
    const columns = { top: at.observed, height: at.unit, lefts, wide: at.wide, letters };
    const correct = right.map((tag) => new Map([[tag, 1]]));
    const sure = right.slice(1).map((tag, t) => [[right[t], tag, 1]]);
    this.flow(frame, "observed", columns, correct, sure);
    const expected = now.marginals.map((column) => new Map(column.entries()));
    this.flow(frame, "expected", { ...columns, top: at.expected }, expected, now.pairs);
    this.difference(frame, at);
    this.loss(frame, at);
    this.steps(frame);
    if (width < at.whole) canvas.root.setAttribute("width", at.whole);
  }

  // Impossible: columns without blocks.
  empty({ canvas, picture, k, width, height, controls }) {
    controls.clear();
    if (!canvas.root.querySelector("#never"))
      hatching(svg("defs", {}, canvas.layers.back), "never", 14, "currentColor", 1.6);
    const pitch = (width - 80 * k) / picture.tokens.length;
    for (const [t, token] of picture.tokens.entries()) {
      const x = 40 * k + pitch * t;
      canvas.text(`word ${t}`, x + pitch / 2, 20 * k, token, 26 * k, { class: "word" });
      canvas.rect("bands", `none ${t}`, x + pitch * 0.2, 40 * k, pitch * 0.6, height - 60 * k, {
        class: "never",
        rx: 4,
      });
    }
  }

  rowNames({ canvas, words, k, phone }, at) {
    const rows = [
      ["observed", at.observed + at.unit / 2, "", "word-observed-about"],
      ["expected", at.expected + at.unit / 2, "−", "word-expected-about"],
      ["difference", at.axis, "=", ""],
    ];
    for (const [name, y, sign, about] of rows) {
      const own = words[`word-${name}`];
      if (phone) {
        const top = { observed: at.observed, expected: at.expected, difference: at.axis - this.reach * at.unit }[name];
        canvas.text(`name ${name}`, at.left, top - 12 * k, `${sign} ${own}`.trim(), 17 * k, { class: "name start" });
        continue;
      }
      canvas.text(`name ${name}`, 46 * k, y - (about ? 9 * k : 0), own, 19 * k, { class: "name start" });
      if (about) canvas.text(`about ${name}`, 46 * k, y + 13 * k, words[about], 14.2 * k, { class: "about start" });
      if (sign) canvas.text(`sign ${name}`, 26 * k, y - (about ? 9 * k : 0), sign, 26 * k, { class: "name" });
    }
    if (phone) return;
    canvas.text("raise", 46 * k, at.axis - 25 * k, words["word-raise"], 14.2 * k, { class: "about start" });
    canvas.text("lower", 46 * k, at.axis + 25 * k, words["word-lower"], 14.2 * k, { class: "about start" });
  }

  // A drawing of this name; a press on a block calls `press(t, key)`.
  drawingOf(name, canvas, press) {
    const made = (this.drawings[name] ??= new FlowDrawing(
      svg("svg", { class: `row ${name}` }, svg("g", {}, canvas.layers.blocks)),
    ));
    made.svg.onmousedown = (event) => event.preventDefault(); // after a click → still leads on
    made.press = press;
    made.ways ??= new Reach(
      made,
      (block) => block && made.press(block.t, this.shown[name][block.t][block.k]),
      () => null,
    );
    return made;
  }

  // Draw columns of values by key (a tag, or a pair): those that have ever had a block here. `tagOf(t, key)`: how the block
  // is drawn and called.
  columns({ canvas, picture }, name, { top, height, lefts, wide, ...at }, values, tagOf, press, more = {}) {
    const before = this.shown[name] ?? values.map(() => []);
    const shown = values.map((column, t) => {
      const large = [...column].filter(([, value]) => Math.abs(value) >= LEAST).map(([key]) => key);
      return [...new Set([...before[t], ...large])].sort((a, b) => a - b);
    });
    this.shown[name] = shown;
    const drawing = this.drawingOf(name, canvas, press);
    const kept = drawing.blockOf(canvas.root.getRootNode().activeElement);
    put(drawing.svg, { y: top, style: "" });
    const { chosen, kind, ribbons, path } = more;
    const columns = shown.map((keys, t) => ({
      text: picture.tokens[t],
      tags: keys.map((key) => tagOf(t, key)),
      pressed: chosen && [...keys.keys()].filter((k) => chosen(t, keys[k])),
      kind,
    }));
    drawing.layout(height, { lefts, widths: lefts.map(() => wide), ...at }, columns, {}, SANS);
    const flat = ribbons?.flatMap((gap, t) => everyRibbon([shown[t], shown[t + 1]], gap));
    const blocks = shown.flatMap((keys, t) => keys.map((key) => values[t].get(key) ?? 0));
    drawing.draw({ blocks, ribbons: flat, path });
    drawing.ways.settle(kept && { t: kept.t, name: kept.name }, flat);
    return drawing;
  }

  // The flow of what is observed, or of what is expected: a press declares a tag correct.
  flow(frame, name, columns, values, ribbons) {
    const { picture, words } = frame;
    const { tags, tokens, right } = picture;
    const called = (s) => (name === "observed" ? (s + 1) % tags.length : s);
    if (name === "observed") this.shown[name] = null; // one block a column
    const tagOf = (t, s) => ({
      name: tags[s].name,
      colour: tags[s].hue,
      says: filledText(words["word-call-right"], { word: tokens[t], tag: tags[called(s)].name }),
    });
    const press = (t, s) => {
      const tag = called(s);
      if (right[t] !== tag) this.host.set("right", right.map((one, i) => (i === t ? tag : one)).join("."));
    };
    const path = name === "observed" ? right.map(() => 0) : [];
    this.columns(frame, name, columns, values, tagOf, press, { ribbons, path });
  }

  // Observed − expected, up where it is positive: tags in the columns, steps between them.
  difference(frame, at) {
    const { canvas, picture, now, words, k, least } = frame;
    const { tags, tokens } = picture;
    canvas.path("lines", "axis", `M${at.left - 8 * k} ${at.axis}H${at.last + 8 * k}`, { class: "axis" });
    const axis = this.reach * at.unit;
    const room = { top: at.axis - axis, height: 2 * axis, unit: at.unit, axis };
    // Letters: the largest in which name and number stand side by side.
    const sizes = (wide, texts, most) => {
      const fits = texts.map((text) => (wide - 8) / widthOf(text, 650, SANS));
      const size = Math.max(Math.min(most, ...fits), least || SMALLEST);
      return [Math.min(size, least || SMALLEST), size];
    };
    const large = (column) => [...column].filter(([, value]) => Math.abs(value) >= LITTLE);
    const own = now.difference.map((column) => new Map(column.entries()));
    const texts = own.flatMap((column) =>
      large(column).map(([s, value]) => `${tags[s].name} ${numberOf(value, true)}`),
    );
    const ofTags = {
      ...room,
      lefts: tokens.map((_, t) => at.x(t)),
      wide: at.wide,
      letters: sizes(at.wide, texts, 17.5 * k),
    };
    const tagOf = (t, s) => ({ name: tags[s].name, colour: tags[s].hue, says: `${tokens[t]}, ${tags[s].name}` });
    const scoreOf = (t, s) => `e.${t}.${s}`;
    this.rows(frame, "tags", ofTags, own, tagOf, scoreOf);
    for (const [t, column] of own.entries())
      if (!large(column).length)
        canvas.text(`zero ${t}`, at.x(t) + at.wide / 2, at.axis - 12 * k, "0", 16 * k, { class: "about" });

    if (tokens.length < 2) return;
    const S = tags.length; // the pair of tags a, b has the key a · S + b
    const pairs = now.pair_difference.map((gap) => new Map(gap.map(([a, b, value]) => [a * S + b, value])));
    const of = (key) => [tags[Math.floor(key / S)].name, tags[key % S].name];
    const pairTexts = pairs.flatMap((gap) => large(gap).map(([key]) => of(key).join(" ")));
    const wide = at.pitch - at.wide;
    const ofPairs = {
      ...room,
      lefts: pairs.map((_, t) => at.x(t) + at.wide),
      wide,
      letters: sizes(wide, pairTexts, 14.6 * k),
    };
    const pairOf = (t, key) => {
      const says = filledText(words["word-follow"], { score: of(key).join(" → ") });
      return { name: of(key).join(" "), of: of(key), colour: tags[Math.floor(key / S)].hue, says };
    };
    const stepOf = (t, key) => [picture.per_step ? `t.${t}` : "t", Math.floor(key / S), key % S].join(".");
    this.rows(frame, "pairs", ofPairs, pairs, pairOf, stepOf, "faint");
    if (frame.phone) this.pairName(frame, at, pairs, of, stepOf);
  }

  // On a phone a pair has no room for its name: the chosen one's stands beside the row's name.
  pairName({ canvas, picture, words, k }, at, pairs, of, stepOf) {
    const shown = this.shown.pairs;
    const t = shown.findIndex((keys, t) => keys.some((key) => stepOf(t, key) === picture.score));
    const key = shown[t]?.find((key) => stepOf(t, key) === picture.score);
    if (key === undefined) return;
    const [size, y] = [15 * k, at.axis - this.reach * at.unit - 12 * k];
    const name = `${of(key).join(" → ")} ${numberOf(pairs[t].get(key) ?? 0, true)}`.trim();
    const half = (widthOf(name, 600, SANS) * size) / 2;
    const clear = at.left + widthOf(`= ${words["word-difference"]}`, 700, SANS) * 19 * k + 8 * k + half;
    const x = Math.max(at.x(t) + (at.pitch + at.wide) / 2, clear);
    canvas.text("pair name", x, y, name, size, { class: "value" });
  }

  // A row of differences: a press chooses a score, which has a frame.
  rows(frame, name, at, values, tagOf, scoreOf, kind = "") {
    const { canvas, picture } = frame;
    const chosen = (t, key) => scoreOf(t, key) === picture.score;
    const press = (t, key) => this.host.set("score", scoreOf(t, key));
    const { blocks } = this.columns(frame, name, at, values, tagOf, press, { chosen, kind });
    for (const { t, k, y, high } of blocks)
      if (high >= 14 && chosen(t, this.shown[name][t][k]))
        canvas.rect("lines", `chosen ${name} ${t}`, at.lefts[t], at.top + y, at.wide, high, { rx: 3, class: "chosen" });
  }

  // The loss as a vessel; the dotted line is where the next step leads.
  loss({ canvas, now, words, k, width, height, phone, view }, at) {
    const wide = phone ? 24 : 50 * k;
    const x = Math.max(width, at.whole) - (phone ? 70 : 146 * k);
    const top = at.observed;
    const bottom = height - (phone ? 60 : view.beat === "counts" ? 74 * k : 168 * k);
    const most = Math.max(now.top, now.loss, now.ahead) * 1.14 || 1;
    const y = (loss) => bottom - ((bottom - top) * Math.min(loss, most)) / most;
    canvas.text("loss", x + (phone ? 0 : wide / 2), at.words * 0.48, words["word-loss"], (phone ? 15 : 18) * k, {
      class: phone ? "heading start" : "heading",
    });
    canvas.rect("back", "vessel", x, top, wide, bottom - top, { rx: 9, class: "vessel" });
    canvas.rect("back", "level", x, y(now.loss), wide, bottom - y(now.loss), { rx: 7, class: "level" });
    canvas.text("level", x + wide + 8, y(now.loss), now.losses[0], (phone ? 17 : 19) * k, { class: "value start" });
    if (now.loss > 0.004 && Math.abs(y(now.ahead) - y(now.loss)) > 16 * k) {
      canvas.path("lines", "ahead", `M${x} ${y(now.ahead)}h${wide}`, { class: "ahead" });
      const ahead = phone ? now.losses[1] : filledText(words["word-ahead"], { loss: now.losses[1] });
      canvas.text("ahead", x + wide + 8, y(now.ahead), ahead, (phone ? 15 : 16) * k, { class: "about start" });
    }
  }

  steps({ controls, picture, now, words, view }) {
    if (view.beat === "step")
      controls.number("rate", words["word-size"], picture.rate, (text) => this.host.set("rate", text));
    controls.button("one", words["word-one-step"], () =>
      view.beat === "counts" && now.step ? this.host.open("step") : this.host.go(view.picture.now.step + 1),
    );
    if (view.beat === "step")
      controls.button("five", words["word-five-steps"], () => this.host.go(view.picture.now.step + 5));
    else controls.drop("five", "rate");
    controls.parts.one.disabled = view.beat === "step" && now.step >= now.of - 1;
    if (controls.parts.five) controls.parts.five.disabled = now.step >= now.of - 1;
  }
}

// log p and the loss, while one score moves: mirror images, with the slope at the dot.
export class Slope {
  host;
  at;

  constructor(host, root) {
    this.host = host;
    const drag = (event) => {
      if (!this.at || (event.type === "pointermove" && !(event.buttons & 1))) return;
      this.move(event.clientX - root.getBoundingClientRect().left);
    };
    const svgRoot = root.querySelector("svg");
    svgRoot.onpointerdown = (event) => {
      svgRoot.setPointerCapture(event.pointerId);
      drag(event);
    };
    svgRoot.onpointermove = drag;
    this.stop = () => Object.assign(svgRoot, { onpointerdown: null, onpointermove: null });
  }

  move(x) {
    const { left, right, moves, step } = this.at;
    const value = moves[0] + ((x - left) / (right - left)) * (moves.at(-1) - moves[0]);
    const nearest = moves.reduce(
      (best, move, i) => (Math.abs(move - value) < Math.abs(moves[best] - value) ? i : best),
      0,
    );
    if (nearest !== step) this.host.go(nearest);
  }

  draw({ canvas, picture, now, words, k, width, height, phone }) {
    const { points, moves, name } = picture;
    if (!points.length) return;
    const [left, right] = phone ? [54, width - 54] : [190 * k, width - 190 * k];
    const [top, bottom] = [16 * k, height - 42 * k];
    const most = Math.max(...points.map(([, y]) => -y), 0.1) * 1.06;
    const x = (value) => left + ((right - left) * (value - moves[0])) / (moves.at(-1) - moves[0]);
    const y = (value) => (top + bottom) / 2 - ((bottom - top) / 2) * (value / most);
    this.at = { left, right, moves, step: now.step };
    canvas.path("back", "zero", `M${left} ${y(0)}H${right}`, { class: "axis" });
    canvas.text("zero", left - 12, y(0), "0", 16 * k, { class: "about end" });
    const line = (sign) =>
      points.map(([px, py], i) => `${i ? "L" : "M"}${x(px).toFixed(1)} ${y(sign * py).toFixed(1)}`).join("");
    for (const { sign, part, label } of [
      { sign: 1, part: "log-p", label: "word-log-p" },
      { sign: -1, part: "minus", label: "word-minus" },
    ]) {
      canvas.path("bands", part, line(sign), { class: `curve ${part}` });
      const falls = points[0][1] > points.at(-1)[1];
      const [, far] = points[falls ? points.length - 1 : 0];
      canvas.text(
        `${part} name`,
        falls ? right - (right - left) * 0.2 : left + (right - left) * 0.2,
        y(sign * far) + (sign > 0 ? -8 : 8) * k,
        words[label],
        20 * k,
        { class: `name ${falls ? "end" : "start"}` },
      );
      this.tangent(canvas, part, sign, { x, y, now, k, words, left, right, most });
    }
    canvas.path("lines", "now", `M${x(now.x)} ${y(now.log_p)}V${y(-now.log_p)}`, { class: "ahead" });
    for (const move of moves.filter((value) => Number.isInteger(value)))
      canvas.text(
        `move ${move}`,
        x(move),
        bottom + 18 * k,
        move > 0 ? `+${move}` : String(move).replace("-", "−"),
        15 * k,
        { class: "about" },
      );
    canvas.text("moved", (left + right) / 2, bottom + 33 * k, filledText(words["word-moved"], { name }), 15 * k, {
      class: "about",
    });
  }

  tangent(canvas, part, sign, { x, y, now, k, words, left, right, most }) {
    const reach = 1.1;
    const ends = [-reach, reach].map((by) => [x(now.x + by), y(sign * (now.log_p + now.slope * by))]);
    canvas.path("lines", `${part} slope`, `M${ends[0].join(" ")}L${ends[1].join(" ")}`, { class: "tangent" });
    canvas.part("front", `${part} dot`, "circle", { cx: x(now.x), cy: y(sign * now.log_p), r: 11 * k, class: "dot" });
    const [tx, ty] = [x(now.x), y(sign * now.log_p)];
    const before = now.slope < 0 ? tx > left + 130 * k : tx > right - 130 * k; // where the tangent is not
    const away = sign > 0 ? 1 : -1; // below log p, above the loss
    canvas.text(
      `${part} told`,
      tx + (before ? -18 : 18) * k,
      Math.min(Math.max(ty + away * 30 * k, 20 * k), y(-most) - 4 * k),
      filledText(words["word-slope-of"], { slope: now.texts[sign > 0 ? "up" : "down"] }),
      19 * k,
      { class: `value ${before ? "end" : "start"}` },
    );
  }
}
