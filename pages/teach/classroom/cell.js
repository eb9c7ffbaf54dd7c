// One cell of a column with the ways into it, for a phone to work out.

import { svg } from "../../../crf/figures/shared/dom.js";
import { number, plain, signed } from "../../../crf/figures/trellis/numbers.js";

const [WIDTH, LABEL, BOX, RIGHT] = [384, 74, 86, 106]; // px of the drawing, a label, a cell before, the cell
const [HIGH, LOW, FEW] = [74, 40, 8]; // px of a row; up to so many rows it is the first
const PILL = [54, 27];

// The ways into a cell: from which tag, the number there, and the score on the way; of the first column, one from the start.
export function waysInto({ tags, values, transitions, per_step: perStep, start, emissions }, [t, s], digits) {
  const score = number(emissions[t][s]);
  if (!t) return { ways: [{ tag: -1, label: "START", value: "", score: number(start[s]), role: "edge" }], score };
  const table = perStep ? transitions[t - 1] : transitions;
  const ways = tags.map(({ name }, r) => ({
    tag: r,
    label: name,
    value: plain(number(values[t - 1][r]), digits),
    score: number(table[r][s]),
    role: "transition",
  }));
  return { ways, score };
}

// `choose(tag)`: a way has been tapped; null where a number is typed. `kept`: the tag of the way that is chosen.
export function drawCell(root, { ways, score }, written, { choose = null, kept = -1 } = {}) {
  const row = ways.length > FEW ? LOW : HIGH;
  const height = Math.max(row * ways.length, 130);
  root.replaceChildren();
  root.setAttribute("viewBox", `0 0 ${WIDTH} ${height}`);
  const middle = height / 2;
  const x = WIDTH - RIGHT - 6;
  const from = LABEL + BOX + 8;
  ways.forEach((way, r) => {
    const y = row * (r + 0.5) + (height - row * ways.length) / 2;
    const into = middle + (r - (ways.length - 1) / 2) * Math.min(12, 44 / ways.length);
    const isKept = choose && way.tag === kept;
    const group = svg(
      "g",
      {
        class: `way${isKept ? " kept" : ""}`,
        ...(choose && { role: "button", tabindex: 0, "data-option": `t${way.tag}`, "aria-pressed": String(isKept) }),
      },
      root,
    );
    svg("path", { class: "edge", d: `M${from - 8} ${y}C${from + 70} ${y} ${x - 70} ${into} ${x} ${into}` }, group);
    if (choose) svg("rect", { class: "target", x: 0, y: y - row / 2, width: from + 64, height: row }, group);
    svg("text", { class: "tag", x: LABEL - 10, y: y + 6, "text-anchor": "end" }, group, way.label);
    if (way.value) {
      const high = Math.min(row - 14, 58);
      svg("rect", { class: "box", x: LABEL, y: y - high / 2, width: BOX, height: high, rx: 9 }, group);
      svg("text", { class: "value", x: LABEL + BOX / 2, y: y + 7, "text-anchor": "middle" }, group, way.value);
    }
    pill(group, way.role, from + 30, y, way.score);
    if (choose) {
      group.onclick = () => choose(way.tag);
      group.onkeydown = ({ key }) => {
        if (key === "Enter" || key === " ") choose(way.tag);
      };
    }
  });
  svg("rect", { class: "box now", x, y: middle - 38, width: RIGHT, height: 76, rx: 11 }, root);
  svg("text", { class: "value now", x: x + RIGHT / 2, y: middle + 10, "text-anchor": "middle" }, root, written);
  pill(root, "emission", x + RIGHT / 2, middle + 40, score);
}

function pill(parent, role, x, y, score) {
  const sign = Number.isFinite(score) ? Math.sign(score) : "never";
  const group = svg("g", { class: `pill ${role}`, "data-sign": sign }, parent);
  svg("rect", { x: x - PILL[0] / 2, y: y - PILL[1] / 2, width: PILL[0], height: PILL[1], rx: PILL[1] / 2 }, group);
  svg("text", { x, y: y + 6, "text-anchor": "middle" }, group, signed(score));
}
