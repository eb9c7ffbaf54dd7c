// All readings as a flow. Hatched is the probability of whole readings that are cut or ruled out, the same share in every
// column. Cutting lets the hatching shrink; what is left closes up, waits, and grows.

import { clipped, html, put, svg } from "../../../crf/figures/shared/dom.js";
import { label, lettering } from "../../../crf/figures/flow/labels.js";
import { bandPath, bands } from "../../../crf/figures/flow/layout.js";
import { share } from "../../../crf/figures/trellis/numbers.js";

const [INSET, LEAST] = [1.5, 0.3]; // px: blocks stay apart; lower ones are not drawn
const [SHRINK, WAIT, GROW] = [400, 600, 500]; // ms
const PITCH = 62; // px between columns at least; further ones are left out
const calm = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

export class Flow {
  root;
  host;
  svg;
  press;
  picture;
  beat;
  at;
  letters;
  running = 0;

  constructor(root, host) {
    Object.assign(this, { root, host });
    this.svg = svg("svg", { role: "group" }, root);
    this.press = html("button", { type: "button", class: "press" }, root);
    this.svg.addEventListener("click", ({ target }) => this.rule(target.closest("[data-tag]")));
    this.svg.addEventListener("keydown", (event) => {
      const block = event.target.closest("[data-tag]");
      if (!block || (event.key !== "Enter" && event.key !== " ")) return;
      event.preventDefault();
      event.stopPropagation();
      this.rule(block);
    });
  }

  // A click rules a block's tag out, or in again.
  rule(block) {
    if (!block || this.beat !== "part") return;
    const cell = `${block.dataset.token}.${this.picture.tags.findIndex(({ name }) => name === block.dataset.tag)}`;
    const out = this.picture.out.map((one) => one.join("."));
    const next = out.includes(cell) ? out.filter((one) => one !== cell) : [...out, cell];
    this.host.set("out", next.join("-") || "none");
  }

  draw(picture, size, { beat, from }) {
    Object.assign(this, { picture, beat, at: arrange(picture, size) });
    const { words } = picture;
    this.svg.setAttribute("aria-label", words.label);
    cancelAnimationFrame(this.running);
    this.button();
    const [cut, grown] = beat === "switch" ? [0, picture.share > 0 ? 1 / picture.share : 1] : [1, 1];
    if (beat === "switch" && from === "breaks" && picture.share > 0 && !calm()) this.animate(grown);
    else this.paint(cut, grown, true);
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
    const held = /** @type {any} */ (this.svg.getRootNode()).activeElement?.closest?.("[data-tag]")?.dataset;
    this.svg.replaceChildren();
    put(this.svg, { width: at.width, height: at.height });
    this.patterns();
    const [bands, bodies, over] = ["bands", "bodies", "over"].map((name) => svg("g", { class: name }, this.svg));
    const places = this.stack(cut, grown);
    this.letters = lettering(
      picture.tags.map(({ name }) => name),
      at.wide,
      getComputedStyle(this.root).fontFamily,
    );
    this.drawRibbons(bands, places, cut, grown);
    for (let t = 0; t < at.view; t++) this.drawColumn(bodies, over, t, places[t], grown, rests);
    if (rests && picture.path.length) this.drawPath(over, places);
    if (at.vessel) this.drawVessel(over, cut, grown);
    if (held)
      [...this.svg.querySelectorAll("[data-tag]")]
        .find((one) => one.dataset.token === held.token && one.dataset.tag === held.tag)
        ?.focus();
  }

