// Three targets: how far gradients of drawn batches miss the whole one. Distances are true, directions are arbitrary. Below
// each is the loss of one pass.

import { decimal } from "../../../crf/figures/shared/decimal.js";
import { filledText, html, svg } from "../../../crf/figures/shared/dom.js";
import { text } from "./parts.js";

const RINGS = 5; // lengths of the whole gradient
const TURN = 2.39996; // the golden angle spreads dots evenly

export class Targets {
  root;
  host;
  seen;

  constructor(root, host) {
    Object.assign(this, { root, host });
  }

  draw({ svg: canvas, picture, veils, width, height, k, phone }) {
    const { targets, said } = picture;
    canvas.replaceChildren();
    (
      this.root.querySelector(".caption") ?? html("p", { class: "caption" }, this.root.querySelector(".tools"))
    ).textContent = said.aim;
    canvas.classList.toggle("runs", !veils && this.seen !== "pass");
    this.seen = veils ? "" : "pass";
    const each = width / targets.length;
    const curve = { high: 62 * k, floor: height - 30 * k };
    const top = phone ? 58 : 6;
    const R = Math.min((curve.floor - curve.high - 22 * k - top) / 2, each * (phone ? 0.46 : 0.36));
    curve.high = Math.min(Math.max(curve.high, curve.floor - top - 2 * R - 34 * k), 120 * k);
    const most = Math.max(...targets.flatMap(({ losses }) => losses.map(([, loss]) => loss))) * 1.02;
    for (const [i, target] of targets.entries()) {
      const x = each * (i + (phone ? 0.5 : 0.54));
      this.target(canvas, target, x, top + R + 4, R, k);
      this.size(canvas, target, phone ? each * (i + 0.5) : each * i + (i ? 0.02 : 0.1) * each, top, said, k, phone);
      this.pass(canvas, target, x - (phone ? each * 0.42 : R), phone ? each * 0.84 : 2 * R, most, curve, {
        said,
        veils,
        first: !i,
        k,
        phone,
      });
    }
  }

  size(canvas, { size }, x, top, said, k, phone) {
    const how = phone ? { "text-anchor": "middle" } : {};
    text(canvas, "size", x, phone ? 24 : top + 34 * k, String(size), how);
    const lines = [size === 1 ? said.sentence : said.sentences, said["a-batch"]];
    if (phone) return text(canvas, "about", x, 44, lines.join(" "), how);
    for (const [i, line] of lines.entries()) text(canvas, "about", x, top + (62 + 20 * i) * k, line);
  }

  target(canvas, { distances, mean }, x, y, R, k) {
    const unit = R / RINGS;
    const group = svg("g", { class: "target" }, canvas);
    for (let ring = RINGS; ring; ring--)
      svg("circle", { class: ring % 2 ? "ring dark" : "ring", cx: x, cy: y, r: unit * ring }, group);
    for (const [i, distance] of distances.entries()) {
      const angle = TURN * i;
      svg(
        "circle",
        {
          class: "shot",
          cx: x + unit * distance * Math.cos(angle),
          cy: y + unit * distance * Math.sin(angle),
          r: Math.max(Math.min(5.5 * k, unit * 0.35), 2.5),
          style: `animation-delay:${25 * i}ms`,
        },
        group,
      );
    }
    svg("circle", { class: "mean", cx: x, cy: y, r: unit * mean }, group);
    const arm = Math.max(Math.min(11 * k, unit * mean * 0.8), 3);
    svg("path", { class: "aim", d: `M${x - arm} ${y}h${2 * arm}M${x} ${y - arm}v${2 * arm}` }, group);
    for (const ring of [1, 3, RINGS]) if (unit > 16) text(group, "axis", x, y - unit * ring, String(ring));
    text(
      group,
      "miss",
      x + unit * Math.max(mean, 0.6) * 0.75 + 6,
      y + unit * Math.max(mean, 0.6) * 0.75 + 14 * k,
      decimal(mean.toFixed(2).replace(/^0/, "")),
    );
  }

  // The loss of all sentences while a pass goes through them.
  pass(canvas, { losses, steps }, left, wide, most, { high, floor }, { said, veils, first, k, phone }) {
    const group = svg("g", { class: "pass" }, canvas);
    const room = phone ? 34 : 50 * k;
    const x = (step) => left + ((wide - room) * step) / steps;
    const y = (loss) => floor - (high * loss) / most;
    const points = losses.map(([step, loss]) => `${x(step)} ${y(loss)}`);
    svg("path", { class: "floor", d: `M${left} ${floor}H${x(steps)}` }, group);
    if (veils)
      svg("rect", { class: "later", x: left, y: floor - high, width: wide - room, height: high, rx: 6 }, group);
    else {
      svg("path", { class: "area grows", d: `M${left} ${floor}L${points.join("L")}V${floor}Z` }, group);
      svg("path", { class: "curve grows", d: `M${points.join("L")}` }, group);
      if (steps < 32)
        for (const point of losses)
          svg(
            "circle",
            {
              class: "step",
              style: `animation-delay:${(1200 * point[0]) / steps}ms`,
              cx: x(point[0]),
              cy: y(point[1]),
              r: 4 * k,
            },
            group,
          );
    }
    const [, end] = losses.at(-1);
    text(group, "end", x(steps) + 10, veils ? floor - high / 2 : y(end), veils ? "?" : decimal(end.toFixed(1)));
    text(group, "about", x(steps), floor + 18 * k, filledText(said.steps, { n: steps }), { "text-anchor": "end" });
    if (first && !phone) text(group, "about", left, floor + 18 * k, said["loss-word"]);
  }
}
