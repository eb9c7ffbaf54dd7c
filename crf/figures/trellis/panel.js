// The words beside the drawing: equation, terms and the table behind the figure.

import { element, filledText, html } from "../shared/dom.js";

const ROLES = ["previous", "transition", "emission", "start", "end"];
const ROLE_CLASS = { previous: "p", transition: "t", emission: "e", start: "x", end: "x" };

const headCell = (scope, textContent) => element("th", { scope, textContent });

export const nameOf = ({ role, at }) => [role, ...at].join(":");

// A number that is read, named so that it can be lit wherever it stands.
function writeRead(tag, parent, index, data) {
  const read = data.reads[index];
  return html(tag, { class: `read ${ROLE_CLASS[read.role]}`, "data-read": nameOf(read) }, parent, read.label);
}

// An equation is lines of pieces: plain text, the index of a number read, a symbol {role, text, sub, rest}, or a group
// {psi: pieces, name}.
export function writeEquation(host, step, data) {
  host.replaceChildren();
  for (const line of step.equation) {
    const row = html("div", { class: "line" }, host);
    for (const piece of line) writePiece(row, piece, data);
  }
  const last = html("div", { class: "last" }, host);
  if (step.equation.length > 1) last.append(last.previousSibling);
  html("p", { class: "note" }, last, step.note || "\u00a0");
}

function writePiece(row, piece, data) {
  if (typeof piece === "string") return row.append(piece);
  if (typeof piece === "number") return writeRead("span", row, piece, data);
  if (piece.psi) {
    const group = html("ruby", {}, row);
    for (const inner of piece.psi) writePiece(group, inner, data);
    return html("rt", {}, group, piece.name);
  }
  const symbol = html("span", { class: `symbol ${piece.role}` }, row, piece.text);
  if (piece.sub) html("sub", {}, symbol, piece.sub);
  if (piece.rest) symbol.append(piece.rest);
}

// The terms as rows.
export function writeTerms(table, step, data) {
  const body = table.tBodies[0];
  const stop = [...body.rows].findIndex((row) => row.contains(table.getRootNode().activeElement));
  writeTermHeads(table.tHead, step, data);
  body.replaceChildren(...step.terms.map((term) => termRow(term, step, data)));
  table.tFoot.replaceChildren();
  if (step.merged) writeFoot(table.tFoot, step, step.merged).append(data.merged);
  if (step.added.length) writeAdded(writeFoot(table.tFoot, step, step.label), step, data);
  const stops = [...body.querySelectorAll("[data-stop]")];
  stops.forEach((element, i) => (element.tabIndex = i === Math.max(stop, 0) ? 0 : -1));
  if (stop >= 0) (stops[stop] ?? stops[0])?.focus();
}

function writeTermHeads(head, step, data) {
  head.replaceChildren();
  const max = data.semiring === "max";
  const roles = step.terms[0].reads.map((index) => data.reads[index].role);
  const inPsi = roles.filter((role) => role !== "previous").length;
  if (data.pair && step.kind === "cell" && step.terms[0].from >= 0) {
    const group = html("tr", { class: "group" }, head);
    const before = roles.indexOf("previous") === 0 ? 2 : 1;
    html("td", { colspan: before }, group);
    html("th", { scope: "colgroup", colspan: inPsi }, group, data.joint === "+" ? "log ψ" : "ψ");
    html("td", { colspan: roles.length - inPsi + 4 - before - 1 }, group);
  }
  const top = html("tr", {}, head);
  html("th", { scope: "col" }, top, data.backward ? data.words.to : data.words.from);
  roles.forEach((role, i) =>
    html(
      "th",
      { scope: "col", class: ROLE_CLASS[role] },
      top,
      (i ? `${data.joint} ` : "") + data.headings[ROLES.indexOf(role)],
    ),
  );
  html("th", { scope: "col" }, top, data.joint === "+" ? data.words.sum : "=");
  html("th", { scope: "col" }, top, max ? data.words.behind : data.words.share);
}

function termRow({ from, sum, aside, share, reads }, step, data) {
  const wins =
    data.semiring === "max" && step.terms.length > 1 && sum !== data.zero && (step.ties ?? [step.back]).includes(from);
  const row = html("tr", { class: wins ? "wins" : sum === data.zero ? "never" : "", "data-from": from });
  const name = from < 0 ? (data.backward ? "END" : "START") : data.tags[from];
  html("th", { scope: "row" }, row, name);
  row.dataset.stop = "";
  for (const index of reads) writeRead("td", row, index, data);
  html("td", { class: "sum" }, row, sum);
  const verdict = !wins
    ? aside
    : step.ties
      ? from === step.back
        ? data.words.tie_taken
        : data.words.tie
      : data.words.best;
  const last = html("td", { class: "aside" }, row, verdict);
  if (data.semiring === "sum") last.style.setProperty("--bar", `${share}%`);
  return row;
}

// A row under the terms: what they make together, or with what is added to it. Returns the cell for its name.
function writeFoot(foot, step, value) {
  const row = html("tr", {}, foot);
  const head = html("th", { scope: "row", colspan: step.terms[0].reads.length + 1 }, row);
  html("td", { class: "sum" }, row, `= ${value}`);
  html("td", {}, row);
  return head;
}

// What is added once, after the terms are merged.
function writeAdded(head, step, data) {
  const { joint, headings, reads, words } = data;
  head.append(`${words.then} `);
  for (const index of step.added) {
    head.append(`${joint} `);
    html("span", { class: ROLE_CLASS[reads[index].role] }, head, headings[ROLES.indexOf(reads[index].role)]);
    head.append(" ");
    writeRead("span", head, index, data);
  }
}

// `isKnown(column, row)`: whether a number is in the figure already.
export function writeTable(behind, data, isKnown) {
  const table = behind.querySelector("table");
  behind.querySelector(".about").textContent = // beside the table: a caption is no wider than its columns
    filledText(data.words.values_about, data);
  const heads = [data.words.tag, ...data.columns.map(({ index, word }) => `${index} ${word}`)];
  table.tHead.replaceChildren(element("tr", {}, ...heads.map((text) => headCell("col", text))));
  const cells = (row) =>
    data.labels.map((column, c) => element("td", { textContent: isKnown(c, row) ? column[row] : "?" }));
  table.tBodies[0].replaceChildren(
    ...data.tags.map((tag, row) => element("tr", {}, headCell("row", tag), ...cells(row))),
  );
}

// Room for the longest of all sentences and equations, so that nothing moves while stepping; a tick at every change of mind.
export function writeRoom(find, data) {
  const { steps } = data;
  // A step that needs as much room as any: the longest first line, second line and note of all.
  const size = (part) => (typeof part === "string" ? part : JSON.stringify(part ?? [])).length;
  const longest = (parts) => parts.reduce((a, b) => (size(b) > size(a) ? b : a));
  const line = (k) => longest(steps.map((step) => step.equation[k])) ?? [];
  const tallest = { equation: [line(0), line(1)], note: longest(steps.map((step) => step.note)) };
  find(".say .ghost").textContent = longest(steps.map((step) => step.say));
  writeEquation(find(".equation .ghost"), tallest, data);
  find(".panel").style.setProperty(
    "--rows",
    Math.max(...steps.map((step) => step.terms.length + Boolean(step.merged) + (step.added.length > 0))) + data.pair,
  );
  const ticks = data.flips.map(({ step }) => {
    const tick = html("i", { title: data.words.change_of_mind });
    tick.style.setProperty("--at", step / Math.max(steps.length - 1, 1));
    return tick;
  });
  find(".ticks").replaceChildren(...ticks);
}
