// Scores where they stand: each is dragged, stepped with the arrow keys, or typed.

import { html, put, svg } from "../shared/dom.js";
import { number, signed, typed } from "./numbers.js";
import { set } from "./cells.js";

const TARGET = 24; // px
const [COARSE, FINE, PIXELS] = [0.5, 0.1, 6]; // of the arrow keys, with Shift; px of a drag for 0.1
const [MOVES, LIMIT] = [4, 1e4]; // px until a press is a drag; the largest score

// One score: `role` is "transition", "emission" or "edge" (start and end) and gives the colour; a pill shows the sign
// by its filling.
export class Score {
  group;
  hit;
  pill;
  text;
  value;
  at;

  constructor(parent, role, pill) {
    this.group = svg("g", { class: `score ${role}` }, parent);
    this.hit = svg("rect", { class: "hit" }, this.group);
    this.pill = pill ? svg("rect", { class: "pill" }, this.group) : null;
    this.text = svg("text", { "aria-hidden": "true" }, this.group);
  }

  // `wide` × `high`: the pill, or the room of the letters.
  place(x, y, letters, wide, high) {
    const at = `${x} ${y} ${letters} ${wide} ${high}`;
    if (at === this.at) return;
    this.at = at;
    const [w, h] = [Math.max(wide, TARGET), Math.max(high, TARGET)];
    put(this.hit, { x: x - w / 2, y: y - h / 2, width: w, height: h });
    if (this.pill) put(this.pill, { x: x - wide / 2, y: y - high / 2, width: wide, height: high, rx: high / 2 });
    put(this.text, { x, y });
    this.text.style.fontSize = `${letters}px`;
  }

  // `key`: the hook, "" if the score cannot be changed; `name`: the score's name; `about`: what it brings.
  write(key, name, value, text = signed(value), about = "") {
    this.value = value;
    if (this.text.textContent !== text) this.text.textContent = text;
    set(this.group, "data-sign", Number.isFinite(value) ? Math.sign(Number(value.toFixed(6))) : "never");
    if (!key)
      return [
        "data-score",
        "role",
        "aria-label",
        "aria-description",
        "aria-valuetext",
        "aria-valuenow",
        "tabindex",
      ].forEach((attribute) => this.group.removeAttribute(attribute));
    set(this.group, "role", "spinbutton");
    set(this.group, "data-score", key);
    if (!this.group.hasAttribute("tabindex")) this.group.setAttribute("tabindex", "-1");
    set(this.group, "aria-label", name);
    if (about) set(this.group, "aria-description", about);
    else this.group.removeAttribute("aria-description");
    set(this.group, "aria-valuetext", text);
    if (Number.isFinite(value)) set(this.group, "aria-valuenow", value);
    else this.group.removeAttribute("aria-valuenow");
  }

  // The score has no row.
  retire() {
    this.show(false);
    this.group.removeAttribute("data-score");
  }

  show(visible) {
    set(this.group, "display", visible ? "inline" : "none");
  }
}

// A reader's edits of scores. `changes(key, value, resting)` is called; `read(key)` gives the current score.
export class Editor {
  root;
  drawing;
  changes;
  read;
  refused;
  held;
  field;
  live;
  factors = false; // whether a reader types factors, not the scores themselves
  refusal = ""; // what is said of a text that is no score
  key = null; // the score that has the focus

  constructor(root, drawing, changes, read) {
    Object.assign(this, { root, drawing, changes, read });
    this.refused = html("p", { class: "refused", role: "alert" }, root);
    drawing.addEventListener("pointerdown", (event) => this.grasp(event));
    drawing.addEventListener("pointermove", (event) => this.drag(event));
    for (const name of ["pointerup", "pointercancel"]) drawing.addEventListener(name, (event) => this.release(event));
    drawing.addEventListener("keydown", (event) => this.press(event));
    // At the root: an SVG that listens for the focus takes it itself.
    root.addEventListener("focusin", ({ target }) => {
      if (drawing.contains(target)) this.key = target.closest("[data-score]")?.dataset.score ?? null;
    });
    drawing.addEventListener("dblclick", ({ target }) => this.open(target.closest("[data-score]")));
  }

  get dragging() {
    return this.held?.moved ? this.held.key : null;
  }

  grasp(event) {
    const score = event.target.closest("[data-score]");
    if (!score || event.button || !this.live) return;
    const key = score.dataset.score;
    this.held = { key, pointer: event.pointerId, y: event.clientY, from: number(this.read(key)), moved: false, score };
  }

