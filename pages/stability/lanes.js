// A lane for each number format: a bar for what it holds, with walls where that ends on the screen, and dots on it.

import { put, svg } from "../../crf/figures/shared/dom.js";

const STEPS = [1, 2, 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10000, 25000, 100000, 250000, 1e6, 1e7];
const LN10 = Math.log(10);
const SMALL = { "-": "⁻", 0: "⁰", 1: "¹", 2: "²", 3: "³", 4: "⁴", 5: "⁵", 6: "⁶", 7: "⁷", 8: "⁸", 9: "⁹" };
const power = (k) => (k ? `10${[...String(k)].map((sign) => SMALL[sign]).join("")}` : "1");
const plain = (k) => String(k).replace("-", "−");
const clamp = (x, low, high) => Math.min(Math.max(x, low), high);

export class Lanes {
  root;
  view;
  at;
  rows;
  rest;

  constructor(root) {
    this.root = root;
    this.rows = Array.from({ length: 4 }, () => {
      const lane = svg("g", { class: "lane" }, root);
      return {
        lane,
        bar: svg("rect", { class: "holds", width: 1, height: 1 }, lane),
        low: svg("path", { class: "wall" }, lane),
        high: svg("path", { class: "wall" }, lane),
      };
    });
    this.rest = svg("g", {}, root);
  }

  layout(view, width, height) {
    this.view = view;
    const phone = width < 640;
    const k = phone ? 0.82 : clamp(width / 1280, 0.8, 1.6);
    const { ways } = view.picture;
    const [left, right] = phone
      ? [16, width - 16]
      : ways
        ? [0.145 * width, 0.79 * width]
        : [0.245 * width, 0.82 * width];
    const top = (ways ? (phone ? 90 : 76) : phone ? 40 : 34) * k;
    const floor = height - (ways ? 54 : 40) * k;
    const pitch = (floor - top) / 4;
    const bar = Math.min(pitch * (phone ? 0.36 : 0.56), 60 * k);
    const shift = phone ? (ways ? 0.24 : 0.3) * pitch : view.beat === "logs" ? 0.14 * pitch : 0;
    const middles = [0, 1, 2, 3].map((i) => top + pitch * (i + 0.5) + shift);
    this.at = { width, height, phone, edge: Math.min(0.03125 * width, 40), k, left, right, top, floor, bar, middles };
    put(this.root, { width, height });
    this.root.style.setProperty("--k", String(k));
  }

  x(value) {
    const { left, right, low, high } = this.at;
    return left + ((right - left) * (value - low)) / (high - low);
  }

  // Draw the step; the axis is as long as for `until` words.
  draw(now, until = now.count) {
    const { picture: drawn } = this.view;
    Object.assign(this.at, drawn.ways ? this.aroundWays() : this.aroundRuns(until));
    this.rest.replaceChildren();
    const c = typeof now.c === "number" ? now.c : 0;
    for (const [i, lane] of drawn.lanes.entries()) this.drawBar(i, lane, c);
    this.drawAxis();
    if (drawn.ways) this.drawWays(now, c);
    else this.drawRuns(now);
  }

  text(name, x, y, content) {
    return svg("text", { class: name, x, y }, this.rest, content);
  }

  line(name, d) {
    return svg("path", { class: name, d }, this.rest);
  }

  // ---------------------------------------------------------------- bars and axis

  drawBar(i, { name, low, high }, c) {
    const { left, right, middles, bar, phone, k } = this.at;
    const [y, row] = [middles[i], this.rows[i]];
    const veiled = low === null;
    const [from, to] = veiled ? [left, left] : [low + c, high + c].map((value) => clamp(this.x(value), left, right));
    row.bar.style.transform = `translate(${from}px, ${y - bar / 2}px) scale(${Math.max(to - from, 0.01)}, ${bar})`;
    if (veiled) this.line("axis", `M${left} ${y}H${right}`);
    const reach = bar / 2 + 5 * k;
    for (const [wall, at, cut] of [
      [row.low, from, !veiled && this.x(low + c) < left],
      [row.high, to, !veiled && this.x(high + c) > right],
    ]) {
      wall.style.transform = `translate(${at}px, ${y}px)`;
      const [tip, back] = [wall === row.low ? 9 : -9, wall === row.low ? 17 : -17];
      put(wall, {
        d: cut ? `M${back * k} ${-8 * k}L${tip * k} 0L${back * k} ${8 * k}` : `M0 ${-reach}V${reach}`,
        class: `wall${cut ? " goes-on" : ""}`,
      });
      wall.toggleAttribute("hidden", veiled || to <= from);
    }
    const above = bar / 2 + (this.view.picture.ways ? 12 : 32) * k;
    this.text("format", phone ? left : this.at.edge, phone ? y - above : y, name);
  }

