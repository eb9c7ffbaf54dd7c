// A file has no server: it holds the view of each step of its beats, and of their bets. Views share pictures and steps.

const SETTLED = ["", "-", "."]; // bets that are none
const AGAIN = "~"; // before a number that is typed after a wrong one
const NEAR = 0.0501; // a typed number may be off by this much, because readers round to one decimal

// The answer that a server would give for a state of a beat: { view } or { now, state }; null if the file lacks it.
export function answered({ shared, pictures, nows, views, numbers }, { lesson, beat, state, want }) {
  const { step = "", bet = "", ...base } = state;
  const key = (...parts) =>
    JSON.stringify([
      lesson,
      beat,
      Object.entries(base)
        .filter(([name, text]) => text && name !== "beat")
        .sort(([a], [b]) => (a < b ? -1 : 1)),
      ...parts,
    ]);
  const known = numbers[key(step)];
  // A bet that the file does not answer is told the answer.
  const found = views[key(step, known && !SETTLED.includes(bet) ? typed(bet, known) : bet)] ?? views[key(step, ".")];
  if (!found) return null;
  const { held, bet: asked, ...rest } = structuredClone(found);
  const [place, picture, now] = held;
  const here = { ...structuredClone(nows[now]), bet: asked };
  if (want === "now") return { now: here, state: rest.state };
  return { view: { ...shared[lesson], ...rest, [place]: { ...structuredClone(pictures[picture]), now: here } } };
}

// The number among those that the file answers, as it is written there.
function typed(text, known) {
  return text.startsWith(AGAIN) ? AGAIN + typedOnce(text.slice(AGAIN.length), known) : typedOnce(text, known);
}

function typedOnce(text, { values, other, unreadable }) {
  const value = Number(text.replace(/[−–]/g, "-").replace(",", "."));
  if (Number.isNaN(value)) return unreadable;
  return values.find(([known]) => Math.abs(known - value) <= NEAR)?.[1] ?? other;
}
