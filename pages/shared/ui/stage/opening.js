// The dot travels from "each word alone" to "with its neighbours": slowly where the page opens, quickly for a new sentence.
// Where motion is unwanted, both ends stand side by side when the page opens.

export const SLOWLY = { still: 800, travel: 4400, rest: 800 }; // ms
export const ONCE = { still: 0, travel: 1200, rest: 0 };
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
export function play({ still, travel, rest }, show, done) {
  const began = performance.now();
  let frame = requestAnimationFrame(step);
  function step(now) {
    const share = Math.min(Math.max((now - began - still) / travel, 0), 1);
    show(Math.round(1e4 * share * share * (3 - 2 * share)) / 1e4);
    if (now - began < still + travel + rest) frame = requestAnimationFrame(step);
    else done();
  }
  return () => cancelAnimationFrame(frame);
}
