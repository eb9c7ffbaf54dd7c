// All readings as a flow. Hatched is the probability of whole readings that are cut or ruled out, the same share in every
// column. Cutting lets the hatching shrink; what is left closes up, waits, and grows.

import { clipped, html, put, svg } from "../../../crf/figures/shared/dom.js";
import { FlowDrawing } from "../../../crf/figures/flow/columns.js";
import { hatching } from "../../../crf/figures/flow/hatching.js";
import { everyRibbon } from "../../../crf/figures/flow/layout.js";
import { Reach } from "../../../crf/figures/flow/reach.js";
import { share } from "../../../crf/figures/trellis/numbers.js";

const [SHRINK, WAIT, GROW] = [400, 600, 500]; // ms
const PITCH = 62; // px between columns at least; further ones are left out
const calm = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

export class Flow {
  root;
  host;
  svg;
  drawing;
  reach;
  over;
  press;
  picture;
  beat;
  at;
  running = 0;

  constructor(root, host) {
    Object.assign(this, { root, host });
    this.svg = svg("svg", { role: "group" }, root);
    this.press = html("button", { type: "button", class: "press" }, root);
    hatching(svg("defs", {}, this.svg), "gone", 8, "currentColor", 2);
    this.drawing = new FlowDrawing(svg("svg", { class: "columns" }, svg("g", {}, this.svg)));
    this.drawing.svg.onmousedown = (event) => event.preventDefault(); // after a click → still leads to the next beat
    this.reach = new Reach(
      this.drawing,
      (block) => this.rule(block),
      () => null,
    );
    this.over = svg("g", { class: "over" }, this.svg);
  }

  // A click rules a block's tag out, or in again.
  rule(block) {
    if (!block || this.beat !== "part") return;
    const cell = `${block.t}.${block.k}`;
    const out = this.picture.out.map((one) => one.join("."));
    const next = out.includes(cell) ? out.filter((one) => one !== cell) : [...out, cell];
    this.host.set("out", next.join("-") || "none");
  }

  draw(picture, size, { beat, from }) {
    const kept = this.drawing.blockOf(/** @type {any} */ (this.root.getRootNode()).activeElement);
    Object.assign(this, { picture, beat, at: arrange(picture, size) });
    const { words } = picture;
    this.svg.setAttribute("aria-label", words.label);
    cancelAnimationFrame(this.running);
    this.button();
    this.layout();
    const [cut, grown] = beat === "switch" ? [0, picture.share > 0 ? 1 / picture.share : 1] : [1, 1];
    if (beat === "switch" && from === "breaks" && picture.share > 0 && !calm()) this.animate(grown);
    else this.paint(cut, grown, true);
    const { ribbons } = this.values(cut, grown);
    if (beat === "part") this.reach.settle(kept && { t: kept.t, name: kept.name }, ribbons);
    else this.drawing.settle(null, ribbons);
  }

  // The columns and their blocks.
  layout() {
    const { at, beat, picture, drawing } = this;
    const { tags, tokens, out = [], words } = picture;
    put(this.svg, { width: at.width, height: at.height });
    put(drawing.svg, { y: at.top });
    const own = tags.map(({ name, colour }) => ({ name, colour, about: beat === "part" ? words["rule-out"] : "" }));
    const columns = tokens
      .slice(0, at.view)
      .map((text, t) => ({
        text,
        tags: picture.blocks[t].some(([p]) => p > 0) ? own : [],
        pressed: out.filter(([token]) => token === t).map(([, s]) => s),
        kind: beat === "part" ? "" : "still",
      }));
    const lefts = columns.map((_, t) => at.x(t));
    const { fontFamily } = getComputedStyle(this.root);
    drawing.layout(at.room, { lefts, widths: lefts.map(() => at.wide) }, columns, words, fontFamily);
  }

