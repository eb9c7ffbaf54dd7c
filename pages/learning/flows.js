// One sentence: what is observed, less what is expected, is the difference, all on one scale; and the slope of log p.

import { decimal } from "../../crf/figures/shared/decimal.js";
import { bandPath, bands } from "../../crf/figures/flow/layout.js";
import { label, widthOf } from "../../crf/figures/flow/labels.js";
import { filledText } from "../../crf/figures/shared/dom.js";

const LITTLE = 0.005; // a difference below this has no label
const FONT = '"Source Sans", "Source Sans 3", sans-serif';
const signed = (value) => `${value > 0 ? "+" : "−"}${decimal(Math.abs(value).toFixed(2).replace(/^0/, ""))}`;

// Where things are: the columns, and the three rows, of which one unit is equally high.
function layout({ width, height, k, phone, presents, picture, now }, reach) {
  const { tokens } = picture;
  const left = phone ? 14 : 158 * k;
  const beside = phone ? 88 : (presents ? 160 : 190) * k; // of the loss
  const room = width - left - beside;
  const pitch = Math.max(room / Math.max(tokens.length - 0.46, 1), phone ? 54 : 66 * k);
  const wide = Math.min(pitch * (presents ? 0.5 : 0.54), 150 * k);
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

export class Flows {
  host;
  reach = 0.36;

  constructor(host) {
    this.host = host;
  }

  draw(frame) {
    const { canvas, picture, now, k, width } = frame;
    if (!now.marginals) return this.empty(frame);
    const sums = now.difference.map((column) => column.reduce((sum, value) => sum + Math.max(value, 0), 0));
    const steps = now.pair_difference.map((pairs) => pairs.reduce((sum, [, , value]) => sum + Math.max(value, 0), 0));
    this.reach = Math.max(0.36, ...sums, ...steps);
    const at = layout(frame, this.reach);
    canvas.root.setAttribute("width", at.whole);
    for (const [t, token] of picture.tokens.entries()) {
      const size = Math.min(26 * k, (at.pitch * 0.96) / Math.max(widthOf(token, 700, FONT), 0.1));
      canvas.text(`word ${t}`, at.x(t) + at.wide / 2, at.words * 0.48, token, size, { class: "word" });
    }
    this.rowNames(frame, at);
    this.flow(
      frame,
      at,
      "observed",
      at.observed,
      picture.tokens.map((_, t) => picture.tags.map((_, s) => Number(s === picture.right[t]))),
      picture.right.slice(1).map((b, t) => [[picture.right[t], b, 1]]),
    );
    this.flow(frame, at, "expected", at.expected, now.marginals, now.pairs);
    this.difference(frame, at);
    this.loss(frame, at);
    this.steps(frame);
    if (width < at.whole) canvas.root.setAttribute("width", at.whole);
  }

  empty({ canvas, picture, k, width, height, controls }) {
    controls.clear();
    for (const [t, token] of picture.tokens.entries()) {
      const pitch = (width - 80 * k) / picture.tokens.length;
      canvas.text(`word ${t}`, 40 * k + pitch * (t + 0.5), 20 * k, token, 26 * k, { class: "word" });
      const [x, y, wide, high] = [40 * k + pitch * (t + 0.2), 40 * k, pitch * 0.6, height - 60 * k];
      canvas.rect("blocks", `none ${t}`, x, y, wide, high, { class: "never", rx: 4 });
      const lines = Array.from({ length: Math.ceil((wide + high) / 14) }, (_, i) => i * 14 - high);
      canvas.path(
        "lines",
        `none ${t}`,
        lines
          .map(
            (c) =>
              `M${x + Math.max(c, 0)} ${y + Math.max(-c, 0)}L${x + Math.min(wide, c + high)} ${y + Math.min(high, wide - c)}`,
          )
          .join(""),
        { class: "hatch" },
      );
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

  // Blocks on top of each other in each column, ribbons between them.
  flow({ canvas, picture, words, k }, at, name, top, marginals, pairs) {
    const { tags, tokens, right } = picture;
    const columns = marginals.map((column) => {
      let y = top;
      return column.map((p, s) => {
        const place = { y, height: p * at.unit };
        y += place.height;
        return [s, place];
      });
    });
    for (const [t, step] of pairs.entries()) {
      const ribbons = step.map(([a, b, p]) => ({ a, b, p }));
      for (const [i, band] of bands(ribbons, columns[t], columns[t + 1], at.unit).entries()) {
        const { a, b } = ribbons[i];
        canvas.path("bands", `${name} ${t} ${a} ${b}`, bandPath(at.x(t) + at.wide, at.x(t + 1), band), {
          class: "ribbon",
          fill: `rgb(${tags[a].hue})`,
        });
      }
    }
    for (const [t, column] of columns.entries()) {
      for (const [s, { y, height }] of column) {
        const p = marginals[t][s];
        if (p < 0.0005) continue;
        const key = `${name} ${t} ${s}`;
        const inset = Math.min(1.5, height / 4);
        const block = canvas.rect("blocks", key, at.x(t), y + inset, at.wide, height - 2 * inset, {
          rx: 4,
          fill: `rgb(${tags[s].hue})`,
          class: `block ${name}`,
          "data-token": t,
          "data-tag": tags[s].name,
          "data-p": p,
        });
        this.pressable(
          block,
          height >= 20,
          filledText(words["word-call-right"], {
            word: tokens[t],
            tag: tags[name === "observed" ? (s + 1) % tags.length : s].name,
          }),
          () => this.call(right, t, name === "observed" ? (s + 1) % tags.length : s),
        );
        const size = Math.min(18.5 * k, at.wide / 4.4);
        const lines = label(tags[s].name, name === "observed" ? 1 : p, at.wide, height, {
          size,
          turned: false,
          family: FONT,
        });
        lines.forEach((line, i) =>
          canvas.text(
            `${key} ${i}`,
            at.x(t) + at.wide / 2,
            y + height / 2 + (i - (lines.length - 1) / 2) * size * 1.15,
            line,
            size,
            { class: "tag", style: `fill: #fff` },
          ),
        );
      }
    }
  }

  // The reader declares another tag the right one.
  call(right, t, s) {
    if (right[t] !== s) this.host.set("right", right.map((tag, i) => (i === t ? s : tag)).join("."));
  }

  pressable(part, focusable, name, press) {
    part.onclick = press;
    part.onkeydown = (event) => {
      if (event.key !== "Enter") return;
      event.preventDefault();
      press();
    };
    if (focusable) part.setAttribute("tabindex", "0");
    else part.removeAttribute("tabindex");
    part.setAttribute("role", "button");
    part.setAttribute("aria-label", name);
  }

  // Observed − expected, up where it is positive: tags in the columns, steps between them.
  difference(frame, at) {
    const { canvas, picture, now, words, k } = frame;
    const { tags, tokens } = picture;
    canvas.path("lines", "axis", `M${at.left - 8 * k} ${at.axis}H${at.last + 8 * k}`, { class: "axis" });
    for (const [t, column] of now.difference.entries()) {
      const parts = column.flatMap((value, s) =>
        Math.abs(value) >= 0.0005
          ? [
              {
                key: `e.${t}.${s}`,
                value,
                hue: tags[s].hue,
                name: tags[s].name,
                about: `${tokens[t]}, ${tags[s].name}`,
              },
            ]
          : [],
      );
      this.stack(frame, at, at.x(t), at.wide, parts, "block difference");
      if (!parts.some(({ value }) => Math.abs(value) >= LITTLE))
        canvas.text(`zero ${t}`, at.x(t) + at.wide / 2, at.axis - 12 * k, "0", 16 * k, { class: "about" });
    }
    const step = picture.right.length > 1 ? at.pitch - at.wide : 0;
    for (const [t, pairs] of now.pair_difference.entries()) {
      const parts = pairs.map(([a, b, value]) => ({
        key: `t.${a}.${b}`,
        value,
        hue: tags[a].hue,
        name: `${tags[a].name} ${tags[b].name}`,
        about: filledText(words["word-follow"], { score: `${tags[a].name} → ${tags[b].name}` }),
        step: t,
      }));
      this.stack(frame, at, at.x(t) + at.wide, step, parts, "ribbon difference");
    }
  }

  stack({ canvas, picture, k, least = 0 }, at, x, wide, parts, name) {
    let [up, down] = [at.axis, at.axis];
    for (const { key, value, hue, name: tag, about, step } of [...parts].sort(
      (a, b) => Math.abs(b.value) - Math.abs(a.value),
    )) {
      const high = Math.abs(value) * at.unit;
      const y = value > 0 ? (up -= high) : down;
      if (value < 0) down += high;
      const id = `difference ${key} ${step ?? ""}`;
      const score = step === undefined ? key : this.keyOf(picture, key, step);
      const inset = Math.min(1, high / 4);
      const block = canvas.rect("blocks", id, x, y + inset, wide, high - 2 * inset, {
        rx: 3,
        class: name,
        fill: `rgb(${hue})`,
        "data-difference": value,
      });
      this.pressable(block, Math.abs(value) >= 0.02, about, () => this.host.set("score", score));
      if (score === picture.score && high >= 14)
        canvas.rect("lines", `chosen ${id}`, x, y, wide, high, { rx: 3, class: "chosen" });
      const isStep = step !== undefined;
      const most = Math.max(isStep ? 14.6 * k : 17.5 * k, least);
      const whole = isStep ? tag : `${tag} ${signed(value)}`;
      const text = least * widthOf(whole, 650, FONT) > wide - 6 && !isStep ? tag : whole; // on a projector the tag alone
      const names = text.split(" "); // of a pair: one below the other where they are too wide and there is room
      const lines =
        isStep && names.length === 2 && high > 2.5 * most && most * widthOf(text, 650, FONT) > wide - 6
          ? names
          : [text];
      const size = Math.min(most, ...lines.map((line) => (wide - 6) / widthOf(line, 650, FONT)));
      if (Math.abs(value) < LITTLE || high < size * (isStep ? 1.3 : 1.05) * lines.length) continue;
      if (size < Math.max(10, least)) continue;
      for (const [n, line] of lines.entries())
        canvas.text(
          `${id} label${n}`,
          x + wide / 2,
          y + high / 2 + (n - (lines.length - 1) / 2) * size * 1.15,
          line,
          size,
          { class: isStep ? "pair" : "tag", ...(isStep ? {} : { style: `fill: #fff` }) },
        );
    }
  }

  // With a table of its own for each step a score has the step's number, too.
  keyOf({ per_step: perStep }, key, t) {
    const [, a, b] = key.split(".");
    return perStep ? `t.${t}.${a}.${b}` : `t.${a}.${b}`;
  }

  // The loss as a vessel; the dotted line is where the next step leads.
  loss({ canvas, now, words, k, width, height, phone, view }, at) {
    const wide = phone ? 24 : 50 * k;
    const x = Math.max(width, at.whole) - (phone ? 74 : 146 * k);
    const top = at.observed;
    const bottom = height - (phone ? 60 : view.beat === "counts" ? 74 * k : 168 * k);
    const most = Math.max(now.top, now.loss, now.ahead) * 1.14 || 1;
    const y = (loss) => bottom - ((bottom - top) * Math.min(loss, most)) / most;
    canvas.text("loss", x + (phone ? 0 : wide / 2), at.words * 0.48, words["word-loss"], (phone ? 15 : 18) * k, {
      class: phone ? "heading start" : "heading",
    });
    canvas.rect("back", "vessel", x, top, wide, bottom - top, { rx: 9, class: "vessel" });
    canvas.rect("back", "level", x, y(now.loss), wide, bottom - y(now.loss), { rx: 7, class: "level" });
    canvas.text("level", x + wide + 8, y(now.loss), now.losses[0], 19 * k, { class: "value start" });
    if (now.loss > 0.004 && Math.abs(y(now.ahead) - y(now.loss)) > 16 * k) {
      canvas.path("lines", "ahead", `M${x} ${y(now.ahead)}h${wide}`, { class: "ahead" });
      canvas.text("ahead", x + wide + 8, y(now.ahead), now.losses[1], 16 * k, { class: "about start" });
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
