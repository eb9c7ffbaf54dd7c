// Scores and edges of a drawing at a step: emissions, start and end, the edges that meet in the current cell, the last edit.

import { filledText, put } from "../shared/dom.js";
import { set } from "./cells.js";
import { edgeAbout, tagged } from "./names.js";
import { number } from "./numbers.js";

const OWN = 54; // px from a cell to END's pill, with the word's own between them
const ROOMY = 84; // px of a cell that has room for a number and a pill

export function drawEmissions(drawing) {
  const { at, now, trellis } = drawing;
  const inside = drawing.mode === "path";
  const carried = !inside && isCarried(drawing); // by the edges into the current cell, beside their transitions
  const filled = carried && trellis.form === "pair" && drawing.mode !== "both" ? now.cell[0] : -1; // pills stand before it
  drawing.emissions.forEach((column, t) =>
    column.slice(0, drawing.columns[t].near ? drawing.rows.length : 0).forEach((score, r) => {
      const { tag, name } = drawing.rows[r];
      const isRead = reads(drawing, `emission:${t}:${tag}`);
      const own = now.cell?.[0] === t && now.cell[1] === tag && now.emission !== null && !now.meet;
      const current = isRead ?? (own || (trellis.form === "message" && meetsAt(now, t))); // messages meet at it
      const hides =
        (isRead && carried) ||
        t === filled ||
        standsInShares(drawing, t) ||
        (pilledInside(drawing, t) && at.cell < ROOMY);
      score.show(tag >= 0 && !hides && (inside || current || !at.crowded));
      if (tag < 0) return;
      const [x, y] = inside ? [at.x(t), at.y(r)] : besideCell(drawing, t, r, current);
      const [wide, high] = current ? [Math.max(52 * at.k, 44), 29 * Math.min(at.k, at.row / 70 + 0.2)] : [24, 24];
      const between = at.straddles && (trellis.form ?? "state") !== "state"; // two cells, with little room
      const room = current ? wide : between ? at.gap : Infinity;
      const fit = fitting(drawing, number(trellis.emissions[t][tag]), room, at.small * (current ? 1.1 : 1));
      score.place(x, y, inside ? at.letters : fit, wide, high);
      set(
        score.group,
        "class",
        `score emission${current ? " pilled" : ""}${inside ? " inside" : ""}${inside && now.path[t] === tag ? " lit" : ""}`,
      );
      write(drawing, score, `e:${t}:${name}`, emissionOf(drawing, t, name), trellis.emissions[t][tag]);
    }),
  );
}

// Whether a step reads a score: a textbook's form says so; ours leaves it to the picture.
function reads({ mode, now }, score) {
  return mode === "path" ? false : now.reads?.includes(score);
}

// Whether the edges into the current cell carry emissions, too.
function isCarried({ now, trellis }) {
  return (trellis.form ?? "state") !== "state" && now.cell && now.terms[0]?.from >= 0;
}

// Whether left and right meet at a word.
const meetsAt = (now, t) => Boolean(now.meet) && t === now.column;

// Whether the own score of the word at which messages meet stands in its cell: where there is no room below it.
const pilledInside = ({ at, now, trellis }, t) => trellis.form === "message" && meetsAt(now, t) && at.crowded;

// Whether a word's own score would stand between its cell and the one where left and right meet: their shares are there.
function standsInShares({ now, trellis }, t) {
  const towards = now.column - t;
  return (
    Boolean(now.meet) &&
    Math.abs(towards) === 1 &&
    (trellis.form === "message" || (trellis.form === "pair" && towards < 0))
  );
}

// The column whose numbers give way to pills, and by how many px to the left: pills stand half on the cells that the edges
// leave where there is little room, and where each edge has two.
export function givesWay(drawing) {
  const { at, now, mode, trellis } = drawing;
  if (now.meet) return pilledInside(drawing, now.column) ? [now.column, 24 * at.k] : [-1, 0];
  const towards = mode === "both" ? -1 : 1;
  const isOn = now.cell
    ? at.straddles || isCarried(drawing)
    : now.kind === "total" && trellis.form === "message" && mode !== "both";
  return isOn ? [(now.cell?.[0] ?? at.columns) - towards, towards * (at.straddles ? 9 : 12) * at.k] : [-1, 0];
}

