// The picture of the lesson on learning: each beat names its drawing, which is drawn to the size of the stage.

import { html, put, svg } from "../../crf/figures/shared/dom.js";
import { ofParts } from "../shared/ui/stage/parts.js";
import { Corpus, Likelihood, Methods, Shared } from "./corpus.js";
import { Errors, Fault } from "./errors.js";
import { Flows, Slope } from "./flows.js";

const DRAWINGS = {
  flows: Flows,
  slope: Slope,
  likelihood: Likelihood,
  shared: Shared,
  corpus: Corpus,
  methods: Methods,
  error: Errors,
  fault: Fault,
};
const SKELETON = `<div class="scroll"><svg role="group"></svg></div><div class="controls"></div>`;
const PRESENTED = 1.27; // how much larger letters are on a projector
const LAYERS = ["back", "bands", "blocks", "lines", "labels", "front"];

// What is drawn, by names: a part that is drawn again keeps its element, so that it moves to its new place.
export class Canvas {
  root;
  layers;
  parts = new Map();
  used = new Set();

  constructor(root) {
    this.root = root;
    this.layers = Object.fromEntries(LAYERS.map((name) => [name, svg("g", {}, root)]));
  }

  begin(width, height) {
    put(this.root, { width, height });
    this.used.clear();
  }

  part(layer, key, name, attributes, text = null) {
    const id = `${layer} ${key}`;
    this.used.add(id);
    let made = this.parts.get(id);
    if (!made) this.parts.set(id, (made = svg(name, {}, this.layers[layer])));
    const { class: classes = "", ...rest } = attributes;
    const prefixed = classes
      .split(" ")
      .filter(Boolean)
      .map((one) => `l-${one}`)
      .join(" "); // the stage has names of its own
    for (const [attribute, value] of Object.entries({ ...rest, class: prefixed }))
      if (made.getAttribute(attribute) !== String(value)) made.setAttribute(attribute, value);
    if (text !== null && made.textContent !== text) made.textContent = text;
    return made;
  }

  rect(layer, key, x, y, width, height, attributes = {}) {
    return this.part(layer, key, "rect", {
      x,
      y,
      width: Math.max(width, 0),
      height: Math.max(height, 0),
      ...attributes,
    });
  }

  path(layer, key, d, attributes = {}) {
    return this.part(layer, key, "path", { d, ...attributes });
  }

  text(key, x, y, content, size, attributes = {}) {
    const { layer = "labels", ...rest } = attributes;
    return this.part(layer, key, "text", { x, y, "font-size": size, ...rest }, content);
  }

  end() {
    for (const [id, part] of this.parts) {
      if (this.used.has(id)) continue;
      part.remove();
      this.parts.delete(id);
    }
  }
}

// A drawing with its fields and buttons.
const onCanvas = (Drawing) =>
  class {
    root;
    canvas;
    controls;
    drawing;
    view;
    sized = "";

    constructor(root, host) {
      this.root = root;
      this.canvas = new Canvas(root.querySelector("svg"));
      this.controls = new Controls(root.querySelector(".controls"));
      this.drawing = new Drawing(host, root);
    }

    show(view, live) {
      this.view = view;
      this.root.dataset.draws = view.picture.draws;
      this.root.querySelector("svg").setAttribute("aria-label", view.heading);
      this.controls.root.toggleAttribute("inert", !live);
      this.sized = "";
    }

    end() {
      this.drawing.stop?.();
    }

    draw(picture, { width, height, phone, k: plain, least }) {
      const presents = Boolean(this.root.closest("[data-presenting]"));
      const k = plain * (presents ? PRESENTED : 1);
      const size = `${width} ${height} ${k}`;
      this.root.classList.toggle("still", size !== this.sized); // another size is no motion
      this.root.classList.toggle("phone", phone);
      this.root.style.setProperty("--k", String(k));
      this.sized = size;
      this.canvas.begin(width, height);
      const { canvas, controls, view } = this;
      const { now, words } = picture;
      this.drawing.draw({ canvas, controls, width, height, k, phone, least, presents, view, picture, now, words });
      this.canvas.end();
    }
  };

// Fields and buttons beside a drawing; each is made once.
class Controls {
  root;
  parts = {};

  constructor(root) {
    this.root = root;
  }

  clear() {
    this.root.replaceChildren();
    this.parts = {};
  }

  drop(...names) {
    for (const name of names) {
      (this.parts[name]?.closest("label") ?? this.parts[name])?.remove();
      delete this.parts[name];
    }
  }

  button(name, label, press) {
    const button = (this.parts[name] ??= html("button", { type: "button", class: name }, this.root));
    if (button.textContent !== label) button.textContent = label;
    button.onclick = press;
    return button;
  }

  // A field for a number; `takes` gets the typed text.
  number(name, label, value, takes) {
    const field = this.field(name, label, "input", {
      type: "text",
      inputmode: "decimal",
      size: 4,
      autocomplete: "off",
    });
    if (!field.matches(":focus")) field.value = value;
    field.onchange = () => takes(field.value.trim());
    field.onkeydown = (event) => {
      if (event.key === "Enter") takes(field.value.trim());
    };
    return field;
  }

  // Options: [name, label] each.
  select(name, label, options, value, takes) {
    const field = this.field(name, label, "select", {});
    const shape = JSON.stringify(options);
    if (field.dataset.shape !== shape)
      field.replaceChildren(...options.map(([option, text]) => html("option", { value: option }, null, text)));
    field.dataset.shape = shape;
    field.value = value;
    field.onchange = () => takes(field.value);
    return field;
  }

  field(name, label, kind, attributes) {
    if (!this.parts[name]) {
      const box = html("label", { class: name }, this.root);
      html("span", {}, box, label);
      this.parts[name] = html(kind, attributes, box);
    }
    return this.parts[name];
  }
}

const drawings = Object.entries(DRAWINGS).map(([name, Drawing]) => [name, onCanvas(Drawing)]);

export const LearningPicture = ofParts("learning", Object.fromEntries(drawings), {
  skeleton: SKELETON,
  of: ({ picture }) => picture.draws,
  high: 0, // the width alone tells the scale
  scale: [1, 1.6],
  phone: 0.9,
});
