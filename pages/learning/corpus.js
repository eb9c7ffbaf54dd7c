// Several sentences: their likelihood in lines, one weight with its pulls from all places, and methods beside each other.

import { SANS, widthOf } from "../../crf/figures/flow/labels.js";
import { filledText, isolated } from "../../crf/figures/shared/dom.js";

const fit = (text, most, room) => Math.min(most, room / Math.max(widthOf(text, 600, SANS), 0.1));
const SERIF = 1.15; // how much wider a heading's letters are

// A word's right tag as a vessel that is filled by the tag's probability.
function vessel(canvas, key, x, y, wide, high, p, attributes) {
  canvas.rect("back", `${key} body`, x, y, wide, high, { rx: 7, class: "vessel" });
  canvas.rect("back", `${key} level`, x, y + high * (1 - p), wide, high * p, { rx: 5, class: "level", "data-p": p });
  return canvas.rect("blocks", key, x, y, wide, high, { rx: 7, ...attributes });
}

export class Likelihood {
  host;

  constructor(host) {
    this.host = host;
  }

  draw({ canvas, picture, now, words, k, width, height, phone }) {
    const { rows, tags, totals } = picture;
    const left = phone ? 14 : 40 * k;
    const head = 34 * k;
    const pitch = Math.min((height - head - 64 * k) / rows.length, 62 * k);
    const names = phone ? width * 0.4 : width * 0.3;
    const columns = [0, 1, 2].map(
      (c) =>
        left + names + (width - left - names - (phone ? 10 : 60 * k)) * (phone ? [0, 0.34, 0.7] : [0, 0.3, 0.72])[c],
    );
    const ends = columns.map((x, c) => (columns[c + 1] ?? width - (phone ? 6 : 50 * k)) - (phone ? 6 : 40 * k));
    const foot = head + pitch * rows.length + 8 * k;
    const most = Math.max(...rows.map(({ p }) => -Math.log(Math.max(p, 1e-9))), 0.05);
    for (const [b, { tokens, gold, p, texts }] of rows.entries()) {
      const y = head + pitch * (b + 0.5);
      const each = Math.min((names - 10 * k) / tokens.length, 104 * k);
      for (const [t, token] of tokens.entries()) {
        canvas.text(`word ${b} ${t}`, left + each * t, y - 9 * k, token, fit(token, 20 * k, (each - 6) / SERIF), {
          class: "name start",
        });
        canvas.text(
          `tag ${b} ${t}`,
          left + each * t,
          y + 12 * k,
          tags[gold[t]].name,
          fit(tags[gold[t]].name, 14.2 * k, each - 6),
          { class: "about start" },
        );
      }
      const [high, wide] = [Math.min(pitch * 0.62, 34 * k), phone ? 22 : 64 * k];
      vessel(canvas, `p ${b}`, columns[0], y - high / 2, wide, high, p, { class: "frame" });
      canvas.text(`p ${b} told`, columns[0] + wide + 10 * k, y, texts[0], 19 * k, { class: "value start" });
      if (now.line >= 1)
        canvas.text(`log ${b}`, columns[1], y, phone ? texts[1].split(" = ")[1] : texts[1], 18 * k, {
          class: "line start",
        });
      if (now.line >= 2) {
        const bar = ((ends[2] - columns[2] - 60 * k) * -Math.log(Math.max(p, 1e-9))) / most;
        canvas.rect("blocks", `loss ${b}`, columns[2], y - high / 2, bar, high, { rx: 4, class: "bar" });
        canvas.text(`loss ${b} told`, columns[2] + bar + 10 * k, y, texts[2], 19 * k, { class: "value start" });
      }
    }
    canvas.path("lines", "sum", `M${left} ${foot}H${ends[Math.min(now.line, 2)]}`, { class: "axis" });
    for (const c of [0, 1, 2]) {
      if (c > now.line) continue;
      const isNow = c === Math.min(now.line, 2);
      const name = words[`word-line-${c}`];
      canvas.text(`head ${c}`, columns[c], head / 2, phone ? name.split(" = ")[0] : name, 17 * k, {
        class: `heading start ${isNow ? "now" : ""}`,
      });
      canvas.text(`sign ${c}`, columns[c] - 16 * k, foot + 26 * k, words[`word-total-${c}`], 20 * k, {
        class: "about",
      });
      canvas.text(`total ${c}`, columns[c], foot + 26 * k, totals[c], 23 * k, {
        class: `value start ${isNow && now.line < 3 ? "now" : ""}`,
      });
    }
    if (now.line < 3) return;
    const x = columns[2] + 92 * k;
    canvas.text(
      "mean",
      x,
      foot + 26 * k,
      `${filledText(words["word-total-3"], { n: rows.length })} = ${totals[3]}`,
      23 * k,
      { class: "value start now" },
    );
  }
}

