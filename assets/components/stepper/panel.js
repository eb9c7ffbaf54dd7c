// The words beside the drawing: equation, terms and the table behind the figure.

const ROLE_CLASS = ["p", "t", "e", "x", "x"]; // previous, transition, emission, start, end
const ROLE_NAME = ["previous", "transition", "emission", "start", "end"];

const nameOf = (read) => [ROLE_NAME[read[0]], ...read.slice(2)].join(":");

// A number that is read, named so that it can be lit wherever it stands.
function writeRead(tag, parent, index, { data, text }) {
  const read = data.reads[index];
  return html(tag, { class: `read ${ROLE_CLASS[read[0]]}`, "data-read": nameOf(read) }, parent, text(index));
}

// An equation is lines of pieces: plain text, the index of a number read, a symbol [class, text, subscript, text], or a
// group ["psi", pieces, name]. Until the step is open its result is a question mark.
// `how` is { data, text: the text of a read, open }.
function writeEquation(host, step, how) {
  host.replaceChildren();
  step.eq.forEach((line, i) => {
    const row = html("div", { class: "line" }, host);
    const shown = how.open || i === 0 ? line : ["= ", ["res", ""]];
    for (const piece of shown) writePiece(row, piece, how);
  });
  html("p", { class: "note" }, host, (how.open && step.note) || "\u00a0");
}

function writePiece(row, piece, how) {
  if (typeof piece === "string") return row.append(piece);
  if (typeof piece === "number") return writeRead("span", row, piece, how);
  const [role, text, subscript, rest] = piece;
  if (role === "psi") {
    const group = html("ruby", {}, row);
    for (const inner of text) writePiece(group, inner, how);
    return html("rt", {}, group, subscript);
  }
  const symbol = html("span", { class: `symbol ${role}` }, row, role === "res" && !how.open ? "?" : text);
  if (subscript) html("sub", {}, symbol, subscript);
  if (rest) symbol.append(rest);
}

// The terms as rows; while a guess is asked for (`asking`), each row's name is a button.
function writeTerms(table, step, how) {
  const { data, open } = how;
  const focused = table.tBodies[0].contains(table.getRootNode().activeElement);
  const stop = [...table.tBodies[0].rows].findIndex((row) => row.contains(table.getRootNode().activeElement));
  writeTermHeads(table.tHead, step, data);
  table.tBodies[0].replaceChildren(...step.terms.map((term, i) => termRow(term, i, step, how)));
  table.tFoot.replaceChildren();
  if (step.added.length) addedRow(table.tFoot, step, how);
  table.classList.toggle("shut", !open);
  const stops = [...table.tBodies[0].querySelectorAll("[data-stop]")];
  stops.forEach((element, i) => (element.tabIndex = i === Math.max(stop, 0) ? 0 : -1));
  if (focused) (stops[stop] ?? stops[0])?.focus();
}

function writeTermHeads(head, step, data) {
  head.replaceChildren();
  const max = data.semiring === "max";
  const roles = step.terms[0].slice(4).map((index) => data.reads[index][0]);
  const inPsi = roles.filter((role) => role !== 0).length;
  if (data.pair && step.k === "cell" && step.terms[0][0] >= 0) {
    const group = html("tr", { class: "group" }, head);
    const before = roles.indexOf(0) === 0 ? 2 : 1;
    html("td", { colspan: before }, group);
    html("th", { scope: "colgroup", colspan: inPsi }, group, data.joint === "+" ? "log ψ" : "ψ");
    html("td", { colspan: roles.length - inPsi + 4 - before - 1 }, group);
  }
  const top = html("tr", {}, head);
  html("th", { scope: "col" }, top, data.backward ? "to s′" : "from s′");
  roles.forEach((role, i) => html("th", { scope: "col", class: ROLE_CLASS[role] }, top, (i ? `${data.joint} ` : "") + data.headings[role]));
  html("th", { scope: "col" }, top, data.joint === "+" ? "= sum" : "=");
  html("th", { scope: "col" }, top, max ? "vs best" : "share");
}