  drawAxis() {
    const { left, right, low, high, floor, phone, k } = this.at;
    const { ways } = this.view.picture;
    const unit = this.view.beat === "multiply" ? LN10 : 1;
    const most = phone ? 5 : 7;
    const step = STEPS.find((size) => (high - low) / unit / size <= most) ?? 1e8;
    this.line(ways ? "axis strong" : "axis", `M${left} ${floor}H${right}`);
    for (let n = Math.ceil(low / unit / step); n * step * unit <= high; n += 1) {
      const x = this.x(n * step * unit);
      this.line("axis", `M${x} ${floor}v${5 * k}`);
      this.text("tick", x, floor + 21 * k, unit === 1 ? plain(n * step) : power(n * step));
    }
    if (!ways) this.line("axis", `M${this.x(0)} ${this.at.top - 10 * k}V${floor}`);
  }

  // ---------------------------------------------------------------- two products that grow

  aroundRuns(until) {
    const { values, step } = this.view.picture;
    const seen = values.slice(0, until).filter((value) => value !== null);
    const [least, most] = [Math.min(step * until, ...seen), Math.max(0, ...seen)];
    return { low: Math.min(1.18 * least, -30), high: Math.max(1.18 * most, this.view.beat === "multiply" ? 24 : 12) };
  }

  drawRuns(now) {
    const { picture: drawn } = this.view;
    const { width, left, right, phone, k, middles, bar } = this.at;
    const count = now.count;
    const products = [Array.from({ length: count }, (_, t) => drawn.step * (t + 1)), drawn.values.slice(0, count)];
    const same = (products[1].at(-1) ?? 0) < 0; // both to the left
    const zero = this.x(0);
    if (phone) {
      this.text("run from-left", 16, 12 * k, drawn.names[0]);
      this.text("run from-right", width - 16, 35 * k, drawn.names[1]);
    } else {
      const ours = this.text(
        `run from-${same ? "right" : "left"}`,
        same ? right : zero + 16 * k,
        14 * k,
        drawn.names[1],
      );
      const over = same ? 0 : Math.max(zero + 16 * k + ours.getComputedTextLength() - 0.89 * width, 0); // the slider is there
      put(ours, { x: Number(ours.getAttribute("x")) - over });
      const tenth = same ? left : zero - 16 * k - over;
      this.text(`run from-${same ? "left" : "right"}`, tenth, 14 * k, drawn.names[0]);
    }
    for (const [i, { lost }] of drawn.lanes.entries()) {
      for (const [r, values] of products.entries()) {
        const y = middles[i] + (same ? (r ? 0.24 : -0.24) * bar : 0);
        const end = lost[r] && lost[r].word <= count ? lost[r] : null;
        const kept = values.slice(0, end ? end.word - 1 : count).filter((value) => value !== null);
        this.line("beads", kept.map((value) => `M${this.x(value)} ${y}h0`).join("") || "M0 0");
        if (kept.length && !end)
          svg("circle", { class: "last", cx: this.x(kept.at(-1)), cy: y, r: (same ? 6.5 : 9) * k }, this.rest);
        const at = values[end?.word - 1] ?? kept.at(-1) ?? 0; // a product that no path has any more stays where it was
        if (end) this.drawLost(end, this.x(at), i, y, { left: at < 0, upper: !r });
        if (!now.values || !kept.length) continue;
        const value = this.text("value", 0, middles[i] - bar / 2 - 13 * k, now.values[i][r]);
        const half = value.getComputedTextLength() / 2 + 8;
        put(value, { x: clamp(this.x(kept.at(-1)), half, width - half) });
      }
    }
    this.spread();
  }

  // Values above a lane that would touch stand beside each other.
  spread() {
    const values = [...this.rest.querySelectorAll(".value")];
    for (let i = 0; i + 1 < values.length; i += 1) {
      const [a, b] = [values[i], values[i + 1]];
      if (a.getAttribute("y") !== b.getAttribute("y")) continue;
      const [x, other] = [Number(a.getAttribute("x")), Number(b.getAttribute("x"))];
      const room = (a.getComputedTextLength() + b.getComputedTextLength()) / 2 + 14;
      if (Math.abs(x - other) >= room) continue;
      const [near, far] = x <= other ? [a, b] : [b, a];
      const from = Math.max((x + other) / 2 - room / 2, near.getComputedTextLength() / 2 + 4);
      put(near, { x: from });
      put(far, { x: from + room });
    }
  }