  patterns() {
    const defs = svg("defs", {}, this.svg);
    this.picture.tags.forEach(({ colour }, s) => {
      const pattern = svg(
        "pattern",
        { id: `hatch${s}`, width: 8, height: 8, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" },
        defs,
      );
      svg("path", { d: "M0 0V8", stroke: `rgb(${colour})`, "stroke-width": 5 }, pattern);
    });
    const never = svg(
      "pattern",
      { id: "gone", width: 8, height: 8, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" },
      defs,
    );
    svg("path", { d: "M0 0V8", stroke: "currentColor", "stroke-width": 2 }, never);
  }

  // For each block where its kept and its hatched part stand.
  stack(cut, grown) {
    const { at } = this;
    return this.picture.blocks.slice(0, at.view).map((column) => {
      let y = at.top;
      return column.map(([p, kept]) => {
        const [high, gone] = [kept * grown * at.room, (p - kept) * cut * at.room];
        const place = { y, high, gone, next: y, nextGone: y + high };
        y += high + gone;
        return place;
      });
    });
  }

  drawColumn(bodies, over, t, places, grown, rests) {
    const { at, picture } = this;
    const { tags, tokens, path, out = [] } = picture;
    const [x, middle] = [at.x(t), at.x(t) + at.wide / 2];
    const word = svg(
      "text",
      { class: "word", x: middle, y: at.top - at.letters * 0.75 },
      over,
      clipped(tokens[t], Math.max(Math.floor(at.pitch / (at.letters * 0.55)), 2)),
    );
    word.style.fontSize = `${at.letters}px`;
    if (!picture.blocks[t].some(([p]) => p > 0))
      svg("rect", { class: "empty", x, y: at.top, width: at.wide, height: at.room, rx: 3 }, bodies);
    tags.forEach(({ name, colour }, s) => {
      const { y, high, gone } = places[s];
      const [p, kept] = picture.blocks[t][s];
      const rules = this.beat === "part";
      if (high + gone < LEAST && !rules) return;
      const group = svg(
        "g",
        {
          class: `block${path[t] === s && rests ? " best" : ""}`,
          "data-token": t,
          "data-tag": name,
          "data-p": p,
          "data-kept": kept,
          ...(rules && {
            role: "button",
            tabindex: 0,
            "aria-pressed": String(out.some(([a, b]) => a === t && b === s)),
            "aria-label": `${tokens[t]}, ${name} ${share(p)}: ${picture.words["rule-out"]}`,
          }),
        },
        bodies,
      );
      if (gone >= LEAST)
        svg(
          "rect",
          {
            class: "gone",
            x,
            y: y + high + INSET / 2,
            width: at.wide,
            height: Math.max(gone - INSET, 0.2),
            rx: 2,
            fill: `url(#hatch${s})`,
          },
          group,
        );
      if (high >= LEAST)
        svg(
          "rect",
          {
            class: "face",
            x,
            y: y + Math.min(INSET, high / 4),
            width: at.wide,
            height: Math.max(high - 2 * Math.min(INSET, high / 4), 0.2),
            rx: 3,
            fill: `rgb(${colour})`,
          },
          group,
        );
      this.write(group, name, kept * grown, middle, y + high / 2, high);
      if (out.some(([a, b]) => a === t && b === s))
        this.cross(over, middle, y + (high + gone) / 2, Math.min(17 * at.k, Math.max((high + gone) / 2, 7)), "crossed");
    });
  }

  write(group, name, p, x, y, high) {
    const { size, turned, family } = this.letters;
    const lines = label(name, p, this.at.wide, high, this.letters);
    lines.forEach((line, n) => {
      const made = svg(
        "text",
        { x, y: y + (n - (lines.length - 1) / 2) * size * 1.12, ...(turned && { transform: `rotate(-90 ${x} ${y})` }) },
        group,
        line,
      );
      made.style.font = `650 ${size}px ${family}`;
      made.style.fill = "#fff";
    });
  }

  // In each gap the kept ribbons, and those of the hatched parts below them.
  drawRibbons(parent, places, cut, grown) {
    const { at, picture } = this;
    const ends = (t, gone) => places[t].map(({ y, high }, s) => [s, { y: gone ? y + high : y }]);
    for (let t = 0; t + 1 < at.view; t++) {
      const own = picture.ribbons.filter(([from]) => from === t);
      const [kept, gone] = [0, 1].map((isGone) => {
        const part = ([, a, b, p, stays]) => ({ a, b, p: isGone ? (p - stays) * cut : stays * grown });
        return bands(own.map(part), ends(t, isGone), ends(t + 1, isGone), at.room);
      });
      for (const [k, [, i, j]] of own.entries()) {
        this.ribbon(parent, t, i, j, kept[k]);
        this.ribbon(parent, t, i, j, gone[k], true);
      }
    }
  }

  ribbon(parent, t, i, j, place, isGone = false) {
    const { at, picture } = this;
    if (place.high < LEAST) return;
    const made = svg(
      "path",
      {
        class: isGone ? "ribbon gone" : "ribbon",
        "data-token": t,
        "data-from": picture.tags[i].name,
        "data-to": picture.tags[j].name,
        d: bandPath(at.x(t) + at.wide, at.x(t + 1), place, Math.min(INSET, place.high / 4)),
      },
      parent,
    );
    if (isGone) made.style.fill = `url(#hatch${i})`;
    else made.style.setProperty("--c", picture.tags[i].colour);
  }

  // The best reading as a line, with a cross where it breaks a rule.
  drawPath(over, places) {
    const {
      at,
      picture: { path, breaks },
    } = this;
    const y = (t) => places[t][path[t]].y + places[t][path[t]].high / 2;
    for (let t = 0; t < at.view; t++) {
      const { high, y: top } = places[t][path[t]];
      svg(
        "rect",
        { class: "ring", x: at.x(t), y: top + 2, width: at.wide, height: Math.max(high - 4, 1), rx: 3 },
        over,
      );
      if (!t || !breaks.length) continue;
      const [x0, x1] = [at.x(t - 1) + at.wide, at.x(t)];
      const m = (x0 + x1) / 2;
      svg("path", { class: "line", d: `M${x0} ${y(t - 1)}C${m} ${y(t - 1)} ${m} ${y(t)} ${x1} ${y(t)}` }, over);
      if (breaks.includes(t)) this.cross(over, m, (y(t - 1) + y(t)) / 2, 20 * at.k, "break");
    }
    if (breaks.includes(0)) this.cross(over, at.x(0) + at.wide / 2, y(0), 18 * at.k, "break");
    if (breaks.includes(path.length) && at.view === path.length)
      this.cross(over, at.x(path.length - 1) + at.wide / 2, y(path.length - 1), 18 * at.k, "break");
  }

  cross(parent, x, y, r, kind) {
    const group = svg("g", { class: kind }, parent);
    svg("circle", { cx: x, cy: y, r }, group);
    svg(
      "path",
      { d: `M${x - r * 0.42} ${y - r * 0.42}l${r * 0.84} ${r * 0.84}m0 ${-r * 0.84}l${-r * 0.84} ${r * 0.84}` },
      group,
    );
  }

  // The share that is allowed, or left.
  drawVessel(over, cut, grown) {
    const {
      at,
      picture: { words, share: part },
      beat,
    } = this;
    const [x, wide, size] = [at.vessel, at.vesselWide, 18 * at.k];
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
