// A file has no server: it holds the view of each step and each bet of its beats.

const SETTLED = ["", "-", "."]; // bets that are none
const NEAR = 0.0501; // a typed number may be off by this much, because readers round to one decimal

// The answer that a server would give for a state of a beat: { view } or { now, state }; null if the file lacks it.
export function answered({ shared, views, numbers }, { lesson, beat, state, want }) {
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
  const found = views[key(step, known && !SETTLED.includes(bet) ? typed(bet, known) : bet)];
  if (!found) return null;
  const view = { ...shared[lesson], ...found };
  return want === "now" ? { now: view.picture.now, state: view.state } : { view: structuredClone(view) };
}

// The number among those that the file answers, as it is written there.
function typed(text, { values, other, unreadable }) {
  const value = Number(text.replace(/[−–]/g, "-").replace(",", "."));
  if (Number.isNaN(value)) return unreadable;
  return values.find(([known]) => Math.abs(known - value) <= NEAR)?.[1] ?? other;
}
