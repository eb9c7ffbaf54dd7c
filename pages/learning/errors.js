// Is the gradient right: the V of the error with the digits that agree, and a gradient with a fault.

import { SANS, widthOf } from "../../crf/figures/flow/labels.js";
import { filledText } from "../../crf/figures/shared/dom.js";

const RAISED = "⁰¹²³⁴⁵⁶⁷⁸⁹";
const power = (n) => (n ? `10⁻${[...String(n)].map((d) => RAISED[Number(d)]).join("")}` : "1");
const [HIGHEST, LOWEST] = [0, -14]; // exponents of the axis of the error

export class Errors {
  host;
  at;
  dragging = false;

  constructor(host, root) {
    this.host = host;
    this.svg = root.querySelector("svg");
    this.svg.onpointerdown = (event) => {
      const x = event.clientX - this.svg.getBoundingClientRect().left;
      if (!this.at || x > this.at.right + 30) return;
      this.dragging = true;
      this.svg.setPointerCapture(event.pointerId);
      this.move(x);
    };
    this.svg.onpointermove = (event) => {
      if (this.dragging) this.move(event.clientX - this.svg.getBoundingClientRect().left);
    };
    this.svg.onpointerup = this.svg.onpointercancel = () => {
      this.dragging = false;
    };
  }

  stop() {
    Object.assign(this.svg, { onpointerdown: null, onpointermove: null, onpointerup: null, onpointercancel: null });
  }

  move(x) {
    const { left, right, most, step } = this.at;
    const to = Math.round(Math.min(Math.max((x - left) / (right - left), 0), 1) * most);
    if (to !== step) this.host.go(to);
  }

  draw(frame) {
    this.fields(frame);
    const { picture, now, k, width, height, phone } = frame;
    if (!now.numbers) return;
    const [left, right] = phone ? [54, width - 16] : [120 * k, width * 0.6];
    const [top, bottom] = phone ? [116 * k, height * 0.6] : [22 * k, height - 48 * k];
    const x = (p) => left + ((right - left) * p) / picture.most;
    const y = (error) =>
      top + ((bottom - top) * (HIGHEST - Math.min(Math.max(Math.log10(error), LOWEST), HIGHEST))) / (HIGHEST - LOWEST);
    this.at = { left, right, most: picture.most, step: now.step };
    this.chart(frame, { left, right, top, bottom, x, y });
    this.digits(
      frame,
      phone
        ? { x: 16, y: bottom + 76 * k, pitch: 50 * k }
        : { x: right + 62 * k, y: 172 * k, pitch: Math.min(78 * k, (height - 184 * k) / 3) },
    );
  }

  chart({ canvas, now, words, k, phone }, { left, right, top, bottom, x, y }) {
    for (const exponent of [0, 4, 8, 12]) {
      canvas.path("back", `grid ${exponent}`, `M${left} ${y(10 ** -exponent)}H${right}`, { class: "axis thin" });
      canvas.text(`grid ${exponent}`, left - 12 * k, y(10 ** -exponent), power(exponent), 15.5 * k, {
        class: "about end",
      });
    }
    canvas.text("error", left + 8 * k, top - 12 * k, words["word-error"], 15.5 * k, { class: "about start" });
    this.slopes({ canvas, now, words, k, phone }, { x, y });
    for (const [p, error] of now.dots)
      canvas.part("blocks", `dot ${p}`, "circle", {
        cx: x(p),
        cy: y(error),
        r: 4.5 * k,
        class: "point",
        "data-power": p,
        "data-error": error,
      });
    for (const p of phone ? [0] : [0, 5, 10])
      if (p !== now.power)
        canvas.text(`power ${p}`, x(p), bottom + 24 * k, p ? power(p) : "h = 1", 15.5 * k, {
          class: `about ${p ? "" : "start"}`,
        });
    canvas.text("smaller", right, bottom + 24 * k, words["word-smaller-h"], 15.5 * k, { class: "about end" });
    const [cx, cy] = [x(now.power), now.error === null ? top : y(now.error)];
    canvas.path("lines", "now", `M${cx} ${cy}V${bottom + 8 * k}`, { class: "ahead" });
    canvas.part("front", "dot", "circle", { cx, cy, r: 12 * k, class: "dot" });
    canvas.path(
      "front",
      "arrows",
      `M${cx - 20 * k} ${cy - 5 * k}l${-6 * k} ${5 * k}l${6 * k} ${5 * k}M${cx + 20 * k} ${cy - 5 * k}l${6 * k} ${5 * k}l${-6 * k} ${5 * k}`,
      { class: "arrow" },
    );
    canvas.text("h", cx, bottom + 24 * k, now.power ? power(now.power) : "1", 17 * k, { class: "value" });
  }

