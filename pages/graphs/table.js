// The table p(x, y) of one day: a column for each number of cones, as wide as it is frequent, cut where hot turns cold.

import { dial } from "../shared/ui/stage/sheet.js";
import { drawCones, share } from "./graph.js";

export function drawTable({ sheet, picture, now, words, width, height, k, phone, host }) {
  const whole = picture.model === "generative",
    waits = now.bet && !now.bet.revealed;
  const [top, high] = [height * 0.05, height * 0.72];
  const [left, right] = phone ? [58, width - 96] : [width * 0.17, width * 0.7];
  const room = right - left,
    gap = 4;
  let x = left;
  for (const [i, { cones, width: p, cut, joint }] of picture.columns.entries()) {
    const wide = room * (whole ? p : 1 / picture.columns.length) - gap,
      on = i === now.chosen;
    sheet.into("marks");
    const column = sheet.button(
      `column${i}`,
      `${cones}: ${share(p)}`,
      (event) => {
        event.stopPropagation();
        host.go(i);
      },
      {
        class: `column pressable${on ? " now" : ""}${whole ? "" : " unknown"}`,
        "data-cones": cones,
        "data-p": cut.toFixed(6),
      },
    );
    const part = (name, y, h, kind) => sheet.box(`column${i}-${name}`, x, y, wide, h, kind, 3, column);
    part("cold", top, high, "cold");
    part("hot", top + high * (1 - cut), high * cut, "hot");
    part("frame", top, high, "frame");
    const shown = whole ? joint : [cut, 1 - cut];
    for (const [s, y, portion] of [
      [0, top + high * (1 - cut / 2), cut],
      [1, top + (high * (1 - cut)) / 2, 1 - cut],
    ]) {
      sheet.text(
        `column${i}-p${s}`,
        x + wide / 2,
        y,
        portion * high > 18 && wide > 34 ? share(shown[s]) : "",
        s ? "value" : "value dark",
        column,
      );
    }
    sheet.into("texts");
    drawCones(sheet, `cones${i}`, Number(cones), x + wide / 2, top + high + 24 * k, Math.max(k, 0.75));
    sheet.text(
      `width${i}`,
      x + wide / 2,
      top + high + 54 * k,
      `p(x) = ${whole ? share(p) : "?"}`,
      whole ? "about middle" : "about middle faint",
    );
    if (on) drawOut({ sheet, words, waits, x, wide, cut, top, high, right, width, k, phone });
    x += wide + gap;
  }
  sheet.into("texts");
  const first = picture.columns[0].cut;
  sheet.text("cold", left - 14 * k, top + (high * (1 - first)) / 2, words.cold, "side");
  sheet.text("hot", left - 14 * k, top + high * (1 - first / 2), words.hot, "side");
  if (whole && !phone) drawPrior({ sheet, picture, words, x: width * 0.031, y: top + high / 2, k, host });
  return waits
    ? null
    : {
        name: "model",
        values: ["generative", "discriminative"].map((name) => [name, words[name]]),
        chosen: picture.model,
      };
}

// The chosen column taken out: what is above and below its cut adds up to 1.
function drawOut({ sheet, words, waits, x, wide, cut, top, high, right, width, k, phone }) {
  const [out, w] = phone ? [width - 70, 56] : [right + 90 * k, 96 * k];
  sheet.into("lines");
  sheet.line(
    "taken",
    `M${x + wide + 3} ${top}L${out - 3} ${top}M${x + wide + 3} ${top + high}L${out - 3} ${top + high}`,
    "taken",
  );
  sheet.into("texts");
  sheet.text("out", out + w / 2, top + high + 24 * k, "p(y | x)", "about middle strong");
  sheet.into("marks");
  sheet.box("out-frame", out, top, w, high, waits ? "frame empty" : "frame", 3);
  if (waits) return sheet.text("out-ask", out + w / 2, top + high / 2, "?", "value large");
  sheet.box("out-cold", out, top, w, high, "cold", 3);
  sheet.box("out-hot", out, top + high * (1 - cut), w, high * cut, "hot", 3);
  sheet.text("out-p0", out + w / 2, top + high * (1 - cut / 2), cut * high > 18 ? share(cut) : "", "value dark large");
  sheet.text(
    "out-p1",
    out + w / 2,
    top + (high * (1 - cut)) / 2,
    (1 - cut) * high > 18 ? share(1 - cut) : "",
    "value large",
  );
  sheet.into("texts");
  if (phone) return null;
  sheet.text("said-hot", out + w + 14 * k, top + high * (1 - cut / 2), cut * high > 18 ? words.hot : "", "side after");
  sheet.text(
    "said-cold",
    out + w + 14 * k,
    top + (high * (1 - cut)) / 2,
    (1 - cut) * high > 18 ? words.cold : "",
    "side after",
  );
  return null;
}

// How many days are hot: dragged, and the whole table follows.
function drawPrior({ sheet, picture, words, x, y, k, host }) {
  sheet.text("prior-name", x, y - 34 * k, words["how-often"], "about");
  sheet.into("marks");
  const made = sheet.button("prior", words["how-often"], null, { class: "dial" });
  dial(made, { value: picture.hot, low: 0.05, high: 0.95, step: 0.01, text: share(picture.hot) }, (value, resting) =>
    host.set("hot", value, resting),
  );
  sheet.box("prior-box", x, y - 18 * k, 96 * k, 36 * k, "pill", 18 * k, made);
  sheet.text("prior-p", x + 48 * k, y, `↕ ${share(picture.hot)}`, "value", made);
}
