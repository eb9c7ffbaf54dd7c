// Pasted numbers as a trellis: right ones ticked, wrong ones crossed, the furthest off framed with the ways that lead into it.

export function drawGrid(scene) {
  const { sheet, picture, words, width, height, k, phone } = scene;
  const { heads, rows, cells, framed, matrix } = picture;
  const wide = !phone && matrix ? width * 0.6 : width;
  const left = phone ? 60 : Math.max(130 * k, 90),
    top = 34 * k;
  const pitch = Math.min((wide - left - (phone ? 6 : 40)) / heads.length, (matrix ? 220 : 270) * k),
    row = Math.min((height - top - 14) / rows.length, 120 * k);
  const cell = { w: phone ? pitch * 0.76 : Math.min(pitch * 0.56, 118 * k), h: Math.min(row * 0.6, 62 * k) };
  const mark = cell.w > 60 ? 13 : 9,
    aside = phone ? mark * 0.6 : 0; // a number leaves room for its mark
  const x = (c) => left + pitch * (c + 0.5),
    y = (r) => top + row * (r + 0.42);
  sheet.into("texts");
  for (const [r, name] of rows.entries())
    sheet.text(`row${r}`, phone ? 50 : left - 24 * k, y(r), name, framed?.[1] === r ? "row now" : "row");
  for (const [c, name] of heads.entries())
    sheet.text(`head${c}`, x(c), 17 * k, name, framed?.[0] === c ? "head now" : "head");
  if (picture.before) sheet.text("before", left - 2, 17 * k, "…", "head");
  if (picture.after) sheet.text("after", Math.min(left + pitch * heads.length + 10, width - 12), 17 * k, "…", "head");
  drawWays(scene, x, y, cell);
  for (const [c, column] of cells.entries()) {
    for (const [r, { text, wrong, right }] of column.entries()) {
      const on = framed?.[0] === c && framed[1] === r,
        at = { x: x(c) - cell.w / 2, y: y(r) - cell.h / 2 };
      sheet.into("marks");
      sheet
        .box(`cell${c}-${r}`, at.x, at.y, cell.w, cell.h, on ? "cell now" : wrong ? "cell wrong" : "cell", 8)
        .setAttribute("data-value", text);
      sheet.into("texts");
      sheet.text(`number${c}-${r}`, x(c) - aside, y(r), text, on ? "number now" : "number");
      if (!text) continue;
      sheet.line(
        `mark${c}-${r}`,
        wrong
          ? cross(at.x + cell.w - mark, at.y + mark, mark * 0.4)
          : tick(at.x + cell.w - mark, at.y + mark, mark * 0.5),
        wrong ? "mark bad" : "mark good",
      );
      if (wrong)
        sheet.text(
          `right${c}-${r}`,
          x(c),
          at.y + cell.h + row * 0.13,
          phone ? right : `${words.right} ${right}`,
          on ? "truth now" : "truth",
        );
    }
  }
  if (matrix && !phone) drawMatrix(scene, matrix, { left: wide + 20 * k, top: top + 6 * k });
}

// Bands into the framed cell, as wide as each way's share.
function drawWays({ sheet, picture }, x, y, cell) {
  if (!picture.framed || !picture.ways.length) return;
  const [c, r] = picture.framed,
    mouth = cell.h * 0.8;
  sheet.into("back");
  let below = y(r) - mouth / 2;
  for (const { column, row, share } of picture.ways) {
    const right = column > c,
      h = Math.max(mouth * share, 1.2);
    const [from, to] = [x(column) + (right ? -1 : 1) * (cell.w / 2), x(c) + (right ? 1 : -1) * (cell.w / 2)];
    const middle = (from + to) / 2,
      a = y(row) - h / 2;
    sheet.line(
      `way${row}`,
      `M${from} ${a}C${middle} ${a} ${middle} ${below} ${to} ${below}V${below + h}C${middle} ${below + h} ${middle} ${a + h} ${from} ${a + h}Z`,
      "band",
    );
    below += mouth * share;
  }
  for (const from of picture.cells.keys()) {
    if (from === 0) continue;
    for (const i of picture.rows.keys())
      for (const j of picture.rows.keys())
        sheet.line(
          `thin${from}-${i}-${j}`,
          `M${x(from - 1) + cell.w / 2} ${y(i)}C${x(from) - cell.w} ${y(i)} ${x(from - 1) + cell.w} ${y(j)} ${x(from) - cell.w / 2} ${y(j)}`,
          "thin",
        );
  }
}

// T; if it was read transposed, an arrow leads from the score that was read to the right one.
function drawMatrix({ sheet, words, width, k }, { tags, scores, took, belongs }, { left, top }) {
  const n = tags.length,
    name = 74 * k,
    room = (width * 0.97 - left - name) / n,
    w = Math.min(room, 96 * k),
    h = Math.min(52 * k, (220 * k) / n);
  const x = (j) => left + name + w * (j + 0.5),
    y = (i) => top + 54 * k + h * (i + 0.5);
  sheet.into("texts");
  sheet.text("T", left, top, words.transitions, "matrix-title");
  sheet.text("T-note", width * 0.97, top, words["from-to"], "about end");
  for (const [i, tag] of tags.entries()) {
    sheet.text(`T-row${i}`, left + name - 10, y(i), tag, "small-tag end");
    sheet.text(`T-head${i}`, x(i), top + 38 * k, tag, "small-tag");
  }
  const is = (place, i, j) => place && place[0] === i && place[1] === j;
  for (const [i, row] of scores.entries()) {
    for (const [j, score] of row.entries()) {
      const kind = is(took, i, j) ? " took" : is(belongs, i, j) ? " belongs" : i === j ? " same" : "";
      sheet.into("marks");
      sheet.box(`T${i}-${j}`, x(j) - w / 2 + 2, y(i) - h / 2 + 2, w - 4, h - 4, `score${kind}`, 6);
      sheet.into("texts");
      sheet.text(
        `t${i}-${j}`,
        x(j),
        y(i),
        score,
        kind.trim().length > 4 || kind === " took" ? "score-text lit" : "score-text",
      );
    }
  }
  if (!took || !belongs) return;
  const [a, b] = [
    [x(took[1]), y(took[0])],
    [x(belongs[1]), y(belongs[0])],
  ];
  const up = b[1] < a[1] ? -1 : 1;
  sheet.line(
    "arrow",
    `M${a[0] + w * 0.2} ${a[1] + up * h * 0.5}Q${a[0] + w * 0.3} ${b[1] - up * h * 0.2} ${b[0] - w * 0.5} ${b[1] - up * h * 0.1}`,
    "arrow",
  );
  sheet.line("tip", `M${b[0] - w * 0.5 - 11} ${b[1] - up * h * 0.1 - 8}l11 8l-11 8`, "arrow");
  const [from, to] = [([i, j]) => `${tags[i]} → ${tags[j]}`, y(n - 1) + h / 2 + 24 * k];
  sheet.text("took", left, to, `${words.took} ${from(took)}, ${from(belongs)} ${words.belongs}`, "said");
}

const tick = (x, y, r) => `M${x - r} ${y}l${r * 0.7} ${r * 0.7}l${r * 1.2} ${-r * 1.5}`;
const cross = (x, y, r) => `M${x - r} ${y - r}l${2 * r} ${2 * r}M${x + r} ${y - r}l${-2 * r} ${2 * r}`;
