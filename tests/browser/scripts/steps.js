async (steps) => {
  const find = (part) => document.querySelector(part);
  const seen = [];
  for (let step = 0; step < steps; step += 1) {
    await new Promise(requestAnimationFrame);
    seen.push({
      said: find(".say .now").innerText,
      result: find(".equation .now .result")?.innerText,
      values: [...document.querySelectorAll('.cell:not([data-value=""])')].map((e) => e.dataset.value),
      below: find(".behind summary").getBoundingClientRect().top,
    });
    find("[data-do=next]").click();
  }
  return seen;
};
