// Seven models as small graphs: above those that explain everything, below each the same for p(y | x); the one on
// screen is framed.

const Y = [
    [0.18, 0.26],
    [0.5, 0.26],
    [0.82, 0.26],
  ],
  X = [
    [0.18, 0.8],
    [0.5, 0.8],
    [0.82, 0.8],
  ];
// tags, inputs, arrows [from, to], and squares [what each touches]; nodes are y0 …, x0 …
const MODELS = {
  bayes: { y: [Y[1]], x: X, arrows: ["y0x0", "y0x1", "y0x2"] },
  logistic: { y: [Y[1]], x: X, squares: ["y0x0", "y0x1", "y0x2"] },
  hmm: { y: Y, x: X, arrows: ["y0y1", "y1y2", "y0x0", "y1x1", "y2x2"] },
  memm: { y: Y, x: X, arrows: ["y0y1", "y1y2", "x0y0", "x1y1", "x2y2"] },
  crf: { y: Y, x: X, squares: ["y0y1", "y1y2", "y0x0", "y1x1", "y2x2"] },
  directed: { y: Y, x: X, arrows: ["y0y1", "y1y2", "y0x0", "y1x1", "y2x2", "y0x1"], bow: "arrow" },
  general: { y: Y, x: X, squares: ["y0y1", "y1y2", "y0x0", "y1x1", "y2x2"], bow: "square" },
};
const PLACES = {
  bayes: [0, 0],
  hmm: [1.5, 0],
  directed: [3, 0],
  logistic: [0, 1],
  memm: [1, 1],
  crf: [2, 1],
  general: [3, 1],
};
const TWINS = [
  ["bayes", "logistic"],
  ["hmm", "memm"],
  ["hmm", "crf"],
  ["directed", "general"],
];

export function drawKin({ sheet, picture, now, words, width, height, k, phone, host }) {
  const left = phone ? 8 : width * 0.13,
    column = (width - left - (phone ? 8 : width * 0.031)) / 4;
  const wide = Math.min(column * (phone ? 0.94 : 0.86), 260 * k),
    high = height * 0.31;
  const rows = [height * 0.1, height * 0.57];
  /** @type {(name: string) => [number, number]} */
  const at = (name) => [left + (PLACES[name][0] + 0.5) * column, rows[PLACES[name][1]]];
  sheet.into("lines");
  for (const [above, below] of TWINS) {
    const [[ax, ay], [bx, by]] = [at(above), at(below)];
    sheet.line(`twin-${below}`, `M${ax} ${ay + high}L${bx} ${by}`, `twin${now.model === below ? " lit" : ""}`);
  }
  sheet.into("marks");
  for (const [i, name] of Object.keys(MODELS).entries()) {
    const [x, y] = at(name),
      on = name === now.model;
    const model = sheet.button(
      name,
      picture.names[name],
      (event) => {
        event.stopPropagation();
        host.go(i);
      },
      { class: `model pressable${on ? " now" : ""}`, "data-model": name },
    );
    sheet.box(`${name}-frame`, x - wide / 2, y, wide, high, "frame", 10, model);
    drawModel(sheet, name, model, {
      x: x - wide / 2 + wide * 0.04,
      y: y + high * 0.02,
      wide: wide * 0.92,
      high: high * 0.74,
      r: Math.min(wide * 0.065, high * 0.1),
    });
    const lines = phone ? picture.names[name].split(/ |(?<=-)(?=CRF)/) : [picture.names[name]];
    for (const [n, line] of lines.entries())
      sheet.text(`${name}-name${n}`, x, y + high - 13 * k - 16 * (lines.length - 1 - n), line, "label", model);
  }
  sheet.into("texts");
  if (phone) return null;
  for (const [i, name] of ["generative", "discriminative"].entries()) {
    sheet.text(name, width * 0.031, rows[i] + high / 2 - 14 * k, words[name], "about strong");
    sheet.text(`${name}-p`, width * 0.031, rows[i] + high / 2 + 12 * k, i ? "p(y | x)" : "p(x, y)", "about");
  }
  sheet.text("twin", width * 0.031, (rows[0] + high + rows[1]) / 2, words.twin, "about");
  const heads = [
    ["one-tag", at("bayes")[0]],
    ["a-sequence", at("hmm")[0]],
    ["any-graph", at("directed")[0]],
  ];
  for (const [name, x] of heads) sheet.text(name, x, rows[0] - 16 * k, words[name], "about middle");
  const [from, to] = [at("memm")[0] - wide / 2, at("general")[0] + wide / 2],
    y = rows[1] + high + 8;
  sheet.line("structured-line", `M${from} ${y}V${y + 7}H${to}V${y}`, "bracket");
  sheet.text("structured", (from + to) / 2, y + 20 * k, words.structured, "about middle");
  return null;
}

function drawModel(sheet, name, parent, { x, y, wide, high, r }) {
  const model = MODELS[name];
  /** @type {(node: string) => [number, number]} */
  const place = (node) => {
    const [u, v] = model[node[0]][Number(node[1])];
    return [x + u * wide, y + (model.bow ? 0.1 + v * 0.9 : v) * high];
  };
  const key = (part) => `${name}-${part}`;
  for (const pair of [...(model.arrows ?? []), ...(model.squares ?? [])]) {
    const [[ax, ay], [bx, by]] = [place(pair.slice(0, 2)), place(pair.slice(2))];
    const far = Math.hypot(bx - ax, by - ay),
      [ux, uy] = [(bx - ax) / far, (by - ay) / far];
    const arrow = model.arrows?.includes(pair);
    const line = sheet.line(
      key(pair),
      `M${ax + ux * r} ${ay + uy * r}L${bx - ux * (r + (arrow ? 2 : 0))} ${by - uy * (r + (arrow ? 2 : 0))}`,
      "tie",
      parent,
    );
    if (arrow) line.setAttribute("marker-end", "url(#tip)");
    else
      sheet.box(
        key(`${pair}-square`),
        (ax + bx) / 2 - r * 0.6,
        (ay + by) / 2 - r * 0.6,
        r * 1.2,
        r * 1.2,
        pair.includes("x") ? "factor emission" : "factor transition",
        2,
        parent,
      );
  }
  if (model.bow) drawBow(sheet, key, parent, model, place("y0"), place("y2"), r, high);
  for (const kind of ["y", "x"]) {
    for (const i of model[kind].keys()) {
      const [cx, cy] = place(`${kind}${i}`);
      sheet.part(key(`${kind}${i}`), "circle", { cx, cy, r, class: kind === "x" ? "given" : "open" }, null, parent);
    }
  }
}

function drawBow(sheet, key, parent, model, [ax, ay], [bx, by], r, high) {
  const top = ay - high * 0.36,
    half = r * 0.7;
  const line = sheet.line(
    key("bow"),
    `M${ax + half} ${ay - half}Q${(ax + bx) / 2} ${top} ${bx - half - 1} ${by - half - 2}`,
    "tie",
    parent,
  );
  if (model.bow === "arrow") line.setAttribute("marker-end", "url(#tip)");
  else
    sheet.box(
      key("bow-square"),
      (ax + bx) / 2 - r * 0.6,
      (ay + top) / 2 - half / 2 - r * 0.6,
      r * 1.2,
      r * 1.2,
      "factor transition",
      2,
      parent,
    );
}
