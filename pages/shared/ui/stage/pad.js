// The pad: one dot. Across λ, how much words listen to their neighbours; down τ, how much the best reading takes over.

import { decimal } from "../../../../crf/figures/shared/decimal.js";
import { fill, filledText, put, svg } from "../../../../crf/figures/shared/dom.js";

const [STEP, FINE] = [0.05, 0.01]; // of the arrow keys
const SNAP = 0.04; // the distance from an edge at which the dot snaps to it
const KEY_RESTS = 150; // ms after the last key
const CORNERS = [
  { name: "softmax", x: 0, y: 1 },
  { name: "posterior", x: 1, y: 1 },
  { name: "greedy", x: 0, y: 0 },
  { name: "viterbi", x: 1, y: 0 },
];
const [PLAY, PAUSE] = ["M14 10.5v17l14.5-8.5z", "M12.5 11h4.5v16h-4.5zM21 11h4.5v16h-4.5z"];
const SKELETON = `
<button type="button" class="corner" tabindex="-1" data-corner="softmax"></button>
<span class="edge" data-edge="all"></span>
<button type="button" class="corner" tabindex="-1" data-corner="posterior"></button>
<button type="button" class="play" data-play><svg viewBox="0 0 38 38" aria-hidden="true"><path></path></svg></button>
<div class="board"><svg class="points" aria-hidden="true"></svg>
  <div class="field"><svg aria-hidden="true"><line></line><circle r="6"></circle></svg><div class="dot" role="slider" tabindex="0" aria-valuemin="0" aria-valuemax="1"></div>
  </div>
</div>
<button type="button" class="network-tick" data-read-all aria-pressed="false"><i></i><span></span></button>
<button type="button" class="corner" tabindex="-1" data-corner="greedy"></button>
<span class="edge" data-edge="best"></span>
<button type="button" class="corner" tabindex="-1" data-corner="viterbi"></button>
<p class="ends"><span data-end="alone"></span><span class="half"></span><span data-end="together"></span></p>`;

const snapped = (value) => (value < SNAP ? 0 : value > 1 - SNAP ? 1 : value);
const clamp = (value) => Math.min(Math.max(Math.round(value * 100) / 100, 0), 1);

export class Pad {
  root;
  moved;
  rests;
  half;
  board;
  field;
  dot;
  line;
  start;
  words;
  held;
  timer;
  lambda = 1;
  tau = 1;
  from = null;
  ticked = false;

  // `moved(lambda, tau)` while the dot moves, `rests()` when it has come to rest; `plays()`, `ticks()`: a button is pressed.
  constructor(root, { moved, rests, plays, ticks }) {
    fill(root, SKELETON);
    Object.assign(this, { root, moved, rests });
    [this.board, this.field, this.dot, this.line, this.start, this.half] = [
      ".board",
      ".field",
      ".dot",
      "line",
      "circle",
      ".half",
    ].map((part) => root.querySelector(part));
    this.plays(false);
    root.querySelector(".play").onclick = plays;
    root.querySelector(".network-tick").onclick = ticks;
    const points = root.querySelector(".points");
    for (let i = 0; i <= 10; i++)
      for (let j = 0; j <= 4; j++) svg("circle", { cx: `${10 * i}%`, cy: `${25 * j}%`, r: 1.2 }, points);
    this.board.onpointerdown = (event) => this.grasp(event);
    this.board.onpointermove = (event) => this.held === event.pointerId && this.drag(event);
    this.board.onpointerup = this.board.onpointercancel = () => this.release();
    this.dot.onkeydown = (event) => this.key(event);
    for (const { name, x, y } of CORNERS) root.querySelector(`[data-corner=${name}]`).onclick = () => this.jump(x, y);
  }

  // A corner's name is pressed: the dot goes there.
  jump(lambda, tau) {
    this.from = [this.lambda, this.tau];
    this.move(lambda, tau);
    this.rests();
  }