  drag(event) {
    const { held } = this;
    if (held?.pointer !== event.pointerId) return;
    const by = held.y - event.clientY;
    if (!held.moved && Math.abs(by) < MOVES) return;
    if (!held.moved) {
      this.drawing.setPointerCapture(event.pointerId);
      held.score.focus({ preventScroll: true });
    }
    held.moved = true;
    held.value = bounded((Number.isFinite(held.from) ? held.from : -10) + Math.round(by / PIXELS) * FINE);
    this.changes(held.key, held.value, false);
  }

  release(event) {
    const { held } = this;
    if (held?.pointer !== event.pointerId) return;
    this.held = null;
    if (held.moved) this.changes(held.key, held.value, true);
    else if (event.type === "pointerup" && event.pointerType === "touch" && !held.score.closest(".cell"))
      this.open(held.score);
  }

  press(event) {
    const score = event.target.closest("[data-score]");
    if (!score || !this.live) return;
    if ((event.ctrlKey || event.metaKey) && event.key === "a") {
      event.preventDefault(); // it would select the page, and take the focus
      return this.open(score);
    }
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const by = { ArrowUp: 1, ArrowDown: -1 }[event.key];
    const opens = event.key === "Enter" || /^[\d.,+\-−]$/.test(event.key);
    if (!by && !opens) return;
    event.preventDefault();
    event.stopPropagation();
    if (opens) return this.open(score, event.key === "Enter" ? null : event.key);
    const value = number(this.read(score.dataset.score));
    this.changes(
      score.dataset.score,
      bounded((Number.isFinite(value) ? value : -10) + by * (event.shiftKey ? FINE : COARSE)),
      true,
    );
  }

  // A field over the score; Enter leaves it with the focus on the score, Escape leaves the score as it was.
  open(score, begun = null) {
    if (!score || !this.live) return;
    this.field?.blur();
    const {
      dataset: { score: key },
      classList,
    } = score;
    const field = html(
      "input",
      {
        class: `typing ${classList[1]}`,
        inputmode: "text",
        autocomplete: "off",
        "aria-label": score.getAttribute("aria-label"),
      },
      this.root,
    );
    const [box, frame] = [score.getBoundingClientRect(), this.root.getBoundingClientRect()];
    Object.assign(field.style, {
      left: `${box.left + box.width / 2 - frame.left}px`,
      top: `${box.top + box.height / 2 - frame.top}px`,
    });
    const value = number(this.read(key));
    field.value = begun ?? (this.factors ? String(Number(Math.exp(value).toPrecision(6))) : signed(value));
    this.field = field;
    Object.assign(this.refused.style, { left: field.style.left, top: field.style.top });
    field.oninput = () => this.refuse(false);
    field.onkeydown = (event) => {
      event.stopPropagation();
      if (event.isComposing || (event.key !== "Enter" && event.key !== "Escape")) return;
      event.preventDefault();
      if (event.key === "Escape") field.value = "";
      this.close(field, key, true);
    };
    field.onblur = () => this.close(field, key, false);
    field.focus();
    if (begun === null) field.select();
  }

  close(field, key, keeps) {
    const value = this.factors ? Math.log(typed(field.value)) : typed(field.value);
    if (Number.isNaN(value) && field.value.trim() && keeps) return this.refuse(true);
    if (this.field !== field) return;
    this.refuse(false);
    this.field = null;
    field.remove();
    if (keeps) this.focus(key);
    if (!Number.isNaN(value) && value !== number(this.read(key))) this.changes(key, bounded(value), true);
  }

  refuse(isWrong) {
    if (isWrong) this.field.setAttribute("aria-invalid", "true");
    else this.field.removeAttribute("aria-invalid");
    this.refused.textContent = isWrong ? this.refusal : "";
  }

  // Pills are used again for other scores: the focus stays with the score.
  follow() {
    const active = /** @type {any} */ (this.root.getRootNode()).activeElement;
    if (this.key && active?.matches?.(".score") && this.drawing.contains(active) && active.dataset.score !== this.key)
      this.focus(this.key);
  }

  // Where a score stands: the middle of the first element that shows it.
  place(key) {
    const score = this.shown(key);
    const text = score?.querySelector("text");
    return text && { x: Number(text.getAttribute("x")), y: Number(text.getAttribute("y")), role: score.classList[1] };
  }

  shown(key) {
    return [...this.drawing.querySelectorAll("[data-score]")].find(
      (score) =>
        score.dataset.score === key && score.getAttribute("display") !== "none" && !score.closest(".last-edit"),
    );
  }

  focus(key) {
    for (const score of this.drawing.querySelectorAll("[data-score]"))
      if (score.dataset.score === key && score.checkVisibility()) return score.focus({ preventScroll: true });
  }
}

function bounded(value) {
  return value === -Infinity ? value : Math.round(Math.min(Math.max(value, -LIMIT), LIMIT) * 1e6) / 1e6;
}
