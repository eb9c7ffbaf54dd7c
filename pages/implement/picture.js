// The picture of Implement it: the function to write, a grid of pasted numbers, vessels, or the known mistakes.

import { fill, html } from "../../crf/figures/shared/dom.js";
import { Sheet } from "../shared/ui/stage/sheet.js";
import { drawGrid } from "./grid.js";
import { drawVessels } from "./vessels.js";

const SKELETON = `
<div class="implement" data-figure="implement">
  <form class="typed"></form>
  <svg role="group"></svg>
  <div class="written"></div>
</div>`;
const REST = 400; // ms without a key, after which the numbers are checked
const DRAWN = { grid: drawGrid, vessels: drawVessels };

export class ImplementPicture {
  root;
  svg;
  form;
  written;
  host;
  view;
  live;
  sheet;
  part;
  typing; // the timer until what is typed is checked

  constructor(el, host, signal) {
    this.root = fill(el, SKELETON);
    this.svg = this.root.querySelector("svg");
    this.form = this.root.querySelector("form");
    this.written = this.root.querySelector(".written");
    this.host = host;
    this.form.onsubmit = (event) => event.preventDefault();
    const watch = new ResizeObserver(() => this.draw());
    watch.observe(this.root);
    signal.addEventListener("abort", () => {
      watch.disconnect();
      clearTimeout(this.typing);
    });
  }

  show(view, live) {
    Object.assign(this, { view, live });
    this.svg.setAttribute("aria-label", view.heading);
  }

  showNow(now) {
    if (now.picture) Object.assign(this.view.picture, now.picture);
    this.view.picture.now = now;
    if (!this.typing) this.root.removeAttribute("aria-busy");
    this.draw();
  }

  draw() {
    if (!this.view || !this.root.clientWidth) return;
    const { picture } = this.view,
      { part } = picture;
    if (this.part !== part) {
      this.svg.replaceChildren();
      this.sheet = new Sheet(this.svg, ["back", "lines", "marks", "texts"]);
      this.root.dataset.part = this.part = part;
      this.form.replaceChildren();
      this.written.replaceChildren();
    }
    this.svg.toggleAttribute("hidden", !DRAWN[part]);
    this.written.hidden = Boolean(DRAWN[part]);
    this.root.classList.toggle("still", !this.live);
    this.writeForm();
    if (part === "code") this.writeCode();
    if (part === "hidden") this.writeMistakes();
    if (DRAWN[part]) this.drawSheet(DRAWN[part]);
  }

  drawSheet(draw) {
    const [width, height] = [this.svg.clientWidth, this.svg.clientHeight];
    if (!width || !height) return;
    const { picture } = this.view;
    this.svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    const k = Math.min(Math.max(Math.min(width / 1280, height / 370), 0.6), 1.9);
    this.root.style.setProperty("--k", String(k));
    this.sheet.begin();
    draw({
      sheet: this.sheet,
      picture,
      now: picture.now,
      words: picture.words,
      width,
      height,
      k,
      phone: width < 640,
      host: this.host,
    });
    this.sheet.end();
  }

  // ---------------------------------------------------------------- what is pasted and chosen

  writeForm() {
    const { picture } = this.view;
    const { words } = picture;
    this.form.hidden = !["grid", "vessels", "hidden"].includes(picture.part);
    if (picture.part === "grid") {
      this.choice("pasted", picture.quantities, picture.quantity);
      this.choice("form", picture.forms, picture.form);
      this.choice("space", picture.forms.length ? picture.spaces : [], picture.space);
      this.field("pasted", picture.quantity, picture);
    } else if (picture.part === "vessels") {
      this.choice(
        "claim",
        ["log-z", "score", "loss"].map((name) => [name, words[name]]),
        picture.claims,
      );
      this.field("claim", picture.claims, { ...picture, pasted: picture.yours.value });
    } else if (picture.part === "hidden") {
      this.choice(
        "ends",
        [
          ["on", words["ends-on"]],
          ["off", words["ends-off"]],
        ],
        picture.ends,
      );
    }
  }

  // A list to choose from; none where there is no choice.
  choice(name, options, chosen) {
    const select = this.form.elements.namedItem(name) ?? html("select", { name, "aria-label": name }, this.form);
    select.hidden = !options.length;
    select.disabled = !this.live;
    const shape = JSON.stringify(options);
    if (select.dataset.shape !== shape)
      select.replaceChildren(...options.map(([value, label]) => html("option", { value }, null, label)));
    select.dataset.shape = shape;
    select.value = chosen;
    select.onchange = () => this.host.set(name, select.value);
  }

  // The field for the reader's numbers, after the choice of what they are.
  field(name, quantity, { pasted, own, words }) {
    let field = this.form.querySelector("textarea");
    if (!field) {
      field = html(
        "textarea",
        { rows: 1, spellcheck: "false", autocomplete: "off", "aria-label": words.paste },
        this.form,
      );
      html("small", {}, this.form);
    }
    this.form.querySelector("small").textContent = own ? words.yours : words.sample;
    field.readOnly = !this.live;
    field.title = words.paste;
    const focused = /** @type {any} */ (this.root.getRootNode()).activeElement === field;
    if (!focused) field.value = pasted;
    const send = () => {
      clearTimeout(this.typing);
      this.typing = undefined;
      const text = field.value
        .trim()
        .replace(/[ \t]+/g, " ")
        .slice(0, 4000);
      if (text === pasted) return this.root.removeAttribute("aria-busy");
      this.host.set(name, `${quantity} ${text.replaceAll("−", "-")}`.trim());
    };
    field.oninput = () => {
      this.root.setAttribute("aria-busy", "true"); // the verdict on screen is that of other numbers
      clearTimeout(this.typing);
      this.typing = setTimeout(send, REST);
    };
    field.onchange = send;
    field.onfocus = () => field.select();
    field.onpaste = () => setTimeout(send);
    field.onkeydown = (event) => {
      if (event.key === "Escape" || (event.key === "Enter" && (event.ctrlKey || event.metaKey))) field.blur();
      event.stopPropagation();
    };
  }

  // ---------------------------------------------------------------- a function, and the mistakes

  writeCode() {
    const { names, words, now } = this.view.picture;
    if (!this.written.childElementCount) {
      const list = html("ol", { "aria-label": words.order }, this.written);
      for (const name of names) html("button", { type: "button" }, html("li", {}, list), name);
      const file = html("figure", {}, this.written);
      html("figcaption", {}, file, words.file);
      html("pre", { tabindex: 0 }, file);
    }
    for (const [i, button] of [...this.written.querySelectorAll("button")].entries()) {
      button.classList.toggle("done", i < now.chosen);
      if (i === now.chosen) button.setAttribute("aria-current", "step");
      else button.removeAttribute("aria-current");
      button.disabled = !this.live;
      button.onclick = () => this.host.go(i);
    }
    this.written.querySelector("pre").textContent = now.code;
  }

  writeMistakes() {
    const { names, words, now } = this.view.picture;
    const list = html("ol", {});
    for (const [i, name] of names.entries()) {
      const button = html(
        "button",
        { type: "button", ...(i === now.chosen && { "aria-current": "step" }) },
        html("li", {}, list),
        name,
      );
      button.disabled = !this.live;
      button.onclick = () => this.host.go(i);
    }
    const chips = html("ul", {});
    for (const { name, hidden } of now.mistakes)
      html(
        "li",
        { class: hidden ? "unseen" : "seen", "aria-label": `${name}: ${hidden ? words.hides : words.shows}` },
        chips,
        name,
      );
    this.written.replaceChildren(list, chips);
  }
}