export class Corpus {
  host;
  at;
  timer;
  dragging = false;

  constructor(host, root) {
    this.host = host;
    this.svg = root.querySelector("svg");
    this.root = root;
    this.svg.onpointerdown = (event) => {
      const box = this.svg.getBoundingClientRect();
      if (!this.at || event.clientY - box.top < this.at.top) return;
      this.pause();
      this.dragging = true;
      this.svg.setPointerCapture(event.pointerId);
      this.scrub(event.clientX - box.left);
    };
    this.svg.onpointermove = (event) => {
      if (this.dragging) this.scrub(event.clientX - this.svg.getBoundingClientRect().left);
    };
    this.svg.onpointerup = this.svg.onpointercancel = () => {
      this.dragging = false;
      this.root.classList.remove("drags");
    };
  }

  stop() {
    this.pause();
    this.root.classList.remove("drags");
    Object.assign(this.svg, { onpointerdown: null, onpointermove: null, onpointerup: null, onpointercancel: null });
  }

  pause() {
    clearTimeout(this.timer);
    this.timer = null;
  }

  play() {
    if (this.timer) return this.pause();
    const { step, of } = this.now;
    if (step >= of - 1) this.host.go(0);
    this.timer = setTimeout(() => this.next(), 300);
  }

  next() {
    const { step, of } = this.now;
    if (step >= of - 1) return this.pause();
    this.host.go(step + 1);
    this.timer = setTimeout(() => this.next(), 300);
  }