// Where a cell's emission stands: below it; where it leaves with a message; or where the edges with it come in.
function besideCell({ at, mode, now, trellis }, t, r, current) {
  const { form = "state" } = trellis;
  const half = at.cell / 2;
  if (form !== "state" && !meetsAt(now, t)) {
    const comes = mode === "both" && !(now.meet && t < now.column); // from the right
    const side = form === "pair" || comes ? -1 : 1;
    const away = !current ? 20 : side > 0 ? 0 : 14; // a pill: on the cell's side, as those of edges, or before START's
    const above = at.straddles ? at.high * 0.3 : 0;
    return [at.x(t) + side * (half + Math.min(away * at.k, at.gap / 2)), at.y(r) - above];
  }
  if (at.crowded && current && now.meet) return [at.x(t) + half - 27 * at.k, at.y(r)];
  if (at.crowded) return [at.x(t) + half, at.y(r) + at.high / 2];
  return [at.x(t), at.y(r) + at.high / 2 + (current ? 14 : 12) * at.k];
}

// END's scores: where the last word's own leaves with the message, they stand behind it.
function endsAt({ at, mode, trellis }) {
  const own = trellis.form === "message" && mode !== "both" && !at.straddles;
  return own ? Math.max(at.ending, at.x(at.columns - 1) + at.cell / 2 + OWN * at.k) : at.ending;
}

function write(drawing, score, key, name, value, about = "") {
  score.write(key, name, number(value), drawing.scoreText(number(value)), about);
}

const emissionOf = (drawing, t, name) =>
  filledText(drawing.view.words["emission-of"], { cell: tagged(drawing, t, name) });

// What START and END are called, and the role of their scores: some textbooks have two more tags there.
function endOf({ trellis, view: { words } }, side) {
  if (trellis.ends !== "root") return [words[`${side}-column`], "edge"];
  return [words[side === "start" ? "root-column" : "eos-column"], "transition"];
}

export function drawEnds(drawing) {
  const { at, now, trellis } = drawing;
  for (const [side, hook, x] of [
    ["start", "s", at.start],
    ["end", "z", endsAt(drawing)],
  ]) {
    const current =
      side === "end"
        ? (drawing.isTotal && now.terms.length > 0) || (drawing.mode === "both" && now.terms[0]?.from < 0)
        : drawing.mode !== "both" && now.terms[0]?.from < 0;
    // Below the last word's own score.
    const below = side === "end" && trellis.form === "message" && drawing.mode !== "both" && at.straddles;
    const beside = now.meet && now.column === (side === "start" ? 0 : at.columns - 1); // the shares stand there
    const [head, role] = endOf(drawing, side);
    drawing.sides[side].style.display = at.phone ? "none" : "";
    if (drawing.sides[side].textContent !== head) drawing.sides[side].textContent = head;
    drawing.ends[side].slice(0, drawing.rows.length).forEach((score, r) => {
      const { tag, name } = drawing.rows[r];
      const lit = reads(drawing, `${side}:${tag}`) ?? (current && (!now.cell || now.cell[1] === tag));
      score.show(tag >= 0 && !drawing.at.hasStairs && !beside);
      if (tag < 0) return;
      set(score.group, "class", `score ${role}${lit ? " pilled" : ""}`);
      const fit = lit ? fitting(drawing, number(trellis[side][tag]), 48 * at.k) : at.small * 1.06;
      const y = at.y(r) + (below ? at.high * 0.25 : 0);
      score.place(x, y, fit, lit ? 48 * at.k : 30, (lit ? 28 : 24) * Math.min(at.k, at.row / 50));
      write(drawing, score, `${hook}:${name}`, `${head}, ${name}`, trellis[side][tag]);
    });
  }
}