  name(words) {
    this.words = words;
    for (const part of this.root.querySelectorAll("[data-corner]")) {
      part.textContent = words[part.dataset.corner];
      part.title = words[`about-${part.dataset.corner}`];
    }
    for (const [kind, parts] of [
      ["end", this.root.querySelectorAll("[data-end]")],
      ["edge", this.root.querySelectorAll("[data-edge]")],
    ])
      for (const part of parts) part.textContent = words[part.dataset[kind]];
    this.root.querySelector(".play").setAttribute("aria-label", words.play);
    this.dot.setAttribute("aria-label", words.pad);
  }

  // Whether the dot moves by itself.
  plays(isPlaying) {
    this.root.querySelector(".play path").setAttribute("d", isPlaying ? PAUSE : PLAY);
  }

  // The tick: what it is called, whether it is on; null: there is none.
  tick(name, isOn) {
    const tick = this.root.querySelector(".network-tick");
    tick.hidden = name === null;
    tick.lastElementChild.textContent = name ?? "";
    tick.setAttribute("aria-pressed", String(isOn));
    this.ticked = isOn;
    this.put(this.lambda, this.tau);
  }

  // Put the dot somewhere; the trail leads there from `from`, if that is given.
  put(lambda, tau, from = this.from) {
    Object.assign(this, { lambda, tau, from });
    this.root.style.setProperty("--x", lambda);
    this.root.style.setProperty("--y", 1 - tau);
    const trail = from && (from[0] !== lambda || from[1] !== tau);
    for (const part of [this.line, this.start]) part.style.display = trail ? "" : "none";
    if (trail) {
      const [x, y] = from.map((share, i) => `${100 * (i ? 1 - share : share)}%`);
      put(this.line, { x1: x, y1: y, x2: `${100 * lambda}%`, y2: `${100 * (1 - tau)}%` });
      put(this.start, { cx: x, cy: y });
    }
    const distance = ({ x, y }) => Math.hypot(x - lambda, y - tau);
    const { name: nearest } = CORNERS.reduce((a, b) => (distance(b) < distance(a) ? b : a));
    for (const part of this.root.querySelectorAll("[data-corner]"))
      part.classList.toggle("nearest", part.dataset.corner === nearest);
    const between = lambda > 0 && lambda < 1;
    this.half.textContent = between ? filledText(this.words.half, { share: decimal(lambda.toFixed(2)) }) : "";
    this.root.classList.toggle("between", between);
    this.root.classList.toggle("read-all", this.ticked && lambda === 1 && tau === 1);
    const place = `λ ${decimal(lambda.toFixed(2))}, τ ${decimal(tau.toFixed(2))}`;
    put(this.dot, {
      "data-lambda": lambda,
      "data-tau": tau,
      "aria-valuenow": lambda,
      "aria-valuetext": `${this.words[nearest]}, ${place}`,
    });
  }

  move(lambda, tau) {
    this.put(clamp(lambda), clamp(tau));
    this.moved(this.lambda, this.tau);
  }

  grasp(event) {
    if (event.button) return;
    event.preventDefault();
    this.dot.focus({ preventScroll: true });
    this.board.setPointerCapture(event.pointerId);
    this.held = event.pointerId;
    this.from = [this.lambda, this.tau];
    this.root.classList.add("held");
    this.drag(event);
  }

  drag(event) {
    const { left, top, width, height } = this.field.getBoundingClientRect();
    this.move(snapped((event.clientX - left) / width), snapped(1 - (event.clientY - top) / height));
  }

  release() {
    if (this.held === undefined) return;
    this.held = undefined;
    this.root.classList.remove("held");
    this.rests();
  }

  key(event) {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const step = event.shiftKey ? FINE : STEP;
    const to = {
      ArrowLeft: [this.lambda - step, this.tau],
      ArrowRight: [this.lambda + step, this.tau],
      ArrowUp: [this.lambda, this.tau + step],
      ArrowDown: [this.lambda, this.tau - step],
      Home: [0, this.tau],
      End: [1, this.tau],
    }[event.key];
    if (!to) return;
    event.preventDefault();
    event.stopPropagation();
    this.from ??= [this.lambda, this.tau];
    this.move(to[0], to[1]);
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.rests(), KEY_RESTS);
  }
}
