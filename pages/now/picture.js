// What a CRF has added to three networks, as pairs of dots; the questions of the course, each with its beat; the ways on.

import { html } from "../../crf/figures/shared/dom.js";
import { ofParts } from "../shared/ui/stage/parts.js";
import { ask, progress } from "../shared/ui/stage/progress.js";

const [FROM, TO] = [30, 80]; // of the scale, in percent

class Questions {
  root;

  constructor(root) {
    this.root = root;
  }

  draw(picture) {
    if (picture === this.picture) return;
    this.picture = picture;
    this.root.replaceChildren(...this.pairs(picture), ...this.chips(picture), this.ways(picture));
  }

  pairs({ pairs, legend, source }) {
    if (!pairs.length) return [];
    const head = html("div", { class: "end-legend" });
    for (const [i, name] of legend.entries()) html("span", { class: i ? "end-dot filled" : "end-dot" }, head, name);
    html("a", { href: source.href, "data-keeps": source.keeps }, head, `${source.text} →`);
    const rows = pairs.map(({ name, measure, values, texts, gain }) => {
      const row = html("div", { class: "end-pair" });
      const title = html("p", {}, row);
      html("b", {}, title, name);
      html("span", {}, title, measure);
      const [before, after] = values.map((value) => (value - FROM) / (TO - FROM));
      const scale = html("div", { class: "scale", style: `--before: ${before}; --after: ${after}` }, row);
      html("i", {}, scale);
      html("span", { class: "end-dot", "data-value": values[0] }, scale);
      html("span", { class: "end-dot filled", "data-value": values[1] }, scale);
      html("small", {}, scale, texts[0]);
      html("strong", {}, scale, texts[1]);
      html("p", { class: "gain" }, row, gain);
      return row;
    });
    return [head, ...rows];
  }

  chips({ asks, questions, answered }) {
    const list = html("ol", { class: "asked" });
    const known = progress();
    for (const { text, lesson, beat, href, keeps } of questions) {
      const right = known[lesson]?.[beat] === 2;
      const link = html("a", { href, "data-keeps": keeps, class: right ? "right" : "" }, html("li", {}, list), text);
      if (right) link.setAttribute("aria-description", answered);
      link.addEventListener("click", () => ask(lesson, beat), { capture: true });
    }
    return [html("p", { class: "asks" }, null, asks), list];
  }

  ways({ ways, copied }) {
    const place = html("div", { class: "end-ways" });
    for (const { name, title, about, does, href, code, keeps } of ways) {
      const way = html("section", { "data-way": name }, place);
      html("h2", {}, way, title);
      html("p", {}, way, about);
      if (href) html("a", { href, "data-keeps": keeps }, way, does);
      else {
        const button = html("button", { type: "button" }, way, does);
        button.onclick = async () => {
          await navigator.clipboard.writeText(code);
          button.textContent = copied;
        };
      }
    }
    return place;
  }
}

export const NowPicture = ofParts("what-now", { questions: Questions });