  // The two laws: h² through the first dot, 1/h through the last third of them.
  slopes({ canvas, now, words, k, phone }, { x, y }) {
    const coarse = now.dots.filter(([p, error]) => p >= 1 && p <= 3 && error > 1e-15);
    const fine = now.dots.filter(([p, error]) => p >= 8 && error > 1e-15);
    if (coarse.length < 3) return;
    const mean = (dots, slope) =>
      dots.reduce((sum, [p, error]) => sum + Math.log10(error) - slope * p, 0) / dots.length;
    const a = mean(coarse, -2);
    const b = fine.length > 3 ? mean(fine, 1) : null;
    const meet = b === null ? 5 : (a - b) / 3;
    canvas.path("bands", "coarse", `M${x(0)} ${y(10 ** a)}L${x(meet)} ${y(10 ** (a - 2 * meet))}`, { class: "law" });
    canvas.text("coarse", x(1.4) + 14 * k, y(10 ** (a - 2.4)), words["word-coarse"], 17 * k, { class: "name start" });
    if (b === null) return;
    canvas.path("bands", "fine", `M${x(meet)} ${y(10 ** (b + meet))}L${x(14)} ${y(10 ** (b + 14))}`, { class: "law" });
    canvas.text("fine", x(14), y(10 ** (b + 9.6)) + 44 * k, words["word-fine"], (phone ? 15 : 17) * k, {
      class: "name end",
    });
  }

  // The three numbers below each other; what differs is pale.
  digits({ canvas, now, words, k, width }, { x, y, pitch }) {
    const size = Math.min(27 * k, pitch * 0.52, (width - x - 12) / (19 * 0.62));
    for (const [i, way] of ["closed", "automatic", "differences"].entries()) {
      const number = now.numbers[way];
      const point = number.indexOf(".");
      const alike = way === "differences" && point > 0 ? point + 1 + now.agree : number.length;
      canvas.text(`${way} name`, x, y + pitch * i - size * 0.9, words[`word-${way}`], 16 * k, { class: "about start" });
      canvas.text(`${way} digits`, x, y + pitch * i, number.slice(0, alike), size, { class: "digits start" });
      const wide = widthOf(number.slice(0, alike), 700, "monospace") * size;
      canvas.text(`${way} rest`, x + wide, y + pitch * i, number.slice(alike), size, { class: "digits rest start" });
    }
    canvas.text("agree", x, y + pitch * 2 + 30 * k, filledText(words["word-agree"], { n: now.agree }), 17 * k, {
      class: "value start",
    });
  }

  fields({ controls, picture, words }) {
    const { models, chosen, entries } = picture;
    controls.select(
      "model",
      words["word-model"],
      models.map((name) => [name, words[`model-${name}`]]),
      chosen.model,
      (name) => this.host.set("model", name),
    );
    if (!entries.length) return controls.drop("entry", "of");
    controls.select(
      "entry",
      words["word-entry"],
      entries.map(({ name, label }) => [name, label]),
      chosen.entry,
      (name) => this.host.set("entry", name),
    );
    if (!picture.psi) return controls.drop("of");
    controls.select(
      "of",
      words["word-by"],
      ["log", "psi"].map((name) => [name, words[`word-of-${name}`]]),
      chosen.of,
      (name) => this.host.set("of", name),
    );
  }
}

