// A sentence in the network: columns are words, strips are layers. A replaced word runs along the LSTM's lanes.

import { decimal } from "../../../crf/figures/shared/decimal.js";
import { clipped, html, isolated, put, svg } from "../../../crf/figures/shared/dom.js";
import { pressable, text } from "./parts.js";

const WIDEST = 21; // px: width of the band for the largest move
const NARROWEST = 170; // px of a column
const ROOMY = 195; // px of a column with room for an earlier score
const MOVED = 0.005; // nats: as in network.py

export class NetworkDrawing {
  root;
  host;
  swap;
  input;
  old;
  seen;
  at;
  svg;
  picture;
  live = true;

  constructor(root, host) {
    Object.assign(this, { root, host });
    this.swap = html("div", { class: "swap" }, root.querySelector(".canvas"));
    this.old = html("s", {}, this.swap);
    this.input = /** @type {HTMLInputElement} */ (
      html("input", { type: "text", maxlength: 40, size: 1, autocomplete: "off", spellcheck: "false" }, this.swap)
    );
    this.input.oninput = () => this.type(false);
    this.input.onchange = () => this.type(true);
    this.input.onkeydown = (event) => {
      if (event.key === "Enter" || event.key === "Escape") this.input.blur();
    };
  }

  type(resting) {
    const word = this.input.value.trim();
    this.fit();
    if (word && !/\s/.test(word)) this.host.set("other", word, resting);
  }

  fit() {
    this.input.style.width = `${Math.max([...this.input.value].length, 2) * 0.62 + 0.6}em`;
  }

  draw(how) {
    const { svg: canvas, picture, now, veils } = how;
    Object.assign(this, { svg: canvas, picture });
    this.at = this.places(how);
    const after = veils ? null : picture.after;
    const { other, token } = picture;
    const key = after ? `${token} ${other}` : "";
    canvas.replaceChildren();
    canvas.classList.toggle("runs", Boolean(key) && key !== this.seen);
    this.seen = key;
    this.strips = after?.layers ?? picture.layers;
    this.emissions = after?.emissions ?? picture.emissions;
    this.bands = svg("g", { class: "bands" }, canvas);
    this.names(how);
    for (const t of this.at.shown) this.column(t, how, after);
    if (after) this.influence(after, token);
    this.frame(now, token, other, after);
    this.replaceIn(other, token);
    const { shown } = this.at;
    const windowed = shown.length < picture.tokens.length;
    this.host.placed?.({ phone: how.phone, windowed, x: (t) => this.x(t), whole: how.width, width: how.width });
  }

  // Where everything stands; with many words only those around the current one have a column.
  places({ picture, width, height, k, phone, veils, edge }) {
    const left = phone ? 44 : edge + 140 * k;
    const L = picture.tokens.length;
    const fits = Math.max(Math.floor((width - left - edge) / (phone ? 150 : NARROWEST * k)), 1);
    const focus = picture.token;
    let shown = [...Array(L).keys()];
    if (L > fits) {
      const first = Math.min(Math.max(focus - Math.floor((fits - 1) / 2), 0), L - fits);
      shown = shown.slice(first, first + fits);
      const most = veils ? null : picture.after?.most;
      if (most !== null && most !== undefined && !shown.includes(most) && fits > 1)
        shown = most < focus ? [most, ...shown.slice(1)] : [...shown.slice(0, -1), most];
    }
    const column = (width - left - edge) / shown.length;
    const lstm = picture.layers.length > 1;
    const u = Math.min(height / (phone ? 440 : 400), 2);
    const rows = {
      head: 34 * u,
      vectors: 78 * u,
      right: 140 * u,
      left: 184 * u,
      emissions: (lstm ? 276 : 220) * u,
      high: 25 * u,
    };
    return {
      edge,
      left,
      shown,
      column,
      strip: Math.min(column * 0.63, 260 * k),
      rows,
      k,
      phone,
      u,
      line: 42 * u,
      bar: Math.min(column * 0.38, 150 * k),
    };
  }

  x(t) {
    const { left, column, shown } = this.at;
    return left + column * (shown.indexOf(t) + 0.5);
  }