  // The buttons beside the blocks.
  button() {
    const { words } = this.picture;
    const acts = {
      breaks: [words.cut, () => this.host.open("switch"), "inked"],
      switch: [words.back, () => this.host.open("breaks")],
      part: this.picture.out?.length ? [words["nothing-out"], () => this.host.set("out", "none")] : null,
    }[this.beat];
    this.press.hidden = !acts;
    if (!acts) return;
    this.press.textContent = acts[0];
    this.press.onclick = acts[1];
    this.press.classList.toggle("inked", acts[2] === "inked");
  }

  // Move from the whole flow to the part that is left, grown to fill the page.
  animate(grown) {
    const begun = performance.now();
    const frame = (time) => {
      const past = time - begun;
      const ease = (x) => 1 - (1 - Math.min(Math.max(x, 0), 1)) ** 3;
      const grows = ease((past - SHRINK - WAIT) / GROW);
      this.paint(1 - ease(past / SHRINK), grown ** grows, past >= SHRINK + WAIT + GROW);
      if (past < SHRINK + WAIT + GROW) this.running = requestAnimationFrame(frame);
    };
    this.running = requestAnimationFrame(frame);
  }

  // `cut`: how much of the hatching is there; `grown`: by what the rest is multiplied; `rests`: nothing moves on.
  paint(cut, grown, rests) {
    const { at, picture } = this;
    const { path, out = [] } = picture;
    this.drawing.draw({ ...this.values(cut, grown), path: rests ? path : [] });
    this.over.replaceChildren();
    picture.tokens.slice(0, at.view).forEach((token, t) => {
      const room = Math.max(Math.floor(at.pitch / (at.letters * 0.55)), 2);
      const place = { class: "word", x: at.x(t) + at.wide / 2, y: at.top - at.letters * 0.75 };
      svg("text", place, this.over, clipped(token, room)).style.fontSize = `${at.letters}px`;
    });
    for (const { t, k, y, tall } of this.drawing.blocks) {
      if (!out.some(([token, s]) => token === t && s === k)) continue;
      const r = Math.min(17 * at.k, Math.max(tall / 2, 7));
      const x = t === at.view - 1 ? at.x(t) - r / 2 : at.x(t) + at.wide + r / 2; // beside the block's own label
      this.cross(x, at.top + y + tall / 2, r, "crossed");
    }
    if (rests && path.length) this.drawPath();
    if (at.vessel) this.drawVessel(cut, grown);
  }

  // The numbers of the drawing: what is kept, and what is hatched.
  values(cut, grown) {
    const { at, picture } = this;
    const parts = picture.blocks.slice(0, at.view).filter((column) => column.some(([p]) => p > 0));
    const blocks = (part) => parts.flat().map(([p, kept]) => part(p, kept));
    const { columns } = this.drawing;
    const places = columns.map(({ tags }) => tags.map((_, s) => s));
    const ribbons = (part) =>
      places.slice(1).flatMap((column, t) => {
        const own = picture.ribbons.filter(([from]) => from === t);
        return everyRibbon(
          [places[t], column],
          own.map(([, a, b, p, kept]) => [a, b, part(p, kept)]),
        );
      });
    const [stays, goes] = [(_, kept) => kept * grown, (p, kept) => (p - kept) * cut];
    return { blocks: blocks(stays), ribbons: ribbons(stays), cut: { blocks: blocks(goes), ribbons: ribbons(goes) } };
  }

