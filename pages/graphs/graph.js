// The factor graph of five days: circles for the weather, squares for factors, cones below; bows join days that
// depend on each other.

import { decimal } from "../../crf/figures/shared/decimal.js";
import { svg } from "../../crf/figures/shared/dom.js";

const ROLE = { start: "edge", end: "edge", emission: "emission", transition: "transition" };
const NEXT = { "-": "h", h: "c", c: "-" };
const LOCK = "M-7 -1H7V9H-7ZM-4.5 -1V-5A4.5 4.5 0 0 1 4.5 -5V-1";
const CONE = "M-5.5 -3L0 11L5.5 -3Z";

export function drawGraph(scene) {
  const { sheet, picture, now, words, width, height, k, phone } = scene;
  const at = layout(scene);
  sheet.into("lines");
  drawLinks(scene, at);
  drawBows({ sheet, picture, x: at.x, top: at.rows.tag - at.r, height, step: at.step, k });
  sheet.into("marks");
  for (const t of picture.hot.keys()) drawDay(scene, at, t);
  if (at.all)
    sheet.box(
      "every",
      at.x(0) - at.r,
      at.rows.input - 26 * k,
      at.x(at.last) - at.x(0) + 2 * at.r,
      52 * k,
      "input",
      26 * k,
    );
  for (const t of picture.hot.keys()) drawInput(scene, at, t);
  for (const i of picture.factors.keys()) drawSquare(scene, at, i);
  sheet.into("texts");
  if (at.chosen) drawScope({ sheet, now, touched: at.touched, x: at.x, top: at.rows.tag - at.r, r: at.r, k, phone });
  if (!phone) {
    sheet.text("weather", width * 0.031, at.rows.tag - at.r - 16 * k, words.weather, "about");
    sheet.text("eaten", width * 0.031, at.rows.input, words.eaten, "about");
  }
  for (const [i, piece] of picture.pieces.entries()) {
    const [from, to, y] = [at.x(piece[0]) - at.r - 6, at.x(piece.at(-1)) + at.r + 6, at.rows.input + 44 * k];
    sheet.line(`piece${i}`, `M${from} ${y - 9}V${y}H${to}V${y - 9}`, "bracket");
  }
  return at.chosen
    ? {
        name: "sees",
        values: [
          ["day", words["day-sees"]],
          ["all", words["all-see"]],
        ],
        chosen: picture.sees,
      }
    : null;
}

// Where everything stands; the parts of a chain that a known day cuts move apart.
function layout({ picture, now, width, height, k, phone }) {
  const last = picture.days.length - 1;
  const [left, right] = phone ? [58, width - 58] : [width * 0.166, width * 0.835];
  const step = (right - left) / last;
  const push = picture.pieces.length ? (phone ? 7 : 22 * k) : 0;
  const aside = (t) => [...picture.days].reduce((sum, day, other) => sum + (day === "-" ? 0 : Math.sign(t - other)), 0);
  const x = (t) => left + step * t + push * aside(t);
  const rows = { tag: height * 0.35, emission: height * 0.59, input: height * 0.81 };
  const place = ({ kind, day }) =>
    ({
      start: [x(0) - step * 0.5, rows.tag],
      end: [x(last) + step * 0.5, rows.tag],
      emission: [x(day), rows.emission],
      transition: [(x(day) + x(day + 1)) / 2, rows.tag],
    })[kind];
  const chosen = now.touches ? picture.factors[now.step] : null;
  return {
    last,
    step,
    x,
    rows,
    place,
    chosen,
    touched: now.touches ?? [],
    all: chosen && picture.sees === "all",
    r: Math.min(43 * k, step * 0.36),
    side: Math.min(44 * k, step * 0.34),
  };
}

function drawLinks({ sheet, picture, k }, { x, rows, place, chosen, all, last }) {
  const line = (key, on, ...points) => {
    const made = sheet.line(key, `M${points.join("L")}`, `link${on ? " lit" : ""}`);
    if (on) made.parentNode.append(made); // over the others
  };
  for (const [i, factor] of picture.factors.entries()) {
    const [fx, fy] = place(factor),
      on = factor === chosen,
      { kind, day } = factor;
    line(`a${i}`, on, [x(day), rows.tag], [fx, fy]);
    if (kind === "transition") line(`b${i}`, on, [fx, fy], [x(day + 1), rows.tag]);
    if (kind !== "emission") continue;
    for (const t of all ? Array(last + 1).keys() : [day]) line(`x${i}-${t}`, on, [fx, fy], [x(t), rows.input - 24 * k]);
  }
}

// A circle: filled as high as "hot" is probable. Pressed, its day is known.
function drawDay({ sheet, picture, words, k, phone, host }, { x, rows, r, chosen, touched }, t) {
  const days = [...picture.days],
    known = days[t] !== "-";
  const tag = known ? words[days[t] === "h" ? "hot" : "cold"] : "";
  const hooks = {
    class: `circle${touched.includes(t) ? " lit" : ""}${known ? " known" : ""}${chosen ? "" : " pressable"}`,
    "data-token": t,
    "data-p": picture.hot[t].toFixed(6),
  };
  const turn = () => host.set("days", days.map((day, i) => (i === t ? NEXT[day] : day)).join(""));
  const circle = chosen
    ? sheet.part(`seen${t}`, "g", hooks)
    : sheet.button(`day${t}`, `y${subscript(t)}: ${tag || words.fix}`, (event) => press(event, turn), hooks);
  const key = (part) => `${chosen ? "seen" : "day"}${t}-${part}`;
  const middle = sheet.part(
    key("place"),
    "g",
    { style: `transform: translate(${x(t)}px, ${rows.tag}px)` },
    null,
    circle,
  );
  const inside = (part, name, attributes, text = null) => sheet.part(key(part), name, attributes, text, middle);
  inside("body", "circle", { r, class: "body" });
  inside("level", "path", { d: level(r, picture.hot[t]), class: "level" });
  inside("ring", "circle", { r, class: "ring" });
  if (known) {
    inside("lock", "path", { d: LOCK, class: "lock", transform: `translate(0 ${-r * 0.3}) scale(${k})` });
    inside("tag", "text", { y: r * 0.32, class: "said" }, tag);
    return;
  }
  inside("name", "text", { y: chosen || phone ? 0 : -r * 0.2, class: "name" }, `y${subscript(t)}`);
  if (!chosen && !phone) inside("p", "text", { y: r * 0.42, class: "said" }, share(picture.hot[t]));
}

