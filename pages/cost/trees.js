// Pieces of trellis: two that are joined, and two trees of them whose rounds run at the same clock.

import { isolated, put, svg } from "../../crf/figures/shared/dom.js";

const clipped = (word, room) => (word.length > room ? `${word.slice(0, Math.max(room - 1, 1))}…` : word);

// The ways of a piece as bands, stacked where they begin and end, all together `thick` of its height; `heavy` has those to draw
// darker, [from, to, share].
function drawPiece(group, { x, y, width, height }, bands, S, thick, heavy = null) {
  const box = svg("svg", { x, y, width, height, class: "piece" }, group);
  const at = (s) => (height * (s + 0.5)) / S;
  const stack = (list, name) => {
    const [sums, used] = [0, 1].map(() => Array.from({ length: S }, () => 0));
    for (const [from, to, share] of list) {
      sums[from] += share;
      used[to] += share;
    }
    const starts = sums.map((sum, s) => at(s) - (sum * height * thick) / 2);
    const ends = used.map((sum, s) => at(s) - (sum * height * thick) / 2);
    for (const [from, to, share] of list) {
      const wide = share * height * thick;
      const [a, b, middle] = [starts[from], ends[to], width / 2];
      starts[from] += wide;
      ends[to] += wide;
      if (wide < 0.7)
        box.prepend(
          svg("path", {
            class: "thin",
            d: `M0 ${at(from)}C${middle} ${at(from)} ${middle} ${at(to)} ${width} ${at(to)}`,
          }),
        );
      else
        svg(
          "path",
          {
            class: name,
            d: `M0 ${a}C${middle} ${a} ${middle} ${b} ${width} ${b}V${b + wide}C${middle} ${b + wide} ${middle} ${a + wide} 0 ${a + wide}Z`,
          },
          box,
        );
    }
  };
  stack(bands, heavy ? "band faint" : "band");
  if (heavy) stack(heavy, "band heavy");
  return box;
}

function dots(group, { x, y, width, height }, S, r) {
  for (let s = 0; s < S; s += 1) {
    for (const side of [x, x + width]) svg("circle", { cx: side, cy: y + (height * (s + 0.5)) / S, r }, group);
  }
}

// A · B = A·B; a press on a tag at the left or at the right chooses the way that is drawn in ink.
export function drawTrick(root, { words, tags, joins, now }, width, height, choose) {
  root.replaceChildren();
  const phone = width < 640;
  const S = tags.length;
  const group = svg("g", { class: "trick" }, root);
  const text = (name, x, y, content) => svg("text", { class: name, x, y }, group, content);
  if (!joins.length) return text("alone", width / 2, height / 2, isolated(words[0]));
  const k = Number(root.style.getPropertyValue("--k"));
  const head = 60 * k;
  const [tall, low] =
    phone && joins.length > 1 ? [(height - 2 * head - 10) / 2, height / 2] : [height - head - 16 * k, 0];
  const letters = Math.min(20 * k, (tall / S) * 0.92);
  group.style.setProperty("--letters", `${letters}px`);
  const names = Math.min(90 * k, letters * 4.2);
  const places = phone
    ? [
        [names + 10, 0, width / 2 - names],
        [width / 2 + 24, 0, width / 2 - 40],
        [names + 10, low, width - 2 * names - 20],
      ]
    : joins.length > 1
      ? [
          [0.1 * width, 0, 0.2 * width],
          [0.385 * width, 0, 0.2 * width],
          [0.7 * width, 0, 0.2 * width],
        ]
      : [[0.35 * width, 0, 0.3 * width]];
  const [from, to] = now.way ?? [null, null];
  for (const [p, join] of joins.entries()) {
    const [x, top, wide] = places[p];
    const box = { x, y: top + head, width: wide, height: tall };
    const heavy = now.way
      ? [
          now.shares.map((share, s) => [from, s, share / S]),
          now.shares.map((share, s) => [s, to, share / S]),
          [[from, to, now.shares.some(Boolean) ? 1 / S : 0]],
        ][p]
      : null;
    drawPiece(
      group,
      box,
      join.bands,
      S,
      0.86,
      heavy?.filter(([, , share]) => share * S > 0.005),
    );
    svg("rect", { class: "frame", ...box, rx: 8 }, group);
    dots(group, box, S, Math.min(5 * k, tall / S / 4));
    if (!phone || p !== 1) text("word", x, top + head - 16 * k, clipped(isolated(words[join.first]), phone ? 9 : 14));
    const ends = phone && p === 1;
    text(
      `word${ends ? " from-right" : ""}`,
      ends ? width - 8 : x + wide,
      top + head - 16 * k,
      clipped(isolated(words[Math.min(join.last, words.length - 1)]), phone ? 9 : 14),
    );
    text("name", x + wide / 2, top + head - 18 * k, join.name);
    const begins = p !== 1;
    for (let s = 0; s < S; s += 1) {
      const y = box.y + (tall * (s + 0.5)) / S;
      const press = (side, chosen, way) => {
        const button = svg(
          "g",
          {
            class: `tag${chosen ? " chosen" : ""}`,
            role: "button",
            tabindex: -1,
            "aria-pressed": String(chosen),
            "aria-label": tags[s],
          },
          group,
        );
        const at = side === "from" ? x - 14 * k : x + wide + 14 * k;
        svg(
          "rect",
          {
            x: side === "from" ? x - names - 8 : x + wide + 2,
            y: y - tall / S / 2,
            width: names + 6,
            height: tall / S,
          },
          button,
        );
        svg("text", { class: side, x: at, y }, button, clipped(tags[s], 6));
        button.onclick = () => choose(...way);
      };
      if (now.way && begins) press("from", s === from, [s, to]);
      if (now.way && p === joins.length - 1) press("to", s === to, [from, s]);
      else if (!now.way && p === 0) text("tag from", x - 14 * k, y, clipped(tags[s], 6));
    }
  }
  if (joins.length > 1 && !phone) {
    text("sign", 0.342 * width, head + tall / 2, "·");
    text("sign", 0.627 * width, head + tall / 2, "=");
  }
  return group;
}

