// What the benchmarks of the app do in its pages; on each page it is there before the app.
window.deep = (what, root = document) => [
  ...root.querySelectorAll(what),
  ...[...root.querySelectorAll("*")].flatMap((e) => (e.shadowRoot ? deep(what, e.shadowRoot) : [])),
];
// The time when the next frame is painted.
window.painted = () => new Promise((done) => requestAnimationFrame(() => setTimeout(() => done(performance.now()))));
// The milliseconds until something read from the page has changed and is painted: the frame in which
// a change is seen is the one that paints it.
const changes = async (read, act) => {
  const before = read(),
    start = performance.now();
  act();
  do {
    if (performance.now() - start > 20000) throw Error("nothing changed");
    await new Promise((done) => requestAnimationFrame(done));
  } while (read() === before || read() === undefined);
  await new Promise((done) => setTimeout(done));
  return performance.now() - start;
};
const probability = () =>
  deep(".detail")
    .map((e) => e.textContent)
    .join();

let lesson;
const told = () => {
  if (!lesson?.isConnected) lesson = deep(".lesson")[0];
  return [...(lesson?.querySelectorAll(".say, .equation, .question") ?? [])].map((e) => e.textContent).join();
};
const pressed = (target, key) =>
  target.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, composed: true }));

const typed = (text) => {
  const field = deep("[data-headline]")[0];
  field.value = text;
  field.setSelectionRange(text.length, text.length);
  field.dispatchEvent(new Event("input", { bubbles: true }));
};

window.bench = {
  step: (key) => changes(told, () => pressed(deep(".lesson")[0], key)),
  // A transition into the cell on screen, raised or lowered.
  score: (key) =>
    changes(told, () => {
      const score = deep('.lesson [data-score^="t:"]')[0];
      score.focus();
      pressed(score, key);
    }),
  fix: () =>
    changes(probability, () => {
      const fixed = deep(".block[aria-pressed=true]")[0]; // let go; else one off the best path
      const isOther = (e) => e.querySelector("[data-tag]").dataset.tag === "other";
      const other = deep(".block").find((e) => !e.classList.contains("best") && !isOther(e));
      (fixed ?? other).dispatchEvent(new MouseEvent("click", { bubbles: true }));
    }),
  retype: (text) =>
    changes(probability, () => {
      const field = deep("[data-headline]")[0];
      field.focus();
      field.value = text;
      field.dispatchEvent(new Event("input", { bubbles: true }));
      field.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", code: "Enter", bubbles: true }));
    }),
  // A text with a blank behind its last word, which is read then.
  type: (text) =>
    changes(
      () => deep("[data-figure=flow] .block.best").length,
      () => typed(text),
    ),
  empty: () => typed(""),
  // Counts frames from now on.
  count: () => {
    window.frames = 0;
    const next = () => {
      window.frames++;
      requestAnimationFrame(next);
    };
    requestAnimationFrame(next);
  },
  // Types a score that is new into a cell, then waits until no run has begun for a while: an edit
  // runs the trellis and then the page. Until the frame after the last run has been painted.
  edit: async (cell) => {
    const app = document.querySelector("[data-testid=stApp]");
    const runs = () => app.dataset.testScriptState === "running";
    let last;
    const watch = new MutationObserver(async () => {
      const now = await painted();
      last = runs() ? undefined : now;
    });
    cell.focus();
    cell.value = ((Number(cell.value) || 0) + 0.1).toFixed(1);
    cell.dispatchEvent(new Event("input", { bubbles: true }));
    watch.observe(app, { attributes: true, attributeFilter: ["data-test-script-state"] });
    const start = performance.now();
    cell.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true }));
    while (!last || runs() || performance.now() - last < 400) {
      if (performance.now() - start > 20000) throw Error("nothing ran");
      await new Promise((done) => setTimeout(done, 10));
    }
    watch.disconnect();
    return last - start;
  },
  // Notes when a trellis has been painted, and when the pointer was last moved.
  watch: () => {
    window.paints = [];
    let before = told();
    new MutationObserver(async () => {
      const now = told();
      if (now === before) return;
      before = now;
      window.paints.push(await painted());
    }).observe(deep(".lesson")[0], { childList: true, subtree: true, characterData: true });
    document.addEventListener("pointermove", () => (window.moved = performance.now()), true);
  },
};