// What was eaten on a day. Pressed, it is one cone more.
function drawInput({ sheet, picture, words, k, host }, { x, rows, r, chosen, all }, t) {
  const cones = [...picture.cones];
  const eat = () => host.set("cones", cones.map((n, i) => (i === t ? String((Number(n) % 3) + 1) : n)).join(""));
  const eaten = sheet.button(`cones${t}`, `x${subscript(t)}: ${cones[t]}. ${words.eat}`, (event) => press(event, eat), {
    class: "cones pressable",
    "data-eaten": cones[t],
  });
  const lit = chosen?.kind === "emission" && chosen.day === t ? " lit" : "";
  sheet.box(`cones${t}-box`, x(t) - r, rows.input - 26 * k, 2 * r, 52 * k, all ? "hit" : `input${lit}`, 26 * k, eaten);
  drawCones(sheet, `cones${t}`, Number(cones[t]), x(t), rows.input, Math.min(k, r / 34) * 1.1, eaten);
}

function drawSquare({ sheet, picture, host }, { place, side, chosen }, i) {
  const factor = picture.factors[i],
    [x, y] = place(factor),
    on = factor === chosen;
  const kind = `square ${ROLE[factor.kind]}`,
    key = `${chosen ? "pressed" : "square"}${i}`;
  const square = chosen
    ? sheet.button(key, `ψ ${i + 1}`, (event) => press(event, () => host.go(i)), {
        class: `${kind} pressable${on ? " now" : ""}`,
      })
    : sheet.part(key, "g", { class: kind });
  const middle = sheet.part(`${key}-place`, "g", { style: `transform: translate(${x}px, ${y}px)` }, null, square);
  if (on) sheet.box(`${key}-frame`, -side / 2 - 5, -side / 2 - 5, side + 10, side + 10, "frame", 8, middle);
  const box = sheet.box(`${key}-box`, -side / 2, -side / 2, side, side, "box", 5, middle);
  if (on) box.before(sheet.parts.get(`${key}-frame`));
  sheet.text(`${key}-psi`, 0, 0, "ψ", "psi", middle);
}

function press(event, act) {
  event.stopPropagation();
  act();
}

// N(ψ), with a brace from the first to the last circle that it touches.
function drawScope({ sheet, now, touched, x, top, r, k, phone }) {
  const [from, to, y] = [x(touched[0]), x(touched.at(-1)), top - 10];
  const narrow = touched.length < 2 ? r * 0.6 : 0;
  const high = 24 * k;
  sheet.line("brace", `M${from - narrow} ${y}V${y - high + 7}q0 -7 7 -7H${to + narrow - 7}q7 0 7 7V${y}`, "brace");
  sheet.text("scope", (from + to) / 2, y - high - 20 * (phone ? 0.8 : k), `N(ψ) = { ${now.scope} }`, "scope");
}

function drawBows({ sheet, picture, x, top, height, step, k }) {
  const most = height * 0.3;
  for (const { from, to, cut, by } of picture.bows) {
    const high = Math.min(top - 8, most * (0.3 + 0.2 * (to - from - 1)) * 1.33);
    const edge = Math.min(12, step * 0.1);
    sheet.line(
      `bow${from}-${to}`,
      `M${x(from) + edge} ${top}C${x(from) + edge} ${top - high} ${x(to) - edge} ${top - high} ${x(to) - edge} ${top}`,
      `bow${cut ? " cut" : ""}`,
    ).style.strokeWidth = `${cut ? 2.2 : Math.max(1.2, by * 60 * k)}px`;
  }
}

// One to three cones around a place.
export function drawCones(sheet, key, eaten, x, y, scale, parent = sheet.here) {
  for (let n = 0; n < 3; n++) {
    const at = x + (n - (eaten - 1) / 2) * 21 * scale;
    const cone = sheet.part(
      `${key}-${n}`,
      "g",
      {
        class: "cone",
        visibility: n < eaten ? "visible" : "hidden",
        style: `transform: translate(${at}px, ${y}px) scale(${scale})`,
      },
      null,
      parent,
    );
    if (cone.childElementCount) continue;
    svg("path", { d: CONE }, cone);
    svg("circle", { cy: -6, r: 6.5 }, cone);
  }
}

// The lower part of a circle, as high as a probability.
function level(r, p) {
  const y = r - 2 * r * Math.min(Math.max(p, 0.001), 0.999);
  const half = Math.sqrt(r * r - y * y);
  return `M${-half} ${y}A${r} ${r} 0 ${p > 0.5 ? 1 : 0} 0 ${half} ${y}Z`;
}

export const subscript = (t) => String(t + 1).replace(/\d/g, (digit) => "₀₁₂₃₄₅₆₇₈₉"[Number(digit)]);
export const share = (p) => (p > 0.995 ? "1" : decimal(p.toFixed(2).replace(/^0/, "")));
