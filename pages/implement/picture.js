// The picture of Implement it: the function to write, a grid of pasted numbers, vessels, or the known mistakes.

import { html } from "../../crf/figures/shared/dom.js";
import { fitting, ofParts } from "../shared/ui/stage/parts.js";
import { Sheet } from "../shared/ui/stage/sheet.js";
import { drawGrid } from "./grid.js";
import { drawVessels } from "./vessels.js";

const SKELETON = `
<form class="typed"></form>
<svg role="group"></svg>
<div class="written"></div>`;
const REST = 400; // ms without a key, after which the numbers are checked
const [HIGH, SCALE] = [370, [0.6, 1.9]]; // px of a usual drawing; how much smaller and larger it may be
const DRAWN = { grid: drawGrid, vessels: drawVessels };

class Part {
  root;
  svg;
  form;
  written;
  host;
  view;
  live;
  sheet;
  typing; // the timer until what is typed is checked

  constructor(root, host) {
    Object.assign(this, { root, host });
    [this.form, this.svg, this.written] = root.children;
    this.sheet = new Sheet(this.svg, ["back", "lines", "marks", "texts"]);
    this.form.onsubmit = (event) => event.preventDefault();
  }

  show(view, live) {
    Object.assign(this, { view, live });
    this.svg.setAttribute("aria-label", view.heading);
  }

  end() {
    clearTimeout(this.typing);
  }

  draw(picture, { phone }) {
    const { part } = picture;
    if (!this.typing) this.root.removeAttribute("aria-busy");
    this.root.dataset.part = part;
    this.svg.toggleAttribute("hidden", !DRAWN[part]);
    this.written.hidden = Boolean(DRAWN[part]);
    this.root.classList.toggle("still", !this.live);
    this.writeForm();
    if (part === "code") this.writeCode();
    if (part === "hidden") this.writeMistakes();
    if (DRAWN[part]) this.drawSheet(DRAWN[part], picture, phone);
  }

  // Beside the form there is less room than in the root.
  drawSheet(draw, picture, phone) {
    const { clientWidth: width, clientHeight: height } = this.svg;
    if (!width || !height) return;
    this.svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    const k = fitting(width, height, HIGH, SCALE);
    this.root.style.setProperty("--k", String(k));
    this.sheet.begin();
    const { now, words } = picture;
    draw({ sheet: this.sheet, picture, now, words, width, height, k, phone, host: this.host });
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

const parts = ["code", "grid", "vessels", "hidden"].map((part) => [part, class extends Part {}]);

export const ImplementPicture = ofParts("implement", Object.fromEntries(parts), {
  skeleton: SKELETON,
  of: ({ picture }) => picture.part,
});
