// Scores and edges of a drawing at a step: emissions, start and end, the edges that meet in the current cell, the last edit.

import { filledText, put } from "../../shared/dom.js";
import { set } from "./cells.js";
import { number, signed } from "./numbers.js";

export function drawEmissions(drawing) {
  const { at, now, trellis } = drawing;
  const inside = drawing.mode === "path";
  drawing.emissions.forEach((column, t) =>
    column.slice(0, drawing.columns[t].near ? drawing.rows.length : 0).forEach((score, r) => {
      const { tag, name } = drawing.rows[r];
      const current = !inside && now.cell?.[0] === t && now.cell[1] === tag && now.emission !== null && !now.meet;
      score.show(tag >= 0 && (inside || current || !at.crowded));
      if (tag < 0) return;
      const [x, y] = inside
        ? [at.x(t), at.y(r)]
        : at.crowded
          ? [at.x(t) + at.cell / 2, at.y(r) + at.high / 2]
          : [at.x(t), at.y(r) + at.high / 2 + (current ? 14 : 12) * at.k];
      const [wide, high] = current ? [Math.max(52 * at.k, 44), 29 * Math.min(at.k, at.row / 70 + 0.2)] : [24, 24];
      score.place(x, y, inside ? at.letters : current ? at.small * 1.1 : at.small, wide, high);
      set(
        score.group,
        "class",
        `score emission${current ? " pilled" : ""}${inside ? " inside" : ""}${inside && now.path[t] === tag ? " lit" : ""}`,
      );
      score.write(`e:${t}:${name}`, `${trellis.tokens[t].text}, ${name}`, number(trellis.emissions[t][tag]));
      set(score.group, "tabindex", t === now.column ? 0 : -1);
    }),
  );
}

export function drawEnds(drawing) {
  const { at, now, trellis } = drawing;
  for (const [side, hook, x] of [
    ["start", "s", at.start],
    ["end", "z", at.ending],
  ]) {
    const current =
      side === "end"
        ? (drawing.isTotal && now.terms.length > 0) || (drawing.mode === "both" && now.terms[0]?.from < 0)
        : drawing.mode !== "both" && now.terms[0]?.from < 0;
    const beside = now.meet && now.column === (side === "start" ? 0 : at.columns - 1); // the shares stand there
    drawing.sides[side].style.display = at.phone ? "none" : "";
    drawing.ends[side].slice(0, drawing.rows.length).forEach((score, r) => {
      const { tag, name } = drawing.rows[r];
      const lit = current && (!now.cell || now.cell[1] === tag);
      score.show(tag >= 0 && !drawing.at.hasStairs && !beside);
      if (tag < 0) return;
      set(score.group, "class", `score edge${lit ? " pilled" : ""}`);
      score.place(x, at.y(r), at.small * 1.06, lit ? 48 * at.k : 30, (lit ? 28 : 24) * Math.min(at.k, at.row / 50));
      score.write(`${hook}:${name}`, `${drawing.view.words[`${side}-column`]}, ${name}`, number(trellis[side][tag]));
      set(score.group, "tabindex", 0);
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
    end.score = number(term.score);
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
  pills.slice(0, rows.length).forEach((pill, r) => {
    const end = ends[r];
    pill.show(Boolean(inner && end.count));
    if (!inner || !end.count) return;
    const { name, tag } = rows[r];
    const to = drawing.trellis.tags[s].name;
    const side = back ? -1 : 1;
    const x = at.x(t - side) + side * (half + (at.straddles ? 7 : 31) * at.k);
    pill.place(
      x,
      at.y(r),
      at.small * 1.06,
      Math.min(51 * at.k, Math.max(at.gap, 44) * 0.98),
      27 * Math.min(at.k, at.row / 50),
    );
    set(pill.group, "class", `score transition pilled${folded && tag < 0 ? " many" : ""}`);
    if (tag < 0) pill.write("", "", 0, String(end.count));
    else
      pill.write(
        drawing.transitionKey(back ? to : name, back ? name : to, t),
        `${back ? to : name} → ${back ? name : to}`,
        end.score,
      );
    set(pill.group, "tabindex", 0);
  });
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
  drawing.lastPill.write(away ? key : "", key.slice(2).replace(":", " → "), value);
  before.textContent = filledText(view.words[first === from ? "was" : "was-first"], {
    score: signed(from),
    first: signed(first),
  });
  before.setAttribute("class", `before ${role}`);
  put(before, role === "emission" ? { x: x + 34 * at.k, y: y + 6 * at.k } : { x, y: y + (away ? 35 : 25) * at.k });
}
