// Label bias as pipes: what enters a MEMM's state must leave it; a CRF's pipe narrows where a letter does not fit.

import { decimal } from "../../crf/figures/shared/decimal.js";
import { dial } from "../shared/ui/stage/sheet.js";

const WORDS = ["rib", "rob"],
  LETTERS = [
    ["r", "r"],
    ["i", "o"],
    ["b", "b"],
  ];

export function drawPipes({ sheet, picture, words, width, height, k, phone, host }) {
  const { letter, waits } = picture;
  const places = (phone ? [0.24, 0.56, 0.86] : [0.205, 0.437, 0.67]).map((share) => share * width);
  const wide = phone ? 44 : 68 * k,
    source = phone ? 20 : width * 0.11;
  const head = height * 0.1;
  sheet.into("texts");
  if (!phone) sheet.text("reads", width * 0.031, head, words.reads, "about");
  sheet.text("r", places[0], head, "r", "letter");
  sheet.text("b", places[2], head, "b", "letter");
  sheet.into("marks");
  drawLetter({ sheet, words, letter, waits, x: places[1], y: head, k, host });
  const tops = phone ? [0.27, 0.66] : [0.22, 0.63],
    room = height * (phone ? 0.28 : 0.32);
  for (const [m, model] of picture.models.entries()) {
    const top = height * tops[m];
    sheet.into("texts");
    const at = phone ? [8, top - 14] : [width * 0.031, top + room / 2];
    sheet.text(`${model.name}-name`, ...at, model.name, "model-name");
    drawModel({ sheet, model, picture, words, places, source, wide, top, room, k, phone });
    drawSaid({ sheet, model, waits, x: phone ? width * 0.52 : width * 0.817, top, room, width, k, phone });
    if (m === 0) sheet.line("between", `M${width * 0.031} ${height * 0.588}H${width * 0.969}`, "between");
  }
  if (!phone)
    sheet.text("once", width * 0.817, height * tops[1] + room + 10 * k, waits ? "" : `÷ Z ${words.once}`, "about");
  sheet.into("marks");
  if (!waits && !phone) drawStrength({ sheet, picture, words, x: width * 0.88, y: head, k, host });
  return null;
}

// The letter that is read; pressed, it becomes the other one.
function drawLetter({ sheet, words, letter, waits, x, y, k, host }) {
  const other = letter === "o" ? "i" : "o",
    half = 37 * Math.max(k, 0.7);
  const made = sheet.button(
    "letter",
    `${letter} ${words.or} ${other}`,
    (event) => {
      event.stopPropagation();
      host.set("letter", other);
    },
    { class: "read pressable", "data-letter": letter },
  );
  sheet.box("letter-box", x - half, y - half * 0.8, 2 * half, half * 1.6, "now-frame", 10, made);
  sheet.text("letter-text", x, y, letter, "letter strong", made);
  sheet.text("letter-or", x + half + 12 * k, y, waits ? "" : `${words.or} ${other}`, "or", made);
}

