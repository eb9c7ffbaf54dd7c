// A training: a dot is one batch's own loss, a bar the mean of an epoch, a vessel what is right of sentences that are held out.

import { decimal } from "../../../crf/figures/shared/decimal.js";
import { filledText, html, svg } from "../../../crf/figures/shared/dom.js";
import { post } from "../../shared/ui/stage/ask.js";
import { share, text } from "./parts.js";

const AGAIN = 700; // ms until it is asked how a training goes
const ACTIVE = ["waiting", "begins", "running"];
const TICKS = [0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 100, 300, 1000];

export class TrainingDrawing {
  root;
  host;
  picture;
  run;
  timer;
  drawn;
  known;
  bounds;
  live = true;

  constructor(root, host) {
    Object.assign(this, { root, host });
    const tools = root.querySelector(".tools");
    this.menus = html("div", { class: "menus" }, tools);
    this.button = html("button", { type: "button", class: "train" }, tools);
    this.fault = html("p", { class: "fault", role: "alert" }, tools);
    this.button.onclick = () => this.press();
  }

  end() {
    clearTimeout(this.timer);
  }

  // ---------------------------------------------------------------- what the reader does

  get isActive() {
    return ACTIVE.includes(this.run.state);
  }

  get isReader() {
    return this.live && this.root.closest(".stage")?.dataset.host === "reader";
  }

  async press() {
    const { address, sentence, menus } = this.picture;
    this.fault.textContent = "";
    if (!this.isActive && this.run.own) {
      this.host.choose({ ex: "", sentence, tagger: this.run.own });
      return this.host.open("network");
    }
    const asked = this.isActive
      ? { stop: this.run.key }
      : Object.fromEntries(menus.map(({ name, value }) => [name, value]));
    this.button.disabled = true;
    const [ok, answer] = await post(address, asked).catch(() => [false, {}]);
    this.button.disabled = false;
    if (!ok) this.fault.textContent = answer.message ?? "";
    else if (answer.training) this.host.set("training", answer.training);
  }

  writeMenus({ menus }) {
    if (this.menus.childElementCount !== menus.length) {
      this.menus.replaceChildren(
        ...menus.map(({ name, label, options }) => {
          const select = /** @type {HTMLSelectElement} */ (html("select", { name, "aria-label": label }));
          for (const option of options) html("option", { value: option.name }, select, option.label);
          select.onchange = () => this.choose(name, select.value);
          return select;
        }),
      );
    }
    for (const [i, { value }] of menus.entries()) {
      const select = /** @type {HTMLSelectElement} */ (this.menus.children[i]);
      select.value = value;
      select.disabled = this.isActive;
    }
  }

  // Other settings: the training that is over gives way to the next.
  choose(name, value) {
    if (this.run.key && !this.isActive) this.host.set("training", "");
    this.host.set(name, value);
  }

  // ---------------------------------------------------------------- the drawing

  draw(how) {
    const { svg: canvas, picture, now, moves, width, height, k, phone, edge } = how;
    this.picture = picture;
    this.run = now.run;
    this.writeTools(picture);
    const { batches, epochs, last } = this.run;
    const [left, right] = [edge + (phone ? 34 : 64 * k), width - edge];
    const vessel = { high: 54 * k, top: height - 54 * k - 30 * k };
    const plot = { top: 30 * k, bottom: vessel.top - 12 * k };
    const each = (right - left) / last;
    const y = this.scale(batches, plot);
    const fresh =
      this.drawn && this.drawn.key === this.run.key
        ? this.drawn
        : { key: this.run.key, batches: moves ? 0 : batches.length, epochs: moves ? epochs.length - 1 : epochs.length };
    canvas.replaceChildren();
    this.axes(canvas, { left, right, edge, each, plot, vessel, y, k, phone });
    this.dots(canvas, (at) => left + each * at, y, fresh.batches, k);
    this.means(canvas, { left, each, y, vessel, k, phone }, fresh.epochs);
    this.drawn = { key: this.run.key, batches: batches.length, epochs: epochs.length };
    clearTimeout(this.timer);
    if (this.isActive && this.run.key !== this.known) this.root.scrollIntoView?.({ block: "center" });
    this.known = this.run.key;
    if (this.isActive && this.live)
      this.timer = setTimeout(
        () => this.root.isConnected && this.root.dataset.of === "train" && this.host.go(now.step),
        AGAIN,
      );
  }