  key(event) {
    const { step, of } = this.now;
    const to = {
      ArrowLeft: step - 1,
      ArrowDown: step - 1,
      ArrowRight: step + 1,
      ArrowUp: step + 1,
      Home: 0,
      End: of - 1,
    };
    if (!(event.key in to) || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    event.stopPropagation();
    this.pause();
    this.host.go(Math.min(Math.max(to[event.key], 0), of - 1));
  }

  scrub(x) {
    const { left, right, of } = this.at;
    this.root.classList.add("drags");
    const step = Math.round(Math.min(Math.max((x - left) / (right - left), 0), 1) * (of - 1));
    if (step !== this.now.step) this.host.go(step);
  }

  draw(frame) {
    this.now = frame.now;
    const { k, width, height, phone } = frame;
    const foot = height - (phone ? 148 : 74) * k;
    const place = { foot, middle: phone ? width - 14 : width * 0.47, table: phone ? null : width * 0.655 };
    this.sentences(frame, place);
    if (!phone) this.weights(frame, place);
    this.curve(frame, place);
    this.fields(frame);
  }

  // The sentences; places that pull are outlined, and a line runs from each to the weight.
  sentences({ canvas, picture, now, k, width, phone }, { foot, middle, table }) {
    const { sentences, tags } = picture;
    const longest = Math.max(...sentences.map(({ tokens }) => tokens.length));
    const left = phone ? 14 : 40 * k;
    const room = middle - left - (phone ? 0 : 40 * k);
    const pitch = Math.min(room / longest, 152 * k);
    const beside = pitch > 120 * k;
    const head = phone ? 0 : 24 * k; // room for the first pull's number
    const rows = Math.min((foot - head) / sentences.length, 68 * k);
    const wide = beside ? 74 * k : Math.min(pitch * 0.84, 74 * k);
    const high = Math.min(rows * (beside ? 0.6 : 0.42), 40 * k);
    const most = Math.max(rows * (beside ? 0.8 : 0.4), 1); // px of letters, where the picture is docked
    const pulls = new Map(now.pulls.map((one) => [`${one.sentence} ${one.token}`, one]));
    const target = table ? this.targetOf({ picture, k, foot, width, table }).y : foot / 2;
    const seen = {};
    for (const [b, { tokens, gold }] of sentences.entries()) {
      const y = head + rows * (b + 0.5) + (beside ? 0 : 8 * k);
      for (const [t, token] of tokens.entries()) {
        const pull = pulls.get(`${b} ${t}`);
        const x = left + pitch * t + (beside ? pitch - wide - 8 * k : 0);
        const size = fit(
          token,
          Math.min((beside ? 19 : 15) * k, most),
          (beside ? pitch - wide - 14 * k : pitch - 4) / SERIF,
        );
        if (beside)
          canvas.text(`word ${b} ${t}`, x - 8 * k, y, token, size, { class: `word end ${pull ? "pulls" : ""}` });
        else
          canvas.text(`word ${b} ${t}`, x + wide / 2, y - high / 2 - 9 * k, token, size, {
            class: `word ${pull ? "pulls" : ""}`,
          });
        const cell = vessel(canvas, `cell ${b} ${t}`, x, y - high / 2, wide, high, now.p[b][t], {
          class: `frame pressable ${pull ? "pulls" : ""}`,
          "data-token": t,
          "data-sentence": b,
          "data-tag": tags[gold[t]].name,
        });
        cell.onclick = () => this.host.set("weight", `w.${sentences[b].of[t]}.${gold[t]}`);
        const wrong = now.wrong[b][t];
        const tag = wrong ? `✗ ${wrong}` : tags[gold[t]].name;
        canvas.text(`tag ${b} ${t}`, x + wide / 2, y, tag, fit(tag, Math.min(15.5 * k, most), wide - 8), {
          class: `tag ${wrong ? "wrong" : ""} ${pull ? "pulls" : ""}`,
        });
        if (pull?.text && phone)
          canvas.text(`pull ${b} ${t} told`, x + wide / 2, y - high / 2 - 10 * k, pull.text, 16 * k, {
            class: "pull-told large",
          });
        if (!pull || phone) continue;
        const nth = (seen[b] = (seen[b] ?? -1) + 1);
        this.pull(canvas, { b, t, pull, x: x + wide / 2, y, high, nth, k, middle, target, table });
      }
    }
    if (phone) this.sumInLine(canvas, { picture, now, k, foot });
    else this.sum(canvas, { now, k, table, target });
  }

  pull(canvas, { b, t, pull, x, y, high, nth, k, middle, target, table }) {
    const over = nth % 2 === 0;
    const lane = y + (over ? -1 : 1) * (high / 2 + 8 * k + 4 * k * Math.floor(nth / 2));
    const size = pull.pull === undefined ? 2 : Math.max(Math.abs(pull.pull) * 24 * k, 1.5);
    const end = table - 118 * k;
    const half = (end - middle) / 2;
    const d = `M${x} ${y + (over ? -1 : 1) * (high / 2)}Q${x} ${lane} ${x + 10} ${lane}H${middle}C${middle + half} ${lane} ${middle + half} ${target} ${end} ${target}`;
    const away = pull.pull < 0 ? "away" : "";
    canvas.path("lines", `pull ${b} ${t}`, d, {
      class: `pull ${pull.text ? away : "asked"}`,
      "stroke-width": size,
      "data-pull": pull.pull ?? "",
    });
    if (pull.text)
      canvas.text(
        `pull ${b} ${t} told`,
        middle - 2 * k,
        lane - Math.max(size / 2, 1) - 9 * k,
        pull.text,
        (Math.abs(pull.pull) >= 0.2 ? 18 : 15) * k,
        { class: `pull-told end ${Math.abs(pull.pull) >= 0.2 ? "large" : ""}` },
      );
  }

  sum(canvas, { now, k, table, target }) {
    canvas.text("sum", table - 70 * k, target, now.sum || "?", 22 * k, { class: "value" });
    if (now.held) canvas.text("held", table - 70 * k, target + 24 * k, `−λw: ${now.held}`, 15 * k, { class: "about" });
    canvas.path(
      "lines",
      "arrow",
      `M${table - 36 * k} ${target}h${24 * k}m${-8 * k} ${-6 * k}l${8 * k} ${6 * k}l${-8 * k} ${6 * k}`,
      { class: "arrow" },
    );
  }

  // On a phone there is no table, only the weight and its pulls.
  sumInLine(canvas, frame) {
    this.inLine(canvas, frame, `  ←  ${frame.now.sum || "?"}`);
  }

  inLine(canvas, { picture, now, k, foot }, more = "") {
    const [letter, i, j] = picture.weight.split(".");
    const name = `${letter === "w" ? picture.names[i] : `${picture.tags[i].name} →`} ${picture.tags[j].name}`;
    const text = `${name} ${now.weights[letter === "w" ? 0 : 1][i][j]}${more}`;
    canvas.text("sum", 14, foot + 10 * k, text, 18 * k, { class: "value start" });
  }

  // Which rows of the two tables are drawn, and where; the followed one always.
  targetOf({ picture, k, foot, width, table }) {
    const { names, tags, weight } = picture;
    const [letter, i, j] = weight.split(".");
    const least = 25 * k;
    const head = 26 * k;
    const gap = 14 * k;
    const most = Math.max(Math.floor((foot - head - gap - 4 * k) / least) - tags.length, 1);
    const first = letter === "w" && Number(i) >= most ? Number(i) - most + 1 : 0;
    const shown = names.slice(first, first + most).map((_, n) => first + n);
    const pitch = Math.min((foot - head - gap - 4 * k) / (shown.length + tags.length), 46 * k);
    const column = Math.min((width - table - 116 * k) / tags.length, 92 * k);
    const y = (kind, row) =>
      head + pitch * (kind === "w" ? shown.indexOf(row) + 0.5 : shown.length + row + 0.5) + (kind === "w" ? 0 : gap);
    return { shown, pitch, column, head, placeOf: y, y: y(letter, Number(i)), x: table + column * Number(j) };
  }

  weights({ canvas, picture, now, words, k, width }, { foot, table }) {
    const { tags, weight, names } = picture;
    const at = this.targetOf({ picture, k, foot, width, table });
    const [wide, high] = [at.column * 0.8, Math.min(at.pitch * 0.74, 32 * k)];
    for (const [s, tag] of tags.entries())
      canvas.text(
        `column ${s}`,
        table + at.column * s + wide / 2,
        at.head / 2,
        tag.name,
        fit(tag.name, 15.5 * k, at.column - 4),
        { class: "heading" },
      );
    const row = (kind, i, label, cls) => {
      const y = at.placeOf(kind, i);
      const chosen = weight.startsWith(`${kind}.${i}.`);
      canvas.text(
        `row ${kind} ${i}`,
        table + at.column * tags.length + 4 * k,
        y,
        label,
        fit(label, 17 * k, (112 * k) / SERIF),
        { class: `word start ${chosen ? "pulls" : ""}` },
      );
      for (const [s] of tags.entries()) {
        const text = now.weights[kind === "w" ? 0 : 1][i][s];
        const key = `${kind}.${i}.${s}`;
        const sign = text === "0" ? "none" : text.startsWith("+") ? "filled" : "hollow";
        const pill = canvas.rect("blocks", key, table + at.column * s, y - high / 2, wide, high, {
          rx: high / 2,
          class: `pill ${cls} ${sign} pressable`,
          role: "button",
          tabindex: -1,
          "aria-label": `${filledText(words["word-follow"], { score: `${label}, ${tags[s].name}` })}: ${text}`,
          "data-weight": key,
        });
        pill.onclick = () => this.host.set("weight", key);
        canvas.text(`${key} told`, table + at.column * s + wide / 2, y, text, Math.min(15.5 * k, high * 0.72), {
          class: `pill-told ${cls} ${sign}`,
        });
      }
    };
    for (const i of at.shown) row("w", i, names[i], "emission");
    for (const [i, tag] of tags.entries())
      row("T", i, filledText(words["word-after"], { tag: isolated(tag.name) }), "transition");
    canvas.rect("front", "now", at.x - 6 * k, at.y - high / 2 - 5 * k, wide + 12 * k, high + 10 * k, {
      rx: 11,
      class: "now",
    });
  }

  // The loss over the iterations, on a log scale: the scrubber.
  curve({ canvas, picture, now, words, k, width, height, phone }, { foot }) {
    const { curve, counts, last } = picture;
    const [left, right] = phone ? [64, width - 60] : [110 * k, width * 0.53];
    const [top, bottom] = [foot + (phone ? 52 : 30) * k, height - (phone ? 56 : 6) * k];
    const scale = counts ? (v) => v : (v) => Math.log10(Math.max(v, 1e-3));
    const values = curve.map(scale);
    const [low, high] = [Math.min(...values), Math.max(...values)];
    const x = (n) => left + ((right - left) * n) / Math.max(now.of - 1, 1);
    const y = (n) =>
      bottom - ((bottom - top) * (values[n] - low + 0.04 * (high - low || 1))) / ((high - low || 1) * 1.04);
    this.at = { left, right, top: top - 16 * k, of: now.of };
    const line = values.map((_, n) => `${n ? "L" : "M"}${x(n).toFixed(1)} ${y(n).toFixed(1)}`).join("");
    canvas.path("back", "area", `${line}V${bottom}H${left}Z`, { class: "area" });
    canvas.path("back", "curve", line, { class: "curve" });
    canvas.path("back", "floor", `M${left} ${bottom}H${right}`, { class: "axis" });
    const n = Math.min(now.iteration, curve.length - 1);
    const dot = canvas.part("front", "dot", "circle", {
      cx: x(n),
      cy: y(n),
      r: 11 * k,
      class: "dot",
      role: "slider",
      tabindex: 0,
      "aria-label": words["word-scrub"],
      "aria-valuenow": n,
      "aria-valuemin": 0,
      "aria-valuemax": now.of - 1,
    });
    dot.onkeydown = (event) => this.key(event);
    const told = filledText(words[counts ? "word-wrong-after" : "word-loss-after"], {
      loss: now.loss,
      n,
      of: curve.length - 1,
    });
    canvas.text(
      "told",
      Math.min(x(n) + 18 * k, right - widthOf(told, 600, SANS) * 16.5 * k),
      foot + (phone ? 38 : 16) * k,
      told,
      16.5 * k,
      { class: "value start" },
    );
    canvas.text("last", right + 10 * k, Math.min(y(curve.length - 1), height - 12 * k), last, 15 * k, {
      class: "about start",
    });
    canvas.rect("front", "scrub", left - 10, top - 16 * k, right - left + 20, bottom - top + 22 * k, {
      class: "scrub",
    });
  }

  fields({ controls, picture, words }) {
    const { corpora, corpus } = picture;
    const play = controls.button("play", this.timer ? "❚❚" : "▶", () => {
      this.play();
      play.textContent = this.timer ? "❚❚" : "▶";
    });
    play.setAttribute("aria-label", words["word-play"]);
    const own = corpus ? [] : [["", words["word-own"]]];
    controls.select(
      "corpus",
      words["word-corpus"],
      [...corpora.map(({ name, label }) => [name, label]), ...own],
      corpus,
      (name) => name && this.host.set("corpus", name),
    );
    controls.select(
      "method",
      words["word-method"],
      ["ascent", "adam", "lbfgs", "perceptron"].map((name) => [name, words[`method-${name}`]]),
      picture.controls.method,
      (name) => this.host.set("method", name),
    );
    controls.number("eta", words["word-rate"], picture.controls.eta, (text) => this.host.set("eta", text)).disabled =
      picture.counts;
    controls.number("penalty", words["word-penalty"], picture.controls.penalty, (text) =>
      this.host.set("penalty", text),
    ).disabled = picture.counts;
  }
}

// One weight, and all places where it counts.
export class Shared extends Corpus {
  draw(frame) {
    const { width, height, k, phone } = frame;
    const place = {
      foot: height - (phone ? 34 : 8) * k,
      middle: phone ? width - 14 : width * 0.47,
      table: phone ? null : width * 0.655,
    };
    this.now = frame.now;
    this.sentences(frame, place);
    if (!phone) this.weights(frame, place);
  }