function termRow([from, sum, aside, bar, ...reads], i, step, how) {
  const { data, open, asking } = how;
  const wins = open && data.semiring === "max" && step.terms.length > 1 && sum !== data.zero && (step.ties ?? [step.back]).includes(from);
  const row = html("tr", { class: wins ? "wins" : sum === data.zero ? "never" : "", "data-from": from });
  const name = from < 0 ? (data.backward ? "END" : "START") : data.tags[from];
  const head = html("th", { scope: "row" }, row, asking ? "" : name);
  const stop = asking ? html("button", { type: "button", class: "choose", title: `Guess ${name}` }, head) : row;
  if (asking && i < 9) html("kbd", { "aria-hidden": "true" }, stop, i + 1);
  if (asking) stop.append(name);
  stop.dataset.stop = "";
  for (const index of reads) writeRead("td", row, index, how);
  html("td", { class: "sum" }, row, open ? sum : "?");
  const verdict = !wins ? aside : step.ties ? (from === step.back ? "tie, taken" : "tie") : "best";
  const last = html("td", { class: "aside" }, row, open ? verdict : "?");
  if (data.semiring === "sum" && open) last.style.setProperty("--bar", `${bar}%`);
  return row;
}

// What is added once, after the terms are merged, and the cell's value with it.
function addedRow(foot, step, how) {
  const { joint, headings, reads } = how.data;
  const row = html("tr", {}, foot);
  const head = html("th", { scope: "row", colspan: step.terms[0].length - 3 }, row, "then ");
  for (const index of step.added) {
    head.append(`${joint} `);
    html("span", { class: ROLE_CLASS[reads[index][0]] }, head, headings[reads[index][0]]);
    head.append(" ");
    writeRead("span", head, index, how);
  }
  html("td", { class: "sum" }, row, how.open ? `= ${step.label}` : "?");
  html("td", {}, row);
}

// A step that needs as much room as any: the longest first line, second line and note of all.
function tallest(steps) {
  const longer = (a, b) => (JSON.stringify(b ?? "").length > JSON.stringify(a ?? "").length ? b : a);
  const all = (part) => steps.map(part).reduce(longer);
  return { eq: [all((step) => step.eq[0]), all((step) => step.eq[1]) ?? []], note: all((step) => step.note) };
}

function writeTable(table, data) {
  table.caption.textContent = `${data.title}: ${data.symbol} of every tag at every token`;
  const top = html("tr", {});
  html("th", { scope: "col" }, top, "Tag");
  for (const [index, word] of data.columns) html("th", { scope: "col" }, top, `${index} ${word}`);
  table.tHead.replaceChildren(top);
  table.tBodies[0].replaceChildren(
    ...data.tags.map((tag, row) => {
      const line = html("tr");
      html("th", { scope: "row" }, line, tag);
      for (const column of data.labels) html("td", {}, line, column[row]);
      return line;
    }),
  );
}

// Room for the longest of all sentences and equations, so that nothing moves while stepping; a tick at every change of mind.
function writeRoom(find, data) {
  const longest = (texts) => texts.reduce((a, b) => (b.length > a.length ? b : a), "");
  find(".say .ghost").textContent = longest(data.steps.flatMap((step) => [step.say, step.ask ?? ""]));
  writeEquation(find(".equation .ghost"), tallest(data.steps), { data, text: (i) => data.reads[i][1], open: true });
  find(".panel").style.setProperty("--rows", Math.max(...data.steps.map((step) => step.terms.length + (step.added.length > 0))) + data.pair);
  find(".work").hidden = data.work === null;
  find(".work .ghost").textContent = longest(data.work?.lines ?? []);
  const ticks = data.flips.map(([step]) => {
    const tick = html("i", { title: "The best prefix changes its mind here" });
    tick.style.setProperty("--at", step / Math.max(data.steps.length - 1, 1));
    return tick;
  });
  find(".ticks").replaceChildren(...ticks);
}
