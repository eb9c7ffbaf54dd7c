// The scores as tables whose entries are lit by the step that reads them.

function writeTables(host, data) {
  host.replaceChildren();
  host.hidden = data.tables === null;
  if (host.hidden) return;
  if (data.tables.emissions) writeEmissions(scoreTable(host, data.tables.emission), data);
  writeTransitions(scoreTable(host, data.tables.name), data);
  for (const table of host.querySelectorAll("table")) table.querySelector("[data-stop]")?.setAttribute("tabindex", 0);
}

function scoreTable(host, caption) {
  const table = html("table", { class: "matrix" }, html("div", { class: "grid" }, host));
  html("caption", {}, table, caption);
  html("thead", {}, table);
  html("tbody", {}, table);
  return table;
}

function heads(table, labels) {
  const top = html("tr", {}, table.tHead);
  html("td", {}, top);
  for (const label of labels) html("th", { scope: "col" }, top, label);
}

function scoreRow(table, name, entries, linked) {
  const line = html("tr", {}, table.tBodies[0]);
  html("th", { scope: "row" }, line, name);
  for (const [read, label] of entries) {
    const cell = html("td", read ? { "data-read": read } : {}, line, label);
    if (read && linked) Object.assign(cell, { tabIndex: -1 }).dataset.stop = "";
  }
}

function writeEmissions(table, data) {
  const { tokens, emissions } = data.tables;
  heads(table, tokens.map(([index, word]) => `${index} ${clipped(word, 9)}`));
  data.tags.forEach((tag, s) => scoreRow(table, clipped(tag, 9), emissions.map((column, t) => [`emission:${t}:${s}`, column[s]]), true));
}

// With START's row and END's column, where all scores are shown; the first of the matrices, if each step has its own.
function writeTransitions(table, data) {
  const { transitions, start, end, perStep } = data.tables;
  const tags = data.tags.map((tag) => clipped(tag, 9));
  heads(table, end ? [...tags, "END"] : tags);
  if (perStep) table.caption.append(", between tokens ");
  if (perStep) html("span", { class: "gap" }, table.caption, "1 | 2");
  if (start) scoreRow(table, "START", [...start.map((label, s) => [`start:${s}`, label]), [null, ""]], true);
  tags.forEach((tag, i) => {
    const row = (transitions[0]?.[i] ?? []).map((label, j) => [`transition:${i}:${j}`, label]);
    scoreRow(table, tag, end ? [...row, [`end:${i}`, end[i]]] : row, Boolean(end));
  });
}

// The matrix that this step reads.
function turnTo(host, data, step) {
  if (!data.tables?.perStep || step.gap === undefined || host.dataset.gap === String(step.gap)) return;
  host.dataset.gap = step.gap;
  host.querySelector(".gap").textContent = `${step.gap + 1} | ${step.gap + 2}`;
  data.tables.transitions[step.gap].forEach((row, i) =>
    row.forEach((label, j) => (host.querySelector(`[data-read="transition:${i}:${j}"]`).textContent = label)),
  );
}

function lightTables(host, reads, winning) {
  for (const cell of host.querySelectorAll("[data-read]")) {
    cell.classList.toggle("lit", reads.includes(cell.dataset.read));
    cell.classList.toggle("won", winning.includes(cell.dataset.read));
  }
}
