// The flow becomes a trellis, and back: one motion in which words, tags and probabilities stay. Columns draw together, blocks
// shrink to their cells, ribbons thin to edges, and two of the pad's names become modes. Elsewhere pictures are cut.

import { html, put, svg } from "../../../../crf/figures/shared/dom.js";
import { calm } from "./opening.js";

const WHOLE = 900; // ms
const [GONE, MOVED, THIN, DRAINS] = [220, 560, [300, 750], [420, 900]]; // ms: text is gone, columns stand, edges, colours
const [EDGE, WIDEST] = [1.4, 4]; // px of an edge of probability 0 and 1
const SEEN = 0.005; // probability: a smaller block does not become a cell, it goes
const NAMES = [
  ["posterior", "both"],
  ["viterbi", "best"],
];

const STRIP = [150, 40]; // px from the left: where the names rise, beside the columns
const [FOOT, RISES, UNFOLDS] = [
  [0, 350],
  [300, 640],
  [600, 900],
]; // ms of the names' way

const between = (a, b, share) => a + (b - a) * share;
const part = (ms, from, to) => Math.min(Math.max((ms - from) / (to - from), 0), 1);
const eased = (share) => share * share * (3 - 2 * share);

// The pad's names never cover a column: they go left along the foot, rise beside the columns, and unfold to the modes.
function alongTheFoot(from, to, strip, ms) {
  const x = between(from.left, strip, eased(part(ms, ...FOOT)));
  return [between(x, to.left, eased(part(ms, ...UNFOLDS))), between(from.top, to.top, eased(part(ms, ...RISES)))];
}

// What stands in a place, with where it stands; null: neither a flow nor the trellis of the same numbers.
export function seen(place) {
  if (calm() || !place.checkVisibility()) return null;
  const flow = place.querySelector("[data-figure=flow]");
  const cells = [...place.querySelectorAll("[data-figure=trellis] .cell[data-p]")];
  const words = [...place.querySelectorAll(flow ? ".words bdi" : wordsOf(place))];
  const columns = new Set(cells.map((cell) => cell.dataset.token));
  const isWhole = columns.size === words.length || place.querySelector(".ribbons path"); // also where some are out of view
  if (!flow && !isWhole) return null; // other numbers than the flow's
  const named = (one) => (flow ? `.pad [data-corner="${one[0]}"]` : `[data-mode="${one[1]}"]`);
  return {
    place,
    isFlow: Boolean(flow),
    said: words.map((word) => word.textContent).join(" "),
    words: words.map((word) => ({
      text: word.textContent,
      ...boxOf(word),
      size: parseFloat(getComputedStyle(word).fontSize),
    })),
    marks: flow ? blocksOf(place) : cellsOf(cells),
    ribbons: flow ? ribbonsOf(place) : [],
    names: NAMES.map((one) => place.querySelector(named(one))).map(
      (el) => el && { text: el.textContent, ...boxOf(el) },
    ),
    knob: boxOf(place.querySelector(flow ? ".dot" : '[data-mode][aria-pressed="true"]')),
  };
}

// The words stand over their columns, or in a line of their own where the window is narrow.
const wordsOf = (place) =>
  boxOf(place.querySelector(".head .word")).width ? "[data-figure=trellis] .word" : ".sentence .to";

const boxOf = (el) => {
  const { left, top, width, height } = el?.getBoundingClientRect() ?? { left: 0, top: 0, width: 0, height: 0 };
  return { left, top, width, height };
};

const blocksOf = (place) =>
  [...place.querySelectorAll(".block")]
    .filter((block) => block.style.display !== "none")
    .map((block) => block.querySelector(".face"))
    .map((face) => ({
      key: `${face.dataset.token} ${face.dataset.tag}`,
      token: Number(face.dataset.token),
      tag: face.dataset.tag,
      p: Number(face.dataset.p),
      colour: face.getAttribute("fill"),
      best: face.parentNode.classList.contains("best"),
      box: boxOf(face),
    }));

const cellsOf = (cells) =>
  cells.map((cell) => ({
    key: `${cell.dataset.token} ${cell.dataset.tag}`,
    token: Number(cell.dataset.token),
    box: boxOf(cell.querySelector(".body")),
  }));

// Where each cell stands: "token tag" → its box. Columns out of view go on at the same distances.
function placesOf(cells, length) {
  const seen = cells.filter(({ box }) => box.width);
  const places = new Map(seen.map(({ key, box }) => [key, box]));
  const last = seen.filter(({ token }) => token === seen.at(-1)?.token);
  for (const { key, token, box } of last) {
    const before = places.get(key.replace(/^\d+/, String(token - 1)));
    const pitch = before ? box.left - before.left : 2 * box.width;
    for (let t = token + 1; t < length; t++)
      places.set(key.replace(/^\d+/, String(t)), { ...box, left: box.left + (t - token) * pitch });
  }
  return places;
}

const ribbonsOf = (place) =>
  [...place.querySelectorAll(".ribbon")]
    .filter(({ style }) => style.display !== "none")
    .map((band) => ({
      from: `${band.dataset.token} ${band.dataset.from}`,
      to: `${Number(band.dataset.token) + 1} ${band.dataset.to}`,
      p: Number(band.dataset.p),
      colour: band.style.getPropertyValue("--c"),
    }));

