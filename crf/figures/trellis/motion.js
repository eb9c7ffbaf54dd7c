// Motion of a step: edges run in, in *keep best* all but the best are shut, the word's score drops, the number appears. It can
// be skipped; none where it is unwanted.

const [RUN, SHUT, DROP, APPEAR, SIDE] = [250, 150, 120, 150, 300]; // ms
const LOSER = "1.8px"; // the width of an edge until the others are shut
const calm = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

let running = [];

function animate(part, from, delay, duration, to = {}) {
  if (part) running.push(part.animate([from, to], { delay, duration, fill: "backwards", easing: "ease-out" }));
}

export function skip() {
  for (const motion of running) motion.finish();
  running = [];
}

// What one step adds to a drawing.
export function run({ svg, bands, now, mode, groups, meet, total }) {
  if (calm()) return;
  if (now.meet) return met(meet, svg);
  const towards = bands.group.dataset.towards === "left" ? "inset(-40px 0 -40px 100%)" : "inset(-40px 100% -40px 0)";
  animate(bands.group, { clipPath: towards }, 0, RUN, { clipPath: "inset(-40px 0 -40px 0)" });
  const shut = mode === "best" ? SHUT : 0;
  if (shut) {
    animate(bands.bar, { opacity: 0 }, RUN, SHUT);
    for (const winner of bands.group.querySelectorAll(".thick")) animate(winner, { strokeWidth: LOSER }, RUN, SHUT);
  }
  const pill = groups.pills.querySelector(".emission.pilled");
  const drops = pill && mode !== "both";
  if (drops) animate(pill, { opacity: 0, transform: "translateY(-14px)" }, RUN + shut, DROP);
  const cell = now.cell ? svg.querySelector(".cell.now .number") : total.children[1];
  animate(cell, { opacity: 0 }, RUN + shut + (drops ? DROP : 0), APPEAR);
}

function met({ group }, svg) {
  for (const [side, by, delay] of [
    ["left", -24, 0],
    ["right", 24, 0], // both at once, towards each other
  ]) {
    for (const part of group.querySelectorAll(`.${side}`))
      animate(part, { opacity: 0, transform: `translateX(${by}px)` }, delay, SIDE);
  }
  for (const number of svg.querySelectorAll(".cell[data-p] .number")) animate(number, { opacity: 0 }, SIDE, SIDE);
}
