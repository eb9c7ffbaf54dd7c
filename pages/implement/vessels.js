// Vessels: the whole is all readings together; what the best one would need beyond that flows over.

import { dial } from "../shared/ui/stage/sheet.js";

const MOST = 3; // wholes above the rim that are drawn to scale; more is cut with a break

export function drawVessels({ sheet, picture, words, width, height, k, phone, host }) {
  const others = phone ? [picture.others[0], picture.others.at(-1)] : picture.others;
  const all = [picture.yours, ...others];
  const left = phone ? 8 : width * 0.1,
    right = phone ? width - 8 : width * 0.97;
  const most = Math.min(Math.max(...all.map(({ share }) => share), 1), MOST);
  const foot = height - (phone ? 104 : 84 * k),
    room = foot - (phone ? 40 : 36) * k;
  const tall = Math.min(room / Math.max(most, 1.15), height * 0.5),
    rim = foot - tall;
  const pitch = (right - left) / (all.length + 0.6);
  sheet.into("texts");
  sheet.text("all", phone ? 8 : width * 0.031, phone ? 12 : rim - 14 * k, words.all, "about");
  if (!phone) sheet.text("forgotten", left + pitch * 1.75, 12 * k, words.forgotten, "about italic");
  sheet.into("back");
  sheet.line("rim", `M${phone ? 4 : width * 0.031} ${rim}H${right}`, "rim");
  const at = (i) => (i ? left + pitch * (i + 1.05) : left + pitch * 0.75);
  for (const [i, one] of all.entries()) {
    const half = i ? pitch * 0.31 : pitch * (phone ? 0.4 : 0.5);
    drawVessel({ sheet, one, i, x: at(i), half, rim, foot, tall, k, phone, words });
  }
  sheet.into("marks");
  const made = sheet.button("claim", words.yours, null, { class: "dial" });
  dial(
    made,
    { value: picture.claim, low: -999_999, high: 999_999, step: 0.01, text: picture.yours.value },
    (value, resting) => host.set("claim", `${picture.claims} ${value.toFixed(2)}`, resting),
  );
  const half = pitch * (phone ? 0.42 : 0.5);
  const low = foot + (phone ? 34 : 36 * k);
  sheet.box("claim-box", at(0) - half, low, 2 * half, 34 * Math.max(k, 0.85), "pill", 17 * k, made);
  sheet.text(
    "claim-value",
    at(0),
    low + 17 * Math.max(k, 0.85),
    `↕ ${phone ? "" : `${words[picture.claims]} `}${picture.yours.value}`,
    "value now",
    made,
  );
  const same = all.findIndex((one, i) => i && one.same);
  if (same < 1) return;
  sheet.into("lines");
  const y = foot + (phone ? 84 : 74 * k);
  sheet.line("same", `M${at(0)} ${y - 2}V${y + 8}H${at(same)}V${y - 6}`, "bracket");
}

function drawVessel({ sheet, one, i, x, half, rim, foot, tall, k, phone, words }) {
  const key = (part) => `vessel${i}-${part}`,
    { share } = one;
  const level = Math.min(share, 1) * tall,
    over = Math.max(share - 1, 0);
  sheet.into("marks");
  sheet
    .box(key("water"), x - half + 2, foot - level, 2 * half - 4, level, "water", over ? 0 : 2)
    .setAttribute("data-p", share.toFixed(6));
  const high = Math.min(over, MOST - 1) * tall,
    spill = 8 * Math.max(k, 0.7);
  sheet.line(
    key("over"),
    over
      ? `M${x - half - spill} ${foot}V${rim}Q${x - half - spill} ${rim - high} ${x - half * 0.5} ${rim - high}H${x + half * 0.5}Q${x + half + spill} ${rim - high} ${x + half + spill} ${rim}V${foot}H${x + half + 1}V${rim}H${x - half - 1}V${foot}Z`
      : "",
    "over",
  );
  sheet.line(
    key("break"),
    over > MOST - 1 ? `M${x - half} ${rim - high * 0.5}l${half} -9l0 9l${half} -9` : "",
    "break",
  );
  sheet.line(
    key("glass"),
    `M${x - half} ${rim}V${foot - 10}Q${x - half} ${foot} ${x - half + 10} ${foot}H${x + half - 10}Q${x + half} ${foot} ${x + half} ${foot - 10}V${rim}`,
    i ? "glass" : "glass now",
  );
  sheet.into("texts");
  sheet.text(
    key("percent"),
    x,
    foot - tall * 0.5 + (level < tall * 0.6 ? 0 : 6),
    one.percent,
    i ? "percent" : "percent now",
  );
  if (!i && !phone) sheet.text(key("best"), x, foot - tall * 0.5 + 38 * k, words.best, "about middle");
  const lines = i && phone ? one.name.split(" ") : [one.name];
  for (const [n, line] of lines.slice(0, 3).entries())
    sheet.text(key(`name${n}`), x, foot + (18 + 15 * n) * (phone ? 1 : k), line, one.same || !i ? "name now" : "name");
  if (i)
    sheet.text(
      key("value"),
      x,
      foot + (phone ? 18 + 15 * lines.length : 50 * k),
      one.value,
      one.same ? "value now" : "value",
    );
}