  names({ picture, phone }) {
    const { rows, edge, u } = this.at;
    const { said, parts, shape } = picture;
    const put = (y, label, about, short) => {
      if (phone) return text(this.svg, "layer", edge, y, short);
      text(this.svg, "layer", edge, y - 7 * u, label);
      text(this.svg, "about", edge, y + 13 * u, about);
    };
    const [vectors, right, left] = picture.layers;
    const lines = parts.join(", ");
    const [first, rest] =
      lines.length > 15 && parts.length > 2
        ? [`${parts.slice(0, 2).join(", ")},`, `${parts.slice(2).join(", ")} `]
        : [lines, ""];
    const middle = rows.high / 2;
    put(rows.vectors + middle, first, `${rest}[${vectors.shape.join(", ")}]`, "x");
    if (right) put(rows.right + middle, said["lane-right"], `[${right.shape.join(", ")}]`, "→");
    if (left) put(rows.left + middle, said["lane-left"], `[${left.shape.join(", ")}]`, "←");
    put(rows.emissions + 18 * u, said.emissions, `[${shape.join(", ")}]`, "H");
  }

  column(t, { picture, now }, after) {
    const { rows, strip, k, line } = this.at;
    const x = this.x(t);
    const lanes = ["vectors", "right", "left"].slice(0, this.strips.length);
    const current =
      { vectors: ["vectors"], lstm: ["right", "left"] }[now.layer]?.filter((lane) => lanes.includes(lane)) ?? [];
    this.word(t, x, picture);
    const bottom = rows[lanes.at(-1)] + rows.high;
    const wire = (y1, y2, name = "wire") => svg("path", { class: name, d: `M${x} ${y1}V${y2}` }, this.bands);
    if (lanes.length > 1)
      wire(rows.vectors + rows.high, rows.right, after && t === picture.token ? "wire new" : "wire");
    if (!after) wire(bottom, rows.emissions - 12 * this.at.u);
    for (const [i, lane] of lanes.entries()) {
      this.strip(this.strips[i].strips[t], x - strip / 2, rows[lane], strip, rows.high, lane);
      if (lane !== "vectors") this.arrow(t, lane);
    }
    if (current.length && t === picture.token) {
      const top = rows[current[0]];
      svg(
        "rect",
        {
          class: "now",
          x: x - strip / 2 - 5,
          y: top - 5,
          width: strip + 10,
          height: rows[current.at(-1)] + rows.high - top + 10,
          rx: 6,
        },
        this.svg,
      );
    }
    for (const [i, one] of this.emissions[t].entries()) this.emission(one, i, x, t === after?.most, k, line);
  }

  word(t, x, { tokens, unknown, token, said }) {
    const { rows, column, k } = this.at;
    const part = text(
      this.svg,
      `head ${t === token ? "chosen" : ""} ${unknown[t] ? "unknown" : ""}`,
      x,
      rows.head,
      clipped(tokens[t], Math.max(Math.floor(column / (15 * k)), 3)),
      { "data-token": t },
    );
    svg("title", {}, part, unknown[t] ? `${tokens[t]}: ${said.unknown}` : tokens[t]);
    pressable(part, () => this.live && this.host.set("word", t));
    part.toggleAttribute("aria-current", t === token);
  }

  strip(shades, x, y, width, height, lane) {
    const group = svg("g", { class: `strip ${lane}` }, this.svg);
    const each = width / shades.length;
    svg("rect", { class: "paper", x, y, width, height, rx: 4 }, group);
    for (const [i, shade] of [...shades].entries())
      svg("rect", { x: x + each * i, y, width: each + 0.4, height, "fill-opacity": 0.1 + 0.1 * Number(shade) }, group);
    svg("rect", { class: "edge", x, y, width, height, rx: 4 }, group);
  }

  // Which way a lane reads: an arrow between two words.
  arrow(t, lane) {
    const { shown, column, rows, k } = this.at;
    if (shown.indexOf(t) + 1 >= shown.length) return;
    const [x, y, by] = [this.x(t) + column / 2, rows[lane] + rows.high / 2, (lane === "right" ? 5 : -5) * k];
    svg("path", { class: "arrow", d: `M${x - by} ${y - 7 * k}L${x + by} ${y}L${x - by} ${y + 7 * k}` }, this.svg);
  }