  sum(canvas, { k, table, target }) {
    const [from, to] = [table - 118 * k, table - 14 * k];
    canvas.path("lines", "arrow", `M${from} ${target}H${to}m${-8 * k} ${-6 * k}l${8 * k} ${6 * k}l${-8 * k} ${6 * k}`, {
      class: "arrow",
    });
  }

  // It is what all these places share.
  sumInLine(canvas, frame) {
    this.inLine(canvas, frame);
  }
}

// A row for each method: its tag for each word, and how its loss falls.
export class Methods {
  host;

  constructor(host) {
    this.host = host;
  }

  draw({ canvas, picture, now, words, k, width, height, phone, presents }) {
    const { methods, tags, length } = picture;
    const sentences = phone || presents ? this.few(picture.sentences, phone ? 5 : 7) : picture.sentences;
    const left = phone ? 10 : 40 * k;
    const names = phone ? 0 : 142 * k;
    const chart = phone ? 0 : width * 0.2;
    const numbers = phone ? 92 * k : 150 * k;
    const count = sentences.reduce((sum, { tokens }) => sum + tokens.length, 0);
    const room = width - left - names - chart - numbers - (phone ? 0 : 40 * k);
    const gap = Math.min(12 * k, (room * 0.2) / sentences.length);
    const pitch = Math.min((room - gap * (sentences.length - 1)) / count, 74 * k);
    const head = 30 * k;
    const rows = Math.min((height - head - 4) / methods.length, 84 * k);
    const high = Math.min(rows * (phone ? 0.42 : 0.62), 40 * k);
    let x = left + names;
    const places = sentences.flatMap(({ tokens, gold }, b) => {
      const found = tokens.map((token, t) => ({ b, t, token, tag: tags[gold[t]].name, x: x + pitch * t }));
      x += pitch * tokens.length + gap;
      return found;
    });
    for (const place of places)
      canvas.text(
        `word ${place.b} ${place.t}`,
        place.x + pitch / 2,
        head / 2,
        place.token,
        fit(place.token, 16 * k, pitch - 2),
        { class: "word" },
      );
    const most = Math.max(...now.rows.flatMap((row, i) => (methods[i] === "perceptron" ? [] : row.curve)), 1e-3);
    for (const [i, name] of methods.entries()) {
      const row = now.rows[i];
      const y = head + rows * (i + 0.5) + (phone ? 8 * k : 0);
      const label = words[`method-${name}`];
      if (phone) canvas.text(`name ${name}`, left, y - high / 2 - 9 * k, label, 15 * k, { class: "name start" });
      else
        canvas.text(`name ${name}`, left, y, label, fit(label, 18 * k, (names - 12 * k) / SERIF), {
          class: "name start",
        });
      for (const { b, t, tag, x: at } of places) {
        const wrong = row.wrong[b][t];
        vessel(canvas, `${name} ${b} ${t}`, at + 2, y - high / 2, pitch - 4, high, row.p[b][t], {
          class: `frame ${wrong ? "errs" : ""}`,
          "data-tag": tag,
        });
        canvas.text(`${name} ${b} ${t} tag`, at + pitch / 2, y, wrong || tag, fit(wrong || tag, 14.5 * k, pitch - 8), {
          class: `tag ${wrong ? "wrong" : ""}`,
        });
        if (wrong)
          canvas.text(`${name} ${b} ${t} cross`, at + pitch - 8 * k, y - high / 2 + 1, "✗", 16 * k, { class: "cross" });
      }
      const from = phone ? 0 : left + names + room + 16 * k;
      if (!phone && row.curve.length > 1)
        this.line(
          canvas,
          name,
          row.curve,
          from,
          y,
          chart - 32 * k,
          rows * 0.66,
          length,
          name === "perceptron" ? Math.max(...row.curve, 1) : most,
        );
      const last = phone ? width - numbers + 6 : from + chart;
      canvas.text(
        `loss ${name}`,
        last,
        phone ? y - high / 2 - 9 * k : y - 10 * k,
        row.loss && `${words["word-loss"]} ${row.loss}`,
        15.5 * k,
        { class: "value start" },
      );
      canvas.text(
        `right ${name}`,
        last,
        phone ? y : y + (row.loss ? 11 : 0) * k,
        `${row.right} ${words["word-right-of"]}`,
        14.5 * k,
        { class: "about start" },
      );
    }
  }

  // As many sentences as there is room for on a phone, or in letters for a class.
  few(sentences, most) {
    let words = 0;
    return sentences.filter(({ tokens }) => (words += tokens.length) <= most || words === tokens.length);
  }

  line(canvas, name, curve, left, y, wide, high, length, most) {
    const x = (n) => left + (wide * n) / length;
    const at = (v) => y + high / 2 - (high * Math.min(v, most)) / most;
    canvas.path("back", `${name} floor`, `M${left} ${y + high / 2}h${wide}`, { class: "axis thin" });
    canvas.path(
      "lines",
      `${name} curve`,
      curve.map((v, n) => `${n ? "L" : "M"}${x(n).toFixed(1)} ${at(v).toFixed(1)}`).join(""),
      { class: "curve" },
    );
    canvas.part("front", `${name} dot`, "circle", {
      cx: x(curve.length - 1),
      cy: at(curve.at(-1)),
      r: 5,
      class: "dot small",
    });
  }
}