  // The best reading as a line, with a cross where it breaks a rule.
  drawPath() {
    const { at, over, drawing } = this;
    const { path, breaks } = this.picture;
    const y = (t) => {
      const { y, high } = drawing.blocks.find((block) => block.t === t && block.k === path[t]);
      return at.top + y + high / 2;
    };
    for (let t = 1; t < at.view && breaks.length; t++) {
      const [x0, x1] = [at.x(t - 1) + at.wide, at.x(t)];
      const m = (x0 + x1) / 2;
      svg("path", { class: "line", d: `M${x0} ${y(t - 1)}C${m} ${y(t - 1)} ${m} ${y(t)} ${x1} ${y(t)}` }, over);
      if (breaks.includes(t)) this.cross(m, (y(t - 1) + y(t)) / 2, 20 * at.k, "break");
    }
    if (breaks.includes(0)) this.cross(at.x(0) + at.wide / 2, y(0), 18 * at.k, "break");
    if (breaks.includes(path.length) && at.view === path.length)
      this.cross(at.x(path.length - 1) + at.wide / 2, y(path.length - 1), 18 * at.k, "break");
  }

  cross(x, y, r, kind) {
    const group = svg("g", { class: kind }, this.over);
    svg("circle", { cx: x, cy: y, r }, group);
    svg(
      "path",
      { d: `M${x - r * 0.42} ${y - r * 0.42}l${r * 0.84} ${r * 0.84}m0 ${-r * 0.84}l${-r * 0.84} ${r * 0.84}` },
      group,
    );
  }

  // The share that is allowed, or left.
  drawVessel(cut, grown) {
    const { at, beat, over } = this;
    const { words, share: part } = this.picture;
    const [x, wide, size] = [at.vessel, at.vesselWide, at.phone ? 13 : 18 * at.k];
    const level = Math.min(part * grown, 1) * at.room;
    const bottom = at.top + at.room;
    svg("rect", { class: "glass", x, y: at.top, width: wide, height: at.room, rx: 9 }, over);
    if (cut > 0.01)
      svg(
        "rect",
        {
          class: "drained",
          x,
          y: bottom - level - (1 - part) * cut * at.room,
          width: wide,
          height: (1 - part) * cut * at.room,
          fill: "url(#gone)",
        },
        over,
      );
    svg("rect", { class: "water", x, y: bottom - level, width: wide, height: level, rx: 9 }, over);
    const note = (y, text, classes) =>
      (svg("text", { class: classes, x: x - 8, y }, over, text).style.fontSize = `${size * 1.1}px`);
    note(bottom - level, share(Math.min(part * grown, 1)), "amount");
    if (beat === "switch" && grown > 1.2) {
      svg("path", { class: "mark", d: `M${x} ${bottom - part * at.room}h${wide}` }, over);
      if (part < 0.93 && !at.phone) note(bottom - part * at.room, `${words.was} ${share(part)}`, "amount faint");
    } else if (part < 0.94 && part > 0.04) note(at.top + ((1 - part) * at.room) / 2, share(1 - part), "amount faint");
    svg(
      "text",
      { class: at.phone ? "name ends" : "name", x: at.phone ? x + wide : x + wide / 2, y: at.top - size },
      over,
      beat === "part" ? words.left : words.allowed,
    ).style.fontSize = `${size}px`;
  }
}

function arrange({ tokens, share: part }, { width, height, k, phone, edge }) {
  const has = part !== null && part !== undefined;
  const [vesselWide, note] = has ? [phone ? 26 : 52 * k, phone ? 40 : 84 * k] : [0, 0];
  const room = width - 2 * edge - vesselWide - note;
  const view = Math.max(Math.min(tokens.length, Math.floor(room / (phone ? 44 : PITCH * k))), 1);
  const wide = Math.min(room / (view + 1.2 * (view - 1)), 150 * k);
  const pitch = view > 1 ? (room - wide) / (view - 1) : 0;
  const letters = Math.min(31 * k, (pitch || room) * 0.2, 34);
  const top = letters * 1.5 + 2;
  return {
    k,
    phone,
    width,
    height,
    view,
    wide,
    pitch: pitch || room,
    letters,
    top,
    room: height - top - 4,
    vesselWide,
    vessel: has ? width - edge - vesselWide : 0,
    x: (t) => edge + (view > 1 ? t * pitch : (room - wide) / 2),
  };
}
