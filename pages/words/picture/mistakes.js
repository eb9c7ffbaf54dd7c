// Which tag is taken for which: a confusion matrix one can read, and sentences of the sample with the mistake.

import { clipped, filledText, html, svg } from "../../../crf/figures/shared/dom.js";
import { pressable, text, writeSwitch } from "./parts.js";

export class Mistakes {
  root;
  host;
  panel;
  step = 0;
  live = true;

  constructor(root, host) {
    Object.assign(this, { root, host });
    this.panel = html("div", { class: "slips" }, root.querySelector(".canvas"));
  }

  draw({ svg: canvas, picture, now, width, height, k, phone, edge }) {
    const { tags, counts, said } = picture;
    this.step = now.step;
    writeSwitch(this.root, picture, (name) => this.host.set("tagger", name));
    canvas.replaceChildren();
    this.panel.hidden = !tags.length;
    if (!tags.length) return;
    const left = edge + (phone ? 56 : 92 * k);
    const top = phone ? 66 : 50 * k;
    const area = {
      width: (phone ? width - edge : width * 0.64) - left,
      height: (phone ? height * 0.62 : height - 34 * k) - top,
    };
    const cell = { w: Math.min(area.width / tags.length, 110 * k), h: Math.min(area.height / tags.length, 60 * k) };
    const at = { left, top, cell, k, phone };
    const name = (k) => tags[k] || said.other;
    text(canvas, "axis-name", left, phone ? 12 : 14 * k, `${said["given-tag"]} →`);
    text(canvas, "axis-name", edge, top - (phone ? 10 : 16 * k), `${said["right-tag"]} ↓`);
    const room = phone ? 7 : Math.max(Math.floor(cell.w / (10 * k)), 3);
    for (const [i, tag] of tags.entries()) {
      const [x, y] = [left + cell.w * (i + 0.5), top - 14 * k];
      const how = phone ? { "text-anchor": "start", transform: `rotate(-50 ${x} ${y})` } : { "text-anchor": "middle" };
      text(canvas, `tag-head ${now.mistake?.[1] === i ? "chosen" : ""}`, x, y, clipped(tag || said.other, room), how);
      text(
        canvas,
        `tag-head ${now.mistake?.[0] === i ? "chosen" : ""}`,
        left - 10,
        top + cell.h * (i + 0.5),
        clipped(tag || said.other, 7),
        { "text-anchor": "end" },
      );
    }
    const largest = Math.max(
      ...counts.flatMap((row, a) => row.map((n, b) => (a === b ? 0 : this.share(row, n)))),
      1e-9,
    );
    for (const [a, row] of counts.entries())
      for (const [b, n] of row.entries())
        this.cell(canvas, at, [a, b], n, this.share(row, n) / largest, picture, `${name(a)} → ${name(b)}: ${n}`);
    if (now.mistake) {
      const [a, b] = now.mistake;
      svg(
        "rect",
        { class: "now", x: left + cell.w * b, y: top + cell.h * a, width: cell.w, height: cell.h, rx: 4 },
        canvas,
      );
    }
    if (!phone) this.legend(canvas, left, top + cell.h * tags.length + 18 * k, said, largest, k);
    this.tell(now, picture, {
      left: phone ? edge : left + cell.w * tags.length + 36 * k,
      top: phone ? top + cell.h * tags.length + 12 : 14,
      edge,
      few: phone,
    });
  }

  share(row, n) {
    return (
      n /
      Math.max(
        row.reduce((sum, one) => sum + one, 0),
        1,
      )
    );
  }

  cell(canvas, { left, top, cell, phone }, [a, b], n, deep, { tags, ranked }, about) {
    const right = a === b;
    const mistakes = !right && n > 0 && tags[a] && tags[b];
    const part = svg(
      "g",
      { class: `mistake ${right ? "right" : ""} ${deep > 0.55 ? "deep" : ""}`, "data-cell": `${a}.${b}` },
      canvas,
    );
    svg(
      "rect",
      {
        x: left + cell.w * b + 1,
        y: top + cell.h * a + 1,
        width: cell.w - 2,
        height: cell.h - 2,
        rx: 3,
        style: `--p:${right ? 0 : Math.sqrt(deep).toFixed(3)}`,
      },
      part,
    );
    if (!right && n && (cell.w > 26 || !phone))
      text(part, "count", left + cell.w * (b + 0.5), top + cell.h * (a + 0.5), String(n), { "text-anchor": "middle" });
    if (right)
      svg(
        "path",
        { class: "diagonal", d: `M${left + cell.w * b + 6} ${top + cell.h * a + 6}l${cell.w - 12} ${cell.h - 12}` },
        part,
      );
    svg("title", {}, part, about);
    if (!mistakes) return;
    part.setAttribute("aria-label", about);
    part.onclick = () => this.choose(a, b, ranked);
    pressable(part, () => this.choose(a, b, ranked));
  }

  // A frequent mistake is a step; another one is kept for the step on screen.
  choose(a, b, ranked) {
    const step = ranked.findIndex(([right, given]) => right === a && given === b);
    if (step >= 0) return this.host.go(step);
    this.host.set("mistake", `${this.step}.${a}.${b}`);
  }

  legend(canvas, x, y, said, largest, k) {
    const wide = 22 * k;
    text(canvas, "about", x, y, said.fewer);
    const start = x + 40 * k;
    for (let i = 0; i < 5; i++)
      svg(
        "rect",
        {
          class: "shade",
          x: start + wide * i,
          y: y - 8 * k,
          width: wide,
          height: 16 * k,
          style: `--p:${Math.sqrt(i / 4).toFixed(3)}`,
        },
        canvas,
      );
    text(canvas, "about", start + 5 * wide + 10, y, `${Math.round(100 * largest)} % ${said.more}`);
  }

  tell({ mistake, examples }, { tags, said }, place) {
    const { left, top, edge } = place;
    Object.assign(this.panel.style, { left: `${left}px`, top: `${top}px`, right: `${edge}px` });
    const [right, given] = (mistake ?? []).map((k) => tags[k]);
    this.panel.replaceChildren(html("h3", {}, null, said.examples));
    for (const { words, token, p } of place.few ? examples.slice(0, 2) : examples) {
      const isFirst = this.panel.childElementCount === 1;
      const line = html("p", { dir: "auto" }, this.panel);
      for (const [t, word] of words.entries()) {
        html(t === token ? "b" : "span", {}, line, word);
        line.append(" ");
      }
      const about = html("small", {}, this.panel, filledText(said.about, { right, given, p }));
      const isCut = this.panel.offsetTop + this.panel.scrollHeight > this.panel.parentElement.clientHeight;
      if (isCut && !isFirst) [line, about].forEach((part) => part.remove());
    }
    if (!examples.length) html("p", { class: "none" }, this.panel, said["no-example"]);
  }
}
