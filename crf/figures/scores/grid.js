// One table whose cells are edited in place. A score follows the hand: dragged up or down, or by the arrow keys; or it is
// typed. One Tab stop; left and right move on, Enter moves down and keeps what is typed, Escape takes it back, F2 shows the
// whole number. A cell is what Python sent: texts and a colour.

import { element } from "../shared/dom.js";

const STEP = 0.1; // of an arrow key, and of PIXELS of a drag; with Shift ten times as much
const PIXELS = 4;
const MOVES = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

const isUsable = ({ control }) => Boolean(control) && !control.disabled;

export class Grid {
  // owner: draft(key) -> {text, message} or undefined, commit(spec, text), revert(spec), command(op, index)
  constructor(table, owner) {
    this.table = table;
    this.owner = owner;
    this.rows = []; // of slots {spec, control}
    this.editing = null; // the input being typed into
    this.moving = null; // {control, text}: the score that follows the hand
    table.onkeydown = (event) => this.key(event);
    table.onkeyup = (event) => MOVES[event.key]?.[0] && this.settle();
    table.onpointerdown = (event) => this.grasp(event);
    table.addEventListener("focusin", (event) => this.entered(event.target));
    table.addEventListener("focusout", (event) => this.left(event.target));
    table.oninput = (event) => (this.editing = event.target);
    table.ondblclick = (event) => this.open(event.target);
    table.onclick = (event) => this.clicked(event.target);
  }

  // matrix: rows of specs {key, kind: "score" | "name" | "button" | "head" | "none", ...}
  show(matrix) {
    const form = JSON.stringify(matrix.map((row) => row.map((spec) => [spec.kind, spec.key, spec.scope])));
    if (form !== this.form) this.build(matrix, form);
    matrix.forEach((row, r) => row.forEach((spec, c) => this.write(this.rows[r][c], spec)));
  }

  build(matrix, form) {
    const at = this.place(this.focused());
    this.form = form;
    this.editing = null;
    this.rows = matrix.map((row) => row.map((spec) => this.make(spec)));
    const lines = this.rows.map((row) => element("tr", {}, ...row.map((slot) => slot.cell)));
    this.table.tHead.replaceChildren(lines[0]);
    this.table.tBodies[0].replaceChildren(...lines.slice(1));
    this.stop = null;
    this.tabStop(this.table.querySelector("input.score") ?? this.table.querySelector("input"));
    if (at) this.near(at)?.focus({ preventScroll: true });
  }

  make(spec) {
    const cell = element(spec.kind === "head" || spec.kind === "name" ? "th" : "td", { className: spec.kind });
    if (spec.scope) cell.scope = spec.scope;
    let control = null;
    if ((spec.kind === "score" && !spec.isStill) || spec.kind === "name") {
      control = element("input", {
        type: "text",
        className: spec.kind,
        tabIndex: -1,
        spellcheck: false,
        autocomplete: "off",
      });
      control.setAttribute("autocapitalize", "off");
    } else if (spec.kind === "button")
      control = element("button", { type: "button", tabIndex: -1, textContent: spec.text });
    if (control) cell.append(control);
    const slot = { cell, control, spec };
    cell.slot_ = slot;
    return slot;
  }

  write(slot, spec) {
    slot.spec = spec;
    const { cell, control } = slot;
    const draft = this.owner.draft(spec.key);
    const state = JSON.stringify([spec.label, spec.text, spec.shown, spec.exact, spec.paint, spec.off, draft]);
    if (state === slot.state) return; // hundreds of cells, of which an edit changes one
    slot.state = state;
    if (!control) {
      cell.textContent = spec.text ?? spec.shown ?? "";
      this.colour(slot);
      return;
    }
    control.setAttribute("aria-label", spec.label);
    if (spec.kind === "button") {
      control.title = spec.label;
      control.disabled = spec.off;
      return;
    }
    if (spec.kind === "name") control.size = Math.max(3, spec.shown.length);
    if (control !== this.editing && control !== this.moving?.control) {
      const value = draft ? draft.text : spec.shown;
      if (control.value !== value) {
        control.value = value;
        if (control === this.focused()) control.select();
      }
    }
    this.colour(slot);
    cell.title = draft?.message ?? (spec.exact === spec.shown ? "" : spec.exact);
    for (const [name, value] of [
      ["aria-invalid", "true"],
      ["aria-errormessage", "refused"],
    ]) {
      if (draft?.message) control.setAttribute(name, value);
      else control.removeAttribute(name);
    }
  }

  colour({ cell, spec }) {
    cell.style.setProperty("--paint", spec.paint || "transparent");
    cell.classList.toggle("never", spec.paint === null);
  }

  key(event) {
    const control = event.target;
    const slot = this.slot(control);
    if (!slot || event.isComposing || event.altKey || event.ctrlKey || event.metaKey) return;
    const typing = this.editing === control;
    const [down] = MOVES[event.key] ?? [0];
    if (down && !typing && slot.spec.kind === "score") {
      event.preventDefault();
      this.follow(control, this.value(control) - down * STEP * (event.shiftKey ? 10 : 1));
    } else if (event.key in MOVES) {
      if (typing && MOVES[event.key][0] === 0) return; // the caret moves
      event.preventDefault();
      this.commit(control);
      this.move(control, MOVES[event.key]);
    } else if ((event.key === "Home" || event.key === "End") && !typing) {
      event.preventDefault();
      this.rows[this.place(control)[0]]
        .filter(isUsable)
        .at(event.key === "Home" ? 0 : -1)
        ?.control.focus();
    } else if (slot.spec.kind === "button") return;
    else if (event.key === "Enter") {
      event.preventDefault();
      this.commit(control);
      this.move(control, [event.shiftKey ? -1 : 1, 0], (slot) => slot.spec.kind !== "button"); // below the last score is ×
      if (control === this.focused()) control.select();
    } else if (event.key === "F2") {
      event.preventDefault();
      this.open(control);
    } else if (event.key === "Escape" && (typing || this.owner.draft(slot.spec.key)?.message)) {
      event.stopPropagation();
      this.editing = null;
      this.owner.revert(slot.spec);
      control.value = this.owner.draft(slot.spec.key)?.text ?? slot.spec.shown;
      control.select();
    }
  }