  // A cross at the wall, and the format's value from there on.
  drawLost(end, x, i, y, { left, upper }) {
    const { k, phone, width, middles, bar } = this.at;
    const arm = 7 * k;
    this.line("cross", `M${x - arm} ${y - arm}l${2 * arm} ${2 * arm}M${x + arm} ${y - arm}l${-2 * arm} ${2 * arm}`);
    const label = this.text(`lost ${left ? "from-right" : "from-left"}`, x + (left ? -18 : 18) * k, y, "");
    svg("tspan", { class: "strong" }, label, end.value);
    svg("tspan", {}, label, ` ${end.from}`);
    const room = label.getComputedTextLength();
    const [least, most] = phone ? [8, width - 8] : [0.115 * width, 0.885 * width];
    if (phone)
      put(label, {
        x: upper ? width / 2 - 12 : width - 16,
        y: middles[i] - bar / 2 - 11 * k,
        class: "lost from-right",
      });
    else if (left && x - 18 * k - room < least)
      put(label, { x: least, y: middles[i] - bar / 2 - 13 * k, class: "lost from-left" });
    else if (!left && x + 18 * k + room > most)
      put(label, { x: most, y: middles[i] - bar / 2 - 13 * k, class: "lost from-right" });
  }

  // ---------------------------------------------------------------- the ways into a cell

  aroundWays() {
    const scores = this.view.picture.ways.map((way) => way.score);
    const [least, most] = [Math.min(0, ...scores), Math.max(0, ...scores)];
    const more = Math.max(0.36 * (most - least), 24);
    return { low: least - 0.8 * more, high: most + more };
  }

  drawWays(now, c) {
    const { lanes, ways, into, sum } = this.view.picture;
    const { width, left, right, edge, k, phone, middles, bar, floor, top } = this.at;
    this.text("run from-left", phone ? 16 : edge, phone ? 11 * k : 24 * k, into);
    this.text(`run from-${phone ? "right" : "left"}`, phone ? width - 16 : 0.815 * width, phone ? 11 * k : 24 * k, sum);
    const named = ways.filter((way) => way.name).sort((a, b) => a.score - b.score);
    const gap = (phone ? 66 : 86) * k;
    const places = named.map((way) => this.x(way.score));
    for (let i = 1; i < places.length; i += 1) places[i] = Math.max(places[i], places[i - 1] + gap);
    const over = named.length ? (places.at(-1) - this.x(named.at(-1).score)) / 2 : 0;
    const shift = clamp(over, (places.at(-1) ?? 0) - right + gap / 2, (places[0] ?? 0) - left - gap / 2);
    const lowest = middles.at(-1) + bar / 2;
    for (const way of ways) {
      const [x, at] = [this.x(way.score), named.indexOf(way)];
      const from = at < 0 ? `M${x} ${top - 4 * k}` : `M${places[at] - shift} ${top - 24 * k}L${x} ${top - 4 * k}`;
      this.line("thread", `${from}V${lowest}`);
      if (at < 0) continue;
      const strong = way === ways[0] ? " strong" : "";
      this.text(`way-name${strong}`, places[at] - shift, top - 54 * k, way.name);
      this.text(`way-score${strong}`, places[at] - shift, top - 34 * k, way.text);
    }
    if (typeof now.c === "number" && ways.length) {
      this.line("offset-line", `M${this.x(c)} ${top}V${floor}`);
      const label = this.text("offset-text", this.x(c), floor + 44 * k, now.c_text);
      const half = label.getComputedTextLength() / 2;
      put(label, { x: clamp(this.x(c), half + 8, width - half - 8) });
    }
    for (const [i, lane] of lanes.entries()) {
      for (const way of ways) this.drawDot(this.x(way.score), middles[i], lane, way.score - c);
      const value = this.text(
        `result from-${phone ? "right" : "left"}`,
        phone ? width - 16 : 0.815 * width,
        phone ? middles[i] - bar / 2 - 11 * k : middles[i],
        "",
      );
      if (now.values[i]) svg("tspan", { class: "equals" }, value, "=  ");
      svg("tspan", { class: "strong" }, value, now.values[i]);
    }
  }

  // A value is representable; or it is beyond the upper wall, so inf; or below the lower one, so 0.
  drawDot(x, y, { low, high }, value) {
    const r = 8 * this.at.k;
    const arm = r * 0.65;
    const over = high !== null && value > high;
    const under = low !== null && value < low;
    svg("circle", { class: `dot${over ? " over" : under ? " under" : ""}`, cx: x, cy: y, r }, this.rest);
    if (over)
      this.line(
        "cross thin",
        `M${x - arm} ${y - arm}l${2 * arm} ${2 * arm}M${x + arm} ${y - arm}l${-2 * arm} ${2 * arm}`,
      );
  }
}
