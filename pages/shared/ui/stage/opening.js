// The opening: the dot travels from "each word alone" to "with its neighbours". Where motion is unwanted, both ends stand
// side by side.

const [STILL, TRAVEL, REST] = [800, 4400, 800]; // ms
const SEEN = "crf-opened";

export const calm = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

// Whether this browser session has not seen it yet; from now on it has.
export function isFirst() {
  try {
    const first = !sessionStorage.getItem(SEEN);
    sessionStorage.setItem(SEEN, "1");
    return first;
  } catch {
    return false; // a browser that keeps nothing would play it on each page
  }
}

// Call `show(lambda)` for each frame, then `done`. Returns what stops it.
export function play(show, done) {
  const began = performance.now();
  let frame = requestAnimationFrame(step);
  function step(now) {
    const share = Math.min(Math.max((now - began - STILL) / TRAVEL, 0), 1);
    show(Math.round(1e4 * share * share * (3 - 2 * share)) / 1e4);
    if (now - began < STILL + TRAVEL + REST) frame = requestAnimationFrame(step);
    else done();
  }
  return () => cancelAnimationFrame(frame);
}
