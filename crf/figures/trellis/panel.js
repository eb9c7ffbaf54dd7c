// The words below the picture: equation, and the table of values.

import { element, filledText, html } from "../shared/dom.js";
import { number } from "./numbers.js";

// An equation is lines of pieces: plain text, a number {role, number}, a symbol {role, text, sub, rest}, or a group
// {psi: pieces, name}.
export function writeEquation(host, { equation, note }) {
  host.replaceChildren();
  for (const line of equation) {
    const row = html("div", { class: "line" }, host);
    for (const piece of line) writePiece(row, piece);
  }
  html("p", { class: "note" }, host, note || "\u00a0");
}

function writePiece(row, piece) {
  if (typeof piece === "string") return row.append(piece);
  if ("number" in piece) return html("span", { class: `read ${piece.role}` }, row, piece.number);
  if (piece.psi) {
    const group = html("ruby", {}, row);
    for (const inner of piece.psi) writePiece(group, inner);
    return html("rt", {}, group, piece.name);
  }
  const symbol = html("span", { class: `symbol ${piece.role}` }, row, piece.text);
  if (piece.sub) html("sub", {}, symbol, piece.sub);
  if (piece.rest) symbol.append(piece.rest);
}

// The values that the picture has at this step.
export function writeTable(behind, drawing, data) {
  const { tags, tokens, words } = data;
  const table = behind.querySelector("table");
  const head = (scope, textContent) => element("th", { scope, textContent });
  const cell = (t, s) => {
    const value = drawing.trellis.values[t][s];
    if (value === null) return "";
    return drawing.isShown(t, s) ? drawing.cellText(number(value), 2) : "?";
  };
  behind.querySelector(".about").textContent = // beside the table: a caption is no wider than its columns
    filledText(words.values_about, data);
  const heads = [words.tag, ...tokens.map(({ text }, t) => `${t + 1} ${text}`)];
  table.tHead.replaceChildren(element("tr", {}, ...heads.map((text) => head("col", text))));
  table.tBodies[0].replaceChildren(
    ...tags.map(({ name }, s) =>
      element("tr", {}, head("row", name), ...tokens.map((_, t) => element("td", { textContent: cell(t, s) }))),
    ),
  );
}

// Room for the longest of all sentences and equations, so that nothing moves while stepping; a mark at every change of mind.
export function writeRoom(find, { steps, changes }, words) {
  const size = (part) => (typeof part === "string" ? part : JSON.stringify(part ?? [])).length;
  const longest = (parts) => parts.reduce((a, b) => (size(b) > size(a) ? b : a));
  const line = (k) => longest(steps.map((step) => step.equation[k])) ?? [];
  find(".say .ghost").textContent = longest(steps.map((step) => step.say));
  writeEquation(find(".equation .ghost"), {
    equation: [line(0), line(1)],
    note: longest(steps.map((step) => step.note)),
  });
  const marks = changes.map((step) => {
    const mark = html("i", { title: words.change_of_mind });
    mark.style.setProperty("--at", step / Math.max(steps.length - 1, 1));
    return mark;
  });
  find(".changes").replaceChildren(...marks);
}