// Play from what stood there to what stands there now.
export function morph(before, place, signal) {
  const after = before && seen(place);
  if (!after || before.isFlow === after.isFlow || before.said !== after.said) return;
  const [flow, trellis] = before.isFlow ? [before, after] : [after, before];
  const film = new Film(flow, trellis);
  const old = before.place;
  for (const one of [old, film.root]) Object.assign(one, { inert: true, ariaHidden: "true" });
  old.classList.add("leaves");
  for (const figure of old.querySelectorAll(".figure")) figure.style.visibility = "hidden";
  place.prepend(old);
  place.append(film.root);
  place.classList.add("comes");
  const began = performance.now();
  const end = () => {
    for (const one of [old, film.root]) one.remove();
    place.classList.remove("comes");
    place.style.removeProperty("--seen");
  };
  const step = () => {
    const ms = performance.now() - began;
    if (ms >= WHOLE || signal.aborted) return end();
    old.style.opacity = String(1 - part(ms, 0, GONE));
    place.style.setProperty("--seen", String(part(ms, 600, WHOLE)));
    film.draw(before.isFlow ? ms : WHOLE - ms);
    requestAnimationFrame(step);
  };
  step();
}

// What moves, by the milliseconds from the flow on.
class Film {
  flow;
  trellis;
  root;
  marks;

  constructor(flow, trellis) {
    Object.assign(this, { flow, trellis });
    this.root = html("div", { class: "film" });
    this.svg = svg("svg", {}, this.root);
    const cells = placesOf(trellis.marks, flow.words.length);
    this.marks = new Map(
      flow.marks.map((block) => {
        const to = cells.get(block.key) ?? cells.get(`${block.token} other`) ?? null;
        return [block.key, { ...block, to, out: 0, into: 0 }];
      }),
    );
    this.bands = flow.ribbons.map((ribbon) => ({
      ...ribbon,
      path: svg("path", { fill: `rgba(${ribbon.colour}, 0.4)` }, this.svg),
    }));
    for (const mark of this.marks.values())
      mark.rect = svg("rect", { rx: 4, fill: mark.colour, class: mark.best ? "best" : "" }, this.svg);
    this.words = flow.words.map((word) => svg("text", { class: "said" }, this.svg, word.text));
    this.capsule = html("div", { class: "capsule" }, this.root);
    this.names = flow.names.map((name, i) =>
      [name, trellis.names[i]].map((one) => html("span", {}, this.root, one?.text ?? "")),
    );
  }

  draw(ms) {
    const { flow, trellis } = this;
    const way = eased(part(ms, 0, MOVED));
    const rest = 1 - part(ms, ...DRAINS);
    for (const mark of this.marks.values()) {
      const to = mark.to ?? mark.box;
      mark.now = Object.fromEntries(
        ["left", "top", "width", "height"].map((key) => [key, between(mark.box[key], to[key], way)]),
      );
      Object.assign(mark, { out: 0, into: 0 });
      const { left: x, top: y, width, height } = mark.now;
      put(mark.rect, { x, y, width, height, opacity: mark.to && mark.p >= SEEN ? rest : 1 - way });
    }
    const thin = eased(part(ms, ...THIN));
    for (const band of this.bands) this.drawBand(band, thin, rest);
    flow.words.forEach((word, t) => {
      const to = trellis.words[t];
      const size = between(word.size, to.size, way);
      put(this.words[t], {
        x: between(word.left + word.width / 2, to.left + to.width / 2, way),
        y: between(word.top + word.height / 2, to.top + to.height / 2, way),
        "font-size": size,
        opacity: to.width ? 1 - part(ms, 860, WHOLE) : 1 - way,
      });
    });
    const slide = eased(part(ms, 0, WHOLE));
    this.names.forEach((pair, i) => {
      const [from, to] = [flow.names[i], trellis.names[i]];
      if (!from || !to) return;
      const [x, y] = alongTheFoot(from, to, STRIP[i], ms);
      pair.forEach((one, k) =>
        Object.assign(one.style, { transform: `translate(${x}px, ${y}px)`, opacity: String(k ? slide : 1 - slide) }),
      );
    });
    const [x, y] = alongTheFoot(flow.knob, trellis.knob, STRIP[0], ms);
    const [width, height] = ["width", "height"].map((key) => between(flow.knob[key], trellis.knob[key], slide));
    Object.assign(this.capsule.style, {
      transform: `translate(${x}px, ${y}px)`,
      width: `${width}px`,
      height: `${height}px`,
      opacity: String(1 - part(ms, 700, WHOLE)),
    });
  }

  // A ribbon fills its share of the blocks' sides, until it is an edge from middle to middle.
  drawBand(band, thin, rest) {
    const [from, to] = [this.marks.get(band.from), this.marks.get(band.to)];
    if (!from?.to || !to?.to) return put(band.path, { d: "" });
    const edge = EDGE + (WIDEST - EDGE) * band.p;
    const side = (mark, at) => {
      const high = (mark.now.height * band.p) / Math.max(mark.p, 1e-9);
      const top = mark.now.top + mark[at];
      mark[at] += high;
      const middle = mark.now.top + mark.now.height / 2;
      const y = between(top, middle - edge / 2, thin);
      return [y, y + between(high, edge, thin)];
    };
    const [a, d] = side(from, "out");
    const [b, c] = side(to, "into");
    const [x0, x1] = [from.now.left + from.now.width, to.now.left];
    const x = (x0 + x1) / 2;
    put(band.path, {
      d: `M${x0} ${a}C${x} ${a} ${x} ${b} ${x1} ${b}V${c}C${x} ${c} ${x} ${d} ${x0} ${d}Z`,
      opacity: Math.min(1, 2 * rest),
    });
  }
}