// The edges that meet in the current cell, with their scores at their sources.
export function drawEdges(drawing) {
  const { at, now, rows, pills } = drawing;
  const { terms } = now;
  const best = drawing.mode === "best";
  const drawn = terms.length > 0 && !now.meet && !(now.kind === "total" && drawing.mode === "both");
  drawing.groups.bands.style.display = drawn ? "" : "none";
  const back = drawing.mode === "both" && now.cell;
  const folded = rows.at(-1)?.tag < 0;
  const ends = rows.map((row, r) => ({ y: at.y(r), share: 0, score: null, wins: false, forbidden: false, count: 0 }));
  for (const term of terms) {
    const end = ends[term.from >= 0 ? drawing.row(term.from) : now.cell ? drawing.row(now.cell[1]) : 0];
    end.share += term.share;
    end.count += 1;
    Object.assign(end, { score: number(term.score), emission: term.emission });
    end.forbidden = number(term.sum) === -Infinity;
    end.wins = end.wins || term.wins;
    end.ties = end.ties || now.ties?.includes(term.from);
  }
  const inner = drawn && terms[0].from >= 0 && now.cell;
  const [t, s] = now.cell ?? [at.columns, -1];
  const half = at.cell / 2;
  if (drawn) {
    const met = ends.filter((end) => end.count);
    const x1 = now.cell ? at.x(t) + (back ? half : -half) : at.whole - at.total / 2;
    const x0 = inner
      ? at.x(back ? t + 1 : t - 1) + (back ? -half : half)
      : !now.cell
        ? at.x(at.columns - 1) + half
        : back
          ? at.ending - at.aside
          : at.start + at.aside;
    drawing.bands.draw(met, x0, x1, now.cell ? at.y(drawing.row(s)) : at.middle, at.mouth, best && met.length > 1);
  }
  const carried = inner && isCarried(drawing);
  pills.slice(0, rows.length).forEach((pill, r) => {
    const [end, second] = [ends[r], drawing.seconds[r]];
    const shown = Boolean(inner && end.count && s >= 0); // the other tags together have no single score
    pill.show(shown);
    second?.show(Boolean(carried && shown && rows[r].tag >= 0));
    if (!shown) return;
    const { name, tag } = rows[r];
    const to = drawing.trellis.tags[s].name;
    const side = back ? -1 : 1;
    const [wide, high] = [Math.min(51 * at.k, Math.max(at.gap, 44) * 0.98), 27 * Math.min(at.k, at.row / 50)];
    const places = pillPlaces(drawing, at.x(t - side) + side * half, at.y(r), side, carried, wide, high);
    pill.place(...places[0], fitting(drawing, end.score, wide), wide, high);
    set(pill.group, "class", `score transition pilled${folded && tag < 0 ? " many" : ""}`);
    if (tag < 0) return pill.write("", "", 0, String(end.count));
    const [from, into] = back ? [to, name] : [name, to];
    write(drawing, pill, drawing.transitionKey(from, into, t), `${from} → ${into}`, end.score, edgeAbout(drawing, end));
    if (!carried) return;
    const own = drawing.trellis.form === "pair" && !back; // the current cell's emission, else the one where the edge begins
    const [token, of] = own ? [t, to] : [t - side, name];
    second.place(...places[1], fitting(drawing, end.emission, wide), wide, high);
    set(second.group, "class", "score emission pilled");
    write(drawing, second, `e:${token}:${of}`, emissionOf(drawing, token, of), end.emission);
  });
}

// px of a score's letters in a pill.
function fitting(drawing, score, wide, most = drawing.at.small * 1.06) {
  return Math.min(most, (wide - 6) / (0.54 * drawing.scoreText(number(score)).length));
}

// Where an edge that begins at x, y has its transition, and its emission where it carries one.
function pillPlaces({ at, mode, trellis }, x, y, side, carried, wide, high) {
  const one = x + side * (at.straddles ? 7 : 31) * at.k;
  if (!carried) return [[one, y]];
  if (at.straddles)
    return [
      [one, y + high * 0.5],
      [one, y - high * 0.5],
    ];
  const [near, far] = [x, x + side * (wide + 3)];
  return trellis.form === "message" || mode === "both"
    ? [
        [far, y],
        [near, y],
      ]
    : [
        [near, y],
        [far, y],
      ];
}

// The score that was changed last, with what it was; where its own pill has moved on, one stays where it was held.
export function drawLastEdit(drawing) {
  const { at, edit, view } = drawing;
  drawing.lastEdit.style.display = edit ? "" : "none";
  if (!edit) return;
  const { key, x, y, role, from, first, value, away } = edit;
  const [before, ways] = [drawing.lastEdit.children[1], drawing.lastEdit.children[2]];
  drawing.lastPill.show(away);
  put(ways, { d: away ? `M${x - 6} ${y - 21}l6 -5 6 5M${x - 6} ${y + 21}l6 5 6 -5` : "" });
  set(drawing.lastPill.group, "class", `score ${role} pilled`);
  drawing.lastPill.place(x, y, at.small * 1.06, 54 * at.k, 27 * at.k);
  drawing.lastPill.write(away ? key : "", key.slice(2).replace(":", " → "), value, drawing.scoreText(value));
  before.textContent = filledText(view.words[first === from ? "was" : "was-first"], {
    score: drawing.scoreText(from),
    first: drawing.scoreText(first),
  });
  before.setAttribute("class", `before ${role}`);
  put(before, role === "emission" ? { x: x + 34 * at.k, y: y + 6 * at.k } : { x, y: y + (away ? 35 : 25) * at.k });
}