function drawModel({ sheet, model, picture, words, places, source, wide, top, room, k, phone }) {
  const { letter, waits, factor } = picture,
    key = (part) => `${model.name}-${part}`;
  const gap = room * 0.2,
    full = room - gap;
  const last = waits ? 0 : 2;
  sheet.into("marks");
  sheet.box(key("source"), source, top + gap / 2, 12, full, "source", 3);
  // columns of boxes: [word][column] → [top, height]
  const boxes = [0, 1].map((w) =>
    model.columns.map((shares, c) => {
      const before = w ? full * shares[0] + (c < 2 ? gap : 0) : 0;
      return [top + before + (c < 2 ? 0 : gap / 2), full * shares[w]];
    }),
  );
  for (const w of [0, 1]) {
    sheet.into("back");
    const begin = [top + gap / 2 + (w ? full * model.columns[0][0] : 0), full * model.columns[0][w]];
    for (let c = 0; c <= last; c++) {
      const x1 = c ? places[c - 1] + wide / 2 : source + 12,
        x2 = places[c] - wide / 2;
      sheet.line(
        key(`pipe${w}${c}`),
        pipe(x1, c ? boxes[w][c - 1] : begin, x2, boxes[w][c]),
        `pipe ${WORDS[w]} at${c}`,
      );
    }
    sheet.into("marks");
    for (let c = 0; c < 3; c++) {
      const [y, h] = boxes[w][c],
        shown = Math.max(h, 5);
      const box = sheet.box(
        key(`box${w}${c}`),
        places[c] - wide / 2,
        y + (h - shown) / 2,
        wide,
        shown,
        c > last ? "state empty" : `state ${WORDS[w]}`,
        6,
      );
      if (c <= last) box.dataset.p = model.columns[c][w].toFixed(6);
      if (c > last)
        sheet.line(
          key(`way${w}${c}`),
          `M${places[c - 1] + wide / 2} ${boxes[w][c - 1][0] + boxes[w][c - 1][1] / 2}L${places[c] - wide / 2} ${y + h / 2}`,
          "way",
        );
      const room = h > 20 * Math.max(k, 0.8);
      sheet.text(
        key(`state${w}${c}`),
        places[c],
        y + h / 2,
        room && (c < 2 || h > full / 2) ? LETTERS[c][w] : "",
        c > last ? "state-name unknown" : "state-name",
      );
    }
    if (waits) continue;
    const fits = (letter === "o") === (w === 1),
      [y, h] = boxes[w][0];
    const crf = `× ${factor[fits ? "fit" : "not"]}`;
    const said =
      model.name === "MEMM"
        ? w || phone
          ? "× 1"
          : `${words["one-way"]} × 1`
        : phone
          ? crf
          : fits
            ? `${letter}: ${crf}`
            : `${letter}, ${words.not} ${LETTERS[1][w]}: ${crf}`;
    sheet.into("texts");
    sheet.text(key(`factor${w}`), places[0] + wide / 2 + 12 * k, y + h / 2, said, "factor-said");
  }
}

function drawSaid({ sheet, model, waits, x, top, room, width, k, phone }) {
  const best = Number(model.said[0]) >= Number(model.said[1]) || model.said[1].startsWith("<") ? 0 : 1;
  sheet.into("texts");
  for (const w of [0, 1]) {
    const [px, py] = phone ? [x + w * width * 0.24, top - 14] : [x, top + room * (w ? 0.72 : 0.26)];
    sheet.text(`${model.name}-word${w}`, px, py, WORDS[w], "word");
    sheet.text(
      `${model.name}-p${w}`,
      px + (phone ? 32 : 62 * k),
      py,
      waits ? "?" : model.said[w],
      !waits && w === best ? "result best" : "result",
    );
  }
}

// How much the letter counts, in nats: dragged, and only the CRF follows.
function drawStrength({ sheet, picture, words, x, y, k, host }) {
  sheet.into("texts");
  sheet.text("strength-name", x, y, words.evidence, "about before");
  sheet.into("marks");
  const made = sheet.button("strength", words.evidence, null, { class: "dial" });
  dial(
    made,
    { value: picture.evidence, low: 0, high: 6, step: 0.1, text: decimal(picture.evidence.toFixed(1)) },
    (value, resting) => host.set("evidence", value, resting),
  );
  sheet.box("strength-box", x + 12 * k, y - 18 * k, 90 * k, 36 * k, "pill", 18 * k, made);
  sheet.text("strength-value", x + 57 * k, y, `↕ ${decimal(picture.evidence.toFixed(1))}`, "value", made);
}

// A ribbon from one opening to another.
function pipe(x1, [y1, h1], x2, [y2, h2]) {
  const middle = (x1 + x2) / 2;
  return `M${x1} ${y1}C${middle} ${y1} ${middle} ${y2} ${x2} ${y2}V${y2 + h2}C${middle} ${y2 + h2} ${middle} ${y1 + h1} ${x1} ${y1 + h1}Z`;
}