  writeTools(picture) {
    const { said } = picture;
    this.writeMenus(picture);
    this.root.querySelector(".tools").toggleAttribute("hidden", !this.isReader);
    this.button.textContent = this.isActive ? said.stop : this.run.own ? said.use : said.train;
  }

  scale(batches, { top, bottom }) {
    const losses = batches.length ? batches.map(([, loss]) => Math.max(loss, 0.01)) : [1, 100];
    const [low, high] = [Math.log(Math.min(...losses)) - 0.3, Math.log(Math.max(...losses)) + 0.15];
    this.bounds = [Math.exp(low), Math.exp(high)];
    return (loss) => bottom - ((bottom - top) * (Math.log(Math.max(loss, 0.01)) - low)) / (high - low);
  }

  axes(canvas, { left, right, edge, each, plot, vessel, y, k, phone }) {
    const { said } = this.picture;
    const { last, held_out: held } = this.run;
    text(canvas, "about", edge, 12 * k, said.loss);
    for (const tick of TICKS.filter((one) => one > this.bounds[0] && one < this.bounds[1])) {
      svg("path", { class: "grid", d: `M${left} ${y(tick)}H${right}` }, canvas);
      text(canvas, "axis", left - 10, y(tick), String(tick), { "text-anchor": "end" });
    }
    for (let n = 1; n < last; n++)
      svg("path", { class: "grid", d: `M${left + each * n} ${plot.top}V${vessel.top + vessel.high}` }, canvas);
    if (!phone)
      for (const [i, word] of said["words-right"].split(" ").entries())
        text(canvas, "strong", edge, vessel.top + vessel.high / 2 + (i - 0.5) * 19 * k, word);
    text(canvas, "about", left, vessel.top + vessel.high + 17 * k, filledText(said["held-out"], { n: held }));
  }

  dots(canvas, x, y, before, k) {
    const { batches } = this.run;
    const group = svg("g", { class: "dots" }, canvas);
    const radius = (batches.length > 500 ? 2.5 : 5) * k;
    for (const [i, [at, loss]] of batches.entries()) {
      const dot = svg("circle", { cx: x(at), cy: y(loss), r: radius }, group);
      if (i >= before) {
        dot.classList.add("falls");
        dot.style.animationDelay = `${Math.min((i - before) * 8, 600)}ms`;
      }
    }
    if (!batches.length || this.run.epochs.length === this.run.last) return;
    const [at, loss] = batches.at(-1);
    svg("circle", { class: "now", cx: x(at), cy: y(loss), r: 11 * k }, group);
    text(group, "newest", x(at) + 20 * k, y(loss), decimal(loss.toFixed(1)));
  }

  means(canvas, { left, each, y, vessel, k, phone }, before) {
    const { epochs, last } = this.run;
    const gap = each * 0.05;
    for (let n = 0; n < last; n++) {
      const [a, wide] = [left + each * n + gap, each - 2 * gap];
      const epoch = epochs[n];
      const part = svg("g", { class: `epoch ${n >= before ? "slides" : ""}` }, canvas);
      svg(
        "rect",
        { class: epoch ? "vessel" : "vessel later", x: a, y: vessel.top, width: wide, height: vessel.high, rx: 8 },
        part,
      );
      if (!epoch) continue;
      const [loss, right] = epoch;
      svg(
        "rect",
        {
          class: "water",
          x: a,
          y: vessel.top + vessel.high * (1 - right),
          width: wide,
          height: vessel.high * right,
          rx: 6,
        },
        part,
      );
      text(
        part,
        "percent",
        a + wide / 2,
        vessel.top + vessel.high / 2,
        phone ? String(Math.round(100 * right)) : share(right),
        { "text-anchor": "middle" },
      );
      svg("rect", { class: "mean", x: a, y: y(loss) - 3.5 * k, width: wide, height: 7 * k, rx: 3 }, part);
      text(part, "value", a + wide / 2, y(loss) - 18 * k, decimal(loss.toFixed(1)), { "text-anchor": "middle" });
    }
  }
}