  emission({ tag, score, was }, i, x, most, k, line) {
    const { rows, bar, column } = this.at;
    const y = rows.emissions + line * i;
    const high = 24 * this.at.u;
    const largest = Math.max(
      ...this.emissions.flat().flatMap((one) => [Math.abs(one.score), Math.abs(one.was ?? 0)]),
      1e-9,
    );
    const start = x - Math.min(column * (most ? 0.2 : 0.1), 30 * k);
    const size = (value) => (bar * (most ? 0.75 : 1) * Math.max(value, 0)) / largest;
    const written = decimal(score.toFixed(1).replace("-", "−"));
    text(
      this.svg,
      `tag ${i ? "" : "best"}`,
      start - 7,
      y + high / 2,
      clipped(tag, Math.max(Math.floor((column * 0.36) / (9 * k)), 4)),
    );
    svg(
      "rect",
      {
        class: `bar ${i ? "" : "best"} ${score < 0 ? "below" : ""}`,
        x: start,
        y,
        width: Math.max(size(score), 2),
        height: high,
        rx: 3,
      },
      this.svg,
    );
    const moved = was !== undefined && Math.abs(was - score) > 0.05;
    if (moved) svg("path", { class: "was", d: `M${start + size(was)} ${y - 5}v${high + 10}` }, this.svg);
    const label = text(
      this.svg,
      `value ${i ? "" : "best"}`,
      start + Math.max(size(score), moved ? size(was) : 0, 2) + 8,
      y + high / 2,
      "",
    );
    if (most && moved && column > ROOMY * k)
      svg("tspan", { class: "before" }, label, `${decimal(was.toFixed(1).replace("-", "−"))} → `);
    svg("tspan", {}, label, written);
  }

  // How far the change is carried: a band is as wide as the next word's scores move.
  influence({ moved, most }, token) {
    const { rows, strip, u, k } = this.at;
    const others = moved.map((amount, t) => (t === token || amount < MOVED ? 0 : amount));
    const wide = (amount) => (WIDEST * k * amount) / Math.max(...others, 1e-9);
    const lstm = this.strips.length > 1;
    const { shown } = this.at;
    for (const t of shown) {
      if (!others[t] || !lstm) continue;
      const lane = t > token ? "right" : "left";
      const by = t > token ? -1 : 1;
      const from = shown[shown.indexOf(t) + by];
      const delay = `animation-delay:${Math.min(Math.abs(t - token) - 1, 4) * 120}ms`;
      const [a, b] = [this.x(from), this.x(t)].map((x, i) => x + (i ? by : -by) * (strip / 2));
      const w = wide(others[t]);
      svg(
        "rect",
        {
          class: `carry ${lane}`,
          style: delay,
          x: Math.min(a, b),
          y: rows[lane] + rows.high / 2 - w / 2,
          width: Math.abs(b - a),
          height: w,
        },
        this.bands,
      );
      const [top, end] = [rows.left + rows.high, rows.emissions - 24 * u];
      svg(
        "rect",
        { class: "carry down", style: delay, x: this.x(t) - w / 2, y: top, width: w, height: end - top },
        this.bands,
      );
      text(
        this.svg,
        `amount ${t === most ? "most" : ""}`,
        this.x(t) + w / 2 + 10,
        (top + end) / 2 + 4 * u,
        decimal(moved[t].toFixed(1)),
      );
    }
  }

  // The box of the word that moves most; where a layer is shown, that of the current word's emissions.
  frame(now, token, other, after) {
    const { rows, column, line, u } = this.at;
    const t = now.layer === "emissions" ? token : after?.most;
    if (t === undefined || t === null || !this.at.shown.includes(t)) return;
    const high = line + 24 * u;
    svg(
      "rect",
      {
        class: now.layer ? "now" : "most",
        x: this.x(t) - column / 2 + 3,
        y: rows.emissions - 14 * u,
        width: column - 6,
        height: high + 28 * u,
        rx: 8,
      },
      this.svg,
    );
  }

  // The word that is replaced, and the field for the other.
  replaceIn(other, token) {
    this.swap.hidden = other === undefined;
    if (other === undefined) return;
    const { rows, k } = this.at;
    this.old.textContent = isolated(clipped(this.picture.tokens[token], 10));
    this.input.readOnly = !this.live;
    put(this.input, { "aria-label": this.picture.said.another });
    if (this.root.getRootNode().activeElement !== this.input) this.input.value = other;
    this.fit();
    this.svg.querySelector(`[data-token="${token}"]`)?.setAttribute("visibility", "hidden");
    Object.assign(this.swap.style, {
      left: `${this.x(token)}px`,
      top: `${rows.head}px`,
      fontSize: `${Math.min(30 * k, 34)}px`,
    });
  }
}
