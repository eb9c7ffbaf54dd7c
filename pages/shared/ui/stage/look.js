// Look closer: a menu of four groups over the picture. What an entry opens, the bench, stands below the stage, where the host
// draws it; meanwhile the picture docks.

import { html } from "../../../../crf/figures/shared/dom.js";
import { report } from "../../../../crf/figures/shared/model.js";
import { showWhenThere } from "./exchange.js";

const COLUMNS = { ArrowLeft: -1, ArrowRight: 1 };
const ROWS = { ArrowUp: -1, ArrowDown: 1 };

const BENCH = '[class*="st-key-bench-"]';

export class Look {
  page;
  menu;

  // `page`: the stage, a lesson or the front page, with its "⋯".
  constructor(page, signal) {
    this.page = page;
    this.button = page.find(".more");
    this.from = this.button; // what has opened the bench
    this.button.onclick = () => this.toggle();
    this.menu = html("div", { class: "look", role: "dialog", hidden: "" }, page.root);
    this.menu.addEventListener("keydown", (event) => this.key(event), { signal });
    const outside = (event) => !event.composedPath().some((one) => one === this.menu || one === this.button);
    document.addEventListener("pointerdown", (event) => outside(event) && this.close(false), { signal });
    document.addEventListener("keydown", (event) => this.ask(event), { signal });
    document.addEventListener("keydown", leaveBench, { signal });
  }

  // The first entry has the picture's numbers as tables; the picture says where that is.
  offerTable() {
    const { page } = this;
    const { words } = page.view;
    const entry = page.data.host === "reader" && page.data.looks?.[0]?.entries[0];
    const button = page.find(".as-table");
    button.hidden = !entry;
    if (!entry) return;
    button.textContent = words["as-table"];
    button.onclick = () => this.choose(entry.name, button);
    for (const drawing of page.root.querySelectorAll(".figure svg[aria-label]"))
      drawing.setAttribute("aria-description", words["table-beside"]);
  }

  // The host's data: which section its bench shows.
  load(before, { look = "" }) {
    const active = document.activeElement;
    if (before?.look && !look && (active === document.body || active?.closest(BENCH)))
      this.from.focus({ preventScroll: true });
    if (!before || before.look !== look) this.dock(look);
  }

  dock(name) {
    this.page.root.toggleAttribute("data-docked", Boolean(name));
  }

  get isOpen() {
    return !this.menu.hidden;
  }

  toggle() {
    if (this.isOpen) this.close();
    else this.open();
  }

  open() {
    this.write();
    this.menu.hidden = false;
    this.button.setAttribute("aria-expanded", "true");
    this.entries[0]?.focus({ preventScroll: true });
  }

  close(returns = true) {
    if (!this.isOpen) return;
    this.menu.hidden = true;
    this.button.setAttribute("aria-expanded", "false");
    if (returns) this.button.focus({ preventScroll: true });
  }

  choose(name, from = this.button) {
    this.from = from;
    this.close(false);
    this.dock(name);
    const { model, view } = this.page;
    report(model, "look", { lesson: view.lesson, look: name, at: Date.now() }); // also if it was open before
    showWhenThere(`.st-key-bench-${name}`);
  }

  write() {
    const { words } = this.page.view;
    this.menu.setAttribute("aria-label", words.look);
    const heading = html("header");
    html("h2", {}, heading, words.look);
    html("em", {}, heading, this.where);
    const field = html("input", { type: "search", placeholder: words.find, "aria-label": words.find }, heading);
    field.oninput = () => this.filter(field.value.trim().toLowerCase());
    html("span", { class: "keys" }, heading, words["look-keys"]);
    const groups = html("div", { class: "groups" });
    for (const group of this.page.data.looks) this.writeGroup(group, groups);
    this.menu.replaceChildren(heading, groups);
  }

  writeGroup({ name, label, hint, entries }, groups) {
    const group = html("section", { "data-group": name }, groups);
    html("h3", {}, group, label);
    html("p", {}, group, hint);
    for (const one of entries) {
      const entry = html("button", { type: "button", "data-look": one.name }, group);
      html("b", {}, entry, one.label);
      html("span", {}, entry, one.hint);
      entry.onclick = () => this.choose(one.name);
    }
  }

  // The cell that the picture is at, in words.
  get where() {
    const { picture } = this.page.view;
    const [t, s] = picture?.now?.cell ?? [];
    const [word, tag] = [picture?.tokens?.[t]?.text, picture?.tags?.[s]?.name];
    return word && tag ? `${word}, ${tag}` : "";
  }

  filter(typed) {
    for (const entry of this.menu.querySelectorAll("[data-look]"))
      entry.hidden = !entry.textContent.toLowerCase().includes(typed);
  }

  get entries() {
    return [...this.menu.querySelectorAll("[data-look]:not([hidden])")];
  }

  // Arrow keys move, letters filter, Esc closes; no key of the picture acts meanwhile.
  key(event) {
    event.stopPropagation();
    const { key, target } = event;
    const field = this.menu.querySelector("input");
    const isTyped = key.length === 1 && key !== " " && !event.ctrlKey && !event.metaKey && !event.altKey;
    if (key === "Escape") this.close();
    else if (key in ROWS || (key in COLUMNS && target !== field)) this.move(target, key);
    else if (key === "Enter" && target === field) this.entries[0]?.click();
    else {
      if (isTyped) field.focus();
      return;
    }
    event.preventDefault();
  }

  move(from, key) {
    const columns = [...this.menu.querySelectorAll("section")].map((one) =>
      this.entries.filter((e) => one.contains(e)),
    );
    const filled = columns.filter((column) => column.length);
    const here = filled.findIndex((column) => column.includes(from));
    const row = filled[here]?.indexOf(from) ?? -1;
    const column = filled[(Math.max(here, 0) + (COLUMNS[key] ?? 0) + filled.length) % filled.length] ?? [];
    const to = key in ROWS ? row + ROWS[key] : Math.min(row, column.length - 1);
    column[(to + column.length) % column.length]?.focus({ preventScroll: true });
  }

  // The key that opens it, from the whole page.
  ask(event) {
    const target = event.composedPath()[0];
    const types = /^(INPUT|TEXTAREA|SELECT)$/.test(target.nodeName) || target.isContentEditable;
    if (event.key !== "?" || event.defaultPrevented || types || this.button.hidden || !this.button.checkVisibility())
      return;
    event.preventDefault();
    this.toggle();
  }
}

// Escape closes the bench, unless it ends what a field of it does.
function leaveBench(event) {
  const { key, target, defaultPrevented } = event;
  if (key !== "Escape" || defaultPrevented || !target.closest?.(BENCH) || target.matches("input, textarea")) return;
  /** @type {HTMLElement | null} */ (document.querySelector(".st-key-close-bench button"))?.click();
}