export class Fault {
  host;

  constructor(host) {
    this.host = host;
  }

  draw({ canvas, controls, picture, words, k, width, height, phone }) {
    const { rows, codes, code, sums } = picture;
    if (!rows.length) return controls.clear();
    controls.select(
      "code",
      "",
      codes.map((name) => [name, filledText(words["word-code"], { code: name })]),
      code,
      (name) => this.host.set("code", name),
    );
    const head = 34 * k;
    const pitch = Math.min((height - head - 12 * k) / (rows.length + 1.3), 70 * k);
    const [left, right] = phone ? [120, width - 76] : [240 * k, width - 300 * k];
    const values = rows.flatMap((row) => [row.right, row.code]);
    const [low, high] = [Math.min(0, ...values), Math.max(0, ...values)];
    const x = (value) => left + ((right - left) * (value - low)) / (high - low || 1);
    const legend = [
      ["is-right", words["word-is-right"]],
      ["of-code", filledText(words["word-code"], { code })],
    ];
    const at = (i) => (phone ? 10 + i * 104 : left + i * 140 * k);
    for (const [i, [name, label]] of legend.entries()) {
      canvas.rect("blocks", `legend ${name}`, at(i), head / 2 - 7 * k, 26 * k, 14 * k, { rx: 3, class: `bar ${name}` });
      canvas.text(`legend ${name}`, at(i) + 34 * k, head / 2, label, 17 * k, { class: "value start" });
    }
    const bars = (key, y, first, second, texts, scale) => {
      const tall = Math.min(pitch * 0.34, 22 * k);
      for (const [i, value] of [first, second].entries()) {
        const [a, b] = [scale(0), scale(value)].sort((p, q) => p - q);
        const top = y + (i ? 2 : -tall - 2);
        canvas.rect("blocks", `${key} ${i}`, a, top, Math.max(b - a, 1.5), tall, {
          rx: 3,
          class: `bar ${i ? "of-code" : "is-right"}`,
          "data-value": value,
        });
        canvas.text(`${key} ${i}`, width - (phone ? 8 : 60 * k), top + tall / 2, texts[i], (phone ? 14 : 17) * k, {
          class: `digits end ${i ? "" : "rest"}`,
        });
      }
    };
    for (const [r, row] of rows.entries()) {
      const y = head + pitch * (r + 0.5);
      canvas.text(
        `name ${r}`,
        phone ? 10 : 40 * k,
        y,
        row.name,
        Math.min(18 * k, (left - (phone ? 14 : 60 * k)) / (1.15 * widthOf(row.name, 600, SANS))),
        { class: "name start" },
      );
      bars(`row ${r}`, y, row.right, row.code, row.texts, x);
    }
    canvas.path("lines", "zero", `M${x(0)} ${head}V${head + pitch * rows.length}`, { class: "axis" });
    const y = head + pitch * (rows.length + 0.7);
    const most = Math.max(...sums.map(({ value }) => value), 1);
    canvas.path("lines", "line", `M${phone ? 10 : 40 * k} ${y - pitch * 0.6}H${width - (phone ? 8 : 60 * k)}`, {
      class: "axis thin",
    });
    canvas.text(
      "sum",
      phone ? 10 : 40 * k,
      y,
      words["word-sum"],
      Math.min(18 * k, (left - (phone ? 14 : 50 * k)) / (1.15 * widthOf(words["word-sum"], 600, SANS))),
      { class: "name start" },
    );
    bars(
      "sum",
      y,
      sums[0].value,
      sums[1].value,
      sums.map(({ text }) => text),
      (value) => left + ((right - left) * value) / most,
    );
  }
}
