// What the trellis's parts are called for those who do not see them: a cell by its word, its tag and what stands in it, an edge
// by its share.

import { filledText } from "../shared/dom.js";
import { number, plain, share } from "./numbers.js";

// A word; one that occurs twice is told apart by its place.
export function wordOf({ tokens }, t) {
  const { text } = tokens[t];
  return tokens.filter((one) => one.text === text).length > 1 ? `${text} (${t + 1})` : text;
}

export function tagged(drawing, t, name) {
  return filledText(drawing.view.words.tagged, { word: wordOf(drawing.trellis, t), tag: name });
}

// `value`: the cell's number, NaN if it has none yet; `p`: its marginal, where that stands in it; `level`: its share.
export function cellName(drawing, t, r, { value, p, level, lit }) {
  const { now, mode, rows, trellis } = drawing;
  const { words } = drawing.view;
  const cell = tagged(drawing, t, rows[r].name);
  const told = [];
  if (now.filled && t === now.column && Number.isNaN(value)) told.push(words["to-fill"]);
  else if (mode === "path")
    told.push(lit ? filledText(words["sum-so-far"], { sum: plain(number(now.running[t]), 1) }) : "");
  else if (!Number.isNaN(value) && !(now.meet && t === now.column))
    told.push(`${symbolAt(drawing, t)} ${drawing.cellText(value, drawing.digits)}`);
  if (now.meet && t === now.column)
    for (const side of ["left", "right"])
      told.push(`${words[`${side}-says`]} ${share(drawing.byRow(now.meet[side])[r])}`);
  if (p !== undefined) told.push(filledText(words["of-all"], { p: share(p) }));
  else if (level !== null && mode !== "path" && mode !== "best" && !Number.isNaN(value))
    told.push(filledText(words["of-column"], { p: share(level) }));
  if (lit && mode === "best") told.push(words[drawing.isTotal ? "on-best" : "on-lead"]);
  if (trellis.tokens[t].fixed === rows[r].tag) told.push(words["is-fixed"]);
  const given = trellis.given?.[`${t},${rows[r].tag}`];
  if (given && !Number.isNaN(value)) told.push(filledText(words["is-given"], { value: given }));
  return told.filter(Boolean).reduce((all, one, i) => filledText(words[i ? "and-says" : "says"], { all, one }), cell);
}

function symbolAt({ now, trellis }, t) {
  return (now.meet && t < now.column ? trellis.left_symbol : trellis.symbol) ?? "";
}

// What an edge into the current cell brings.
export function edgeAbout({ mode, view: { words } }, { share: p, wins, ties, forbidden }) {
  if (forbidden) return words["is-forbidden"];
  if (mode !== "best") return filledText(words["of-sum"], { p: share(p) });
  return wins ? words["is-best"] : ties ? words["is-tied"] : words["is-cut"];
}