export class Trees {
  root;
  open;

  // `open(piece)`: a press on a piece.
  constructor(root, open) {
    Object.assign(this, { root, open });
  }

  draw({ words, tags, trees, waits, now }, width, height) {
    this.root.replaceChildren();
    if (!trees.length) {
      svg("text", { class: "alone", x: width / 2, y: height / 2 }, this.root, isolated(words[0]));
      return;
    }
    const phone = width < 640;
    const k = Number(this.root.style.getPropertyValue("--k"));
    const middle = svg("g", {}, this.root);
    const rounds = Math.max(...trees.map((tree) => tree.rounds));
    const boxes = phone
      ? [
          [26, 0, width - 52, height / 2],
          [26, height / 2, width - 52, height / 2],
        ]
      : [
          [0.048 * width, 0, 0.41 * width, height],
          [0.542 * width, 0, 0.41 * width, height],
        ];
    for (const [i, tree] of trees.entries()) {
      const [x, y, wide, tall] = boxes[i];
      const head = (phone ? 44 : 64) * k;
      const pitch = (tall - head) / (rounds + 1.05);
      const at = { x, wide, k, phone, pitch, head: y + head, box: pitch * 0.72, last: words.length - 1 };
      this.frame(middle, at, now, width, i, rounds);
      this.tree(tree, at, { words, tags, waits, now, i });
      if (!phone && !i)
        for (let r = 1; r <= rounds; r += 1)
          svg(
            "text",
            { class: `round${r === now.round ? " now" : ""}`, x: width / 2, y: at.head + pitch * (r + 0.35) },
            this.root,
            now.label.replace(/\d+/, String(r)),
          );
    }
  }

  // The round on screen: one frame around both trees.
  frame(group, { head, pitch, box, phone, k }, now, width, i, rounds) {
    if (i && !phone) return;
    const room = phone ? 4 : Math.min(10 * k, pitch * 0.14);
    const edge = phone ? 3 : 12;
    const over = now.round ? room : (phone ? 24 : 34) * k; // the first one goes around the words, too
    svg(
      "rect",
      {
        class: "clock",
        x: edge,
        y: head + pitch * now.round - over,
        width: width - 2 * edge,
        height: box + room + over,
        rx: 14,
      },
      group,
    );
    if (phone && rounds)
      svg("text", { class: "round now from-right", x: width - 16, y: head - 34 * k }, group, now.label);
  }

  tree(tree, at, { words, tags, waits, now, i }) {
    const { x, wide, k, phone, pitch, head, box, last } = at;
    const group = svg("g", { class: "tree" }, this.root);
    const place = (word) => x + (wide * word) / last;
    const text = (name, tx, ty, content) => svg("text", { class: name, x: tx, y: ty }, group, content);
    text("formula", x + wide / 2, head - (phone ? 34 : 48) * k, tree.formula);
    const room = Math.max(Math.floor(wide / last / ((phone ? 9 : 11) * k)), 2);
    for (const [t, word] of words.entries())
      text("word", place(t), head - (phone ? 12 : 18) * k, clipped(isolated(word), room));
    const spot = ({ first, last: until, round }) => {
      const inset = (wide / last) * 0.14;
      return {
        x: place(first) + inset,
        y: head + pitch * round,
        width: place(until) - place(first) - 2 * inset,
        height: box,
      };
    };
    for (const [n, piece] of tree.pieces.entries()) {
      const where = spot(piece);
      if (piece.round > now.round + 1) continue;
      for (const child of piece.children) {
        const from = spot(tree.pieces[child]);
        svg("path", { class: "joins", d: `M${from.x + from.width / 2} ${from.y + from.height}V${where.y}` }, group);
      }
      if (piece.round > now.round) {
        svg("rect", { class: "waiting", ...where, rx: 8 }, group);
        if (where.width > 190 * k && box > 24 * k) text("waits", where.x + where.width / 2, where.y + box / 2, waits);
        continue;
      }
      const part = svg(
        "g",
        {
          class: `node${piece.round === now.round ? " now" : ""}`,
          role: "button",
          tabindex: -1,
          "aria-label": piece.title,
        },
        group,
      );
      svg("rect", { class: "paper", ...where, rx: 8 }, part);
      drawPiece(part, where, piece.bands, tags, 0.6);
      svg("rect", { class: "frame", ...where, rx: 8 }, part);
      dots(part, where, tags, Math.min(3.2 * k, box / tags / 3.4));
      this.name(part, where, piece, k);
      svg("title", {}, part, piece.title);
      const open = () => this.open({ ...piece, key: `${i}:${n}` });
      part.onclick = open;
    }
    if (tree.rounds <= now.round) text("done", x + wide / 2, head + pitch * (tree.rounds + 1) + box * 0.3, tree.done);
  }

  name(part, where, piece, k) {
    const [x, y] = [where.x + where.width / 2, where.y + where.height / 2];
    const label = svg("text", { class: "name", x, y }, part, piece.name);
    const half = label.getComputedTextLength() / 2 + 7 * k;
    if (2 * half > where.width - 4) return put(label, { x: -99 });
    const tall = Math.min(28 * k, where.height * 0.8);
    return label.before(
      svg("rect", { class: "plate", x: x - half, y: y - tall / 2, width: 2 * half, height: tall, rx: 6 }),
    );
  }
}