  // ------------------------------------------------------------------ a score that follows the hand

  value(control) {
    const { spec } = this.slot(control);
    const known = this.owner.draft(spec.key)?.text ?? spec.exact;
    const number = Number((this.moving?.control === control ? this.moving.text : known).replace("−", "-"));
    return Number.isFinite(number) ? number : 0; // from −∞ one starts at 0
  }

  // A finger scrolls, until it has chosen the cell.
  grasp(event) {
    const control = event.target;
    const slot = this.slot(control);
    if (event.button || slot?.spec.kind !== "score" || control === this.editing) return;
    if (event.pointerType === "touch" && control !== this.focused()) return;
    const [from, start] = [event.clientY, this.value(control)];
    let dragged = false;
    const moved = (to) => {
      const steps = Math.trunc((from - to.clientY) / PIXELS);
      if (!dragged && !steps) return;
      if (!dragged) {
        dragged = true;
        control.setPointerCapture(event.pointerId);
        control.focus({ preventScroll: true });
      }
      getSelection()?.removeAllRanges();
      this.follow(control, start + steps * STEP * (to.shiftKey ? 10 : 1));
    };
    const drag = new AbortController();
    const ended = (last) => {
      drag.abort();
      if (dragged && last.type === "pointerup") this.settle();
      else if (dragged) this.release();
    };
    const escaped = (key) => key.key === "Escape" && dragged && ended(key);
    const handlers = { pointermove: moved, pointerup: ended, pointercancel: ended, keydown: escaped };
    for (const [name, handler] of Object.entries(handlers))
      control.addEventListener(name, handler, { signal: drag.signal });
  }

  follow(control, value) {
    const text = String(Math.round(value * 100) / 100).replace("-", "−");
    if (this.moving && this.moving.control !== control) this.settle();
    const { spec, cell } = this.slot(control);
    if ((this.moving?.text ?? spec.exact) === text) return;
    this.moving = { control, text, from: this.moving?.from ?? spec.exact };
    control.value = text;
    cell.classList.add("moving");
  }

  // What moved stays where it is: one edit, one step of the way back.
  settle() {
    if (!this.moving) return;
    const { text, from } = this.moving;
    if (text === from) this.release();
    else this.owner.commit(this.stopped(), text);
  }

  // It goes back to where it was.
  release() {
    const { control, from } = this.moving;
    control.value = from;
    this.stopped();
  }

  // Nothing moves any more; returns what did.
  stopped() {
    const { cell, spec } = this.slot(this.moving.control);
    this.moving = null;
    cell.classList.remove("moving");
    return spec;
  }

  open(control) {
    const slot = this.slot(control);
    if (!slot || control.tagName !== "INPUT" || this.editing === control) return;
    this.editing = control;
    if (!this.owner.draft(slot.spec.key)) control.value = slot.spec.exact;
    control.setSelectionRange(control.value.length, control.value.length);
  }

  commit(control) {
    const slot = this.slot(control);
    if (this.editing !== control) return;
    this.editing = null;
    const text = control.value.trim();
    const draft = this.owner.draft(slot.spec.key);
    const known = draft ? [draft.text] : [slot.spec.shown, slot.spec.exact];
    if (!known.includes(text)) this.owner.commit(slot.spec, text);
    else control.value = known[0];
  }

  entered(control) {
    const slot = this.slot(control);
    if (!slot) return;
    this.tabStop(control);
    this.fresh = true;
    if (control.tagName === "INPUT") control.select();
  }

  left(control) {
    this.settle();
    this.commit(control);
  }

  clicked(control) {
    if (control.tagName === "INPUT" && this.fresh) control.select();
    this.fresh = false;
    if (control.tagName !== "BUTTON") return;
    const { op, index } = this.slot(control).spec;
    this.owner.command(op, index);
  }

  tabStop(control) {
    if (!control) return;
    if (this.stop) this.stop.tabIndex = -1;
    this.stop = control;
    control.tabIndex = 0;
  }

  // To the next control that way; `stops` says of a slot whether one stays there.
  move(control, [down, right], stops = (_slot) => true) {
    const [row, column] = this.place(control);
    for (let r = row + down, c = column + right; this.rows[r]?.[c]; r += down, c += right) {
      if (isUsable(this.rows[r][c]) && stops(this.rows[r][c])) return this.rows[r][c].control.focus();
    }
  }

  // The control there, or the next one to its left.
  /** @param {number[]} at */
  near([r, c]) {
    const row = this.rows[Math.min(r, this.rows.length - 1)];
    return (
      row
        .slice(0, c + 1)
        .filter(isUsable)
        .at(-1)?.control ?? this.stop
    );
  }

  focus(key) {
    this.rows
      .flat()
      .find((slot) => slot.spec.key === key)
      ?.control.focus();
  }

  slot(target) {
    return target?.closest?.("td, th")?.slot_;
  }

  // Row and column of a control, if it is in the table.
  place(control) {
    const slot = this.slot(control);
    const row = slot ? this.rows.findIndex((slots) => slots.includes(slot)) : -1;
    return row < 0 ? null : [row, this.rows[row].indexOf(slot)];
  }

  focused() {
    const active = this.table.getRootNode().activeElement;
    return active && this.table.contains(active) ? active : null;
  }
}
