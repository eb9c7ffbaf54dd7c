// The lecture that is being prepared: beats with minutes and notes, kept in this browser. L shows the list, A adds the beat on
// screen. Files and links are read and written by the server, which trusts none of them.

import { fill, filledText, html } from "../../../../crf/figures/shared/dom.js";
import { post } from "./ask.js";
import { recall, remember } from "./keeping.js";

const KEPT = "crf.lecture"; // in localStorage
const [FORMAT, VERSION] = ["crf lecture", 2];
const [LINK, OPENS, GIVES] = ["lecture", "plan", "give"]; // keys of a query: a lecture; whether the list opens; a plan to present
const FILE_PATIENCE = 60_000; // ms; the server gives a file 35 s, and others may come before it
const PLANS = ["twenty-minutes", "fifty-minutes"];
const SKELETON = `
<aside class="plan" popover="manual">
  <header><input class="title" maxlength="80"><button class="close" type="button"><span aria-hidden="true">×</span></button></header>
  <div class="does"></div>
  <p class="told" role="status"></p>
  <p class="sum"></p>
  <ol></ol>
  <input class="file" type="file" accept=".json,application/json" hidden>
</aside>`;

export class Plan {
  page;
  panel;
  presents;
  opener;
  before = []; // the lecture before each change

  // `presents(at)`: present the lecture from one of its beats.
  take(page, el, presents) {
    Object.assign(this, { page, presents });
    this.panel = fill(html("div", {}, el), SKELETON);
    this.find = (part) => this.panel.querySelector(part);
    this.find(".close").onclick = () => this.toggle();
    this.find(".title").onchange = ({ target }) => this.rename(target);
    this.find(".file").onchange = ({ target }) => target.files[0]?.text().then((text) => this.bring("read", { text }));
    this.panel.onkeydown = ({ key }) => {
      if (key === "Escape") this.toggle();
    };
    this.follow();
  }

  // What the address asks for: a lecture, the list, or a plan to present.
  follow() {
    const { page } = this;
    const here = new URL(location.href);
    const [text, name, given] = [LINK, OPENS, GIVES].map((key) => here.searchParams.get(key));
    // Loaded again, the page keeps the list. An address without these keys stays letter by letter as it is.
    for (const key of [LINK, OPENS, GIVES]) if (here.searchParams.has(key)) here.searchParams.delete(key);
    if (here.href !== location.href) history.replaceState(history.state, "", here);
    const plan = [given, name].find((one) => PLANS.includes(one));
    const brings = text ? this.bring("read", { text }) : plan ? this.bring("story", { name: plan }) : null;
    if (page.data.address && (text || name || plan))
      Promise.resolve(brings).then(() => {
        if (!this.panel.isConnected) return;
        if (plan === given && this.lecture.beats.length) this.presents(0);
        else if (!this.isOpen) this.toggle();
      });
  }

  get lecture() {
    const kept = this.page?.data.lecture ?? recall("localStorage", KEPT);
    const beats = Array.isArray(kept?.beats)
      ? kept.beats.filter((one) => one && [one.lesson, one.beat, one.state].every((text) => typeof text === "string"))
      : [];
    return { title: String(kept?.title ?? this.page?.view.words["lecture-title"] ?? ""), beats };
  }

  // A beat's name, for readers.
  label(lesson, beat) {
    return this.page.data.labels[lesson]?.[beat] ?? beat;
  }

  keep(changes) {
    this.before.push(this.lecture);
    remember("localStorage", KEPT, { ...this.lecture, ...changes });
  }

  // `at`: the row in which the focus goes on.
  change(changes, at = undefined) {
    this.keep(changes);
    this.write(at);
  }

  undo() {
    remember("localStorage", KEPT, this.before.pop());
    this.write();
  }

  // Returns the message to show.
  add({ lesson, beat, query, words }, at = this.lecture.beats.length) {
    if (!this.page.data.address) return "";
    this.change({ beats: this.lecture.beats.toSpliced(at, 0, { lesson, beat, state: query, minutes: 3, note: "" }) });
    return filledText(words["lecture-added"], { n: at + 1 });
  }

  // ---------------------------------------------------------------- the server

  async ask(what, asked, patience = undefined) {
    const { address, language } = this.page.data;
    const to = address.replace(/draw\/[^/]*\/[^/]*$/, `plan/${what}`);
    const [ok, answer] = await post(to, { ...asked, language }, patience).catch(() => [false, {}]);
    if (!ok) this.tell(answer.message ?? this.page.view.words["lecture-failed"]);
    return ok ? answer : null;
  }

  // A lecture from elsewhere takes the place of this one.
  async bring(what, asked) {
    const answer = await this.ask(what, asked);
    if (!answer) return;
    this.change(answer.lecture);
    this.tell(answer.left_out.join(" "));
  }

  get written() {
    const { title, beats } = this.lecture;
    return { format: FORMAT, version: VERSION, title, beats };
  }

  async copyLink() {
    const answer = await this.ask("link", { lecture: this.written });
    if (!answer) return;
    const path = this.page.data.address.replace(/draw\/([^/]*\/[^/]*)$/, "beat/$1");
    await navigator.clipboard.writeText(`${location.origin}${path}?${LINK}=${answer.link}`);
    this.tell(this.page.view.words["lecture-copied"]);
  }

  async saveHtml() {
    const answer = await this.ask("file", { lecture: this.written }, FILE_PATIENCE);
    if (answer) this.save(answer.html, "html", "text/html");
  }

  save(text, ending, type) {
    const href = URL.createObjectURL(new Blob([text], { type }));
    html("a", { href, download: `${this.lecture.title.replace(/[^\p{L}\p{N}]+/gu, "-")}.${ending}` }).click();
    setTimeout(() => URL.revokeObjectURL(href), 10000);
  }

  // ---------------------------------------------------------------- the list

  get isOpen() {
    return this.panel.matches(":popover-open");
  }

  toggle() {
    if (!this.page.data.address) return;
    if (this.isOpen) return this.close();
    this.opener = this.focused;
    this.panel.showPopover();
    this.write();
    this.find(".does button").focus();
  }

  close() {
    this.panel.hidePopover();
    this.opener?.focus({ preventScroll: true });
  }

  get focused() {
    return /** @type {any} */ (this.panel.getRootNode()).activeElement;
  }

  tell(message) {
    this.find(".told").textContent = message;
  }

  // A button that has the focus is made again, too: the new one gets it, else another of its row, else the first of all.
  write(at = [...this.find("ol").children].indexOf(this.focused?.closest("li"))) {
    const { title, beats } = this.lecture;
    const name = this.panel.contains(this.focused) && this.focused.matches("button") && this.focused.className;
    const { words, lesson, beat, query } = this.page.view;
    this.panel.setAttribute("aria-label", words.lecture);
    this.find(".close").setAttribute("aria-label", words["lecture-close"]);
    this.find(".title").value = title;
    this.find(".title").setAttribute("aria-label", words.lecture);
    this.tell(beats.length ? "" : words["lecture-empty"]);
    this.find("ol").replaceChildren(...beats.map((one, at) => this.row(one, at, beats, words)));
    this.sum();
    const does = {
      "lecture-present": () => this.start(0),
      ...Object.fromEntries(PLANS.map((name) => [name, () => this.bring("story", { name })])),
      "lecture-add": () => this.add({ lesson, beat, query, words }),
      "lecture-load": () => this.find(".file").click(),
      "lecture-save": () => this.save(JSON.stringify(this.written, null, 1), "json", "application/json"),
      "lecture-link": () => this.copyLink(),
      "lecture-html": () => this.saveHtml(),
      "lecture-undo": () => this.undo(),
    };
    const needs = {
      "lecture-present": beats,
      "lecture-save": beats,
      "lecture-link": beats,
      "lecture-html": beats,
      "lecture-undo": this.before,
    };
    const shown = Object.entries(does).filter(([name]) => needs[name]?.length !== 0);
    this.find(".does").replaceChildren(...shown.map(([name, act]) => button(words[name], name, act)));
    const row = at < 0 ? null : this.find("ol").children[Math.min(at, beats.length - 1)];
    if (name)
      [
        row?.querySelector(`.${name}:enabled`),
        row?.querySelector("button:enabled"),
        this.find(`.does .${name}`),
        this.find(".does button"),
      ]
        .find(Boolean)
        ?.focus();
  }

  row(one, at, beats, words) {
    const row = html("li");
    const step = new URLSearchParams(one.state).get("step");
    const beat = this.label(one.lesson, one.beat) + (step ? ` · ${Number(step) + 1}` : "");
    const named = (name) => filledText(words[name], { beat });
    const without = () => this.lecture.beats.toSpliced(at, 1);
    const move = (to) => this.change({ beats: without().toSpliced(to, 0, this.lecture.beats[at]) }, to);
    const minutes = /** @type {any} */ (
      html("input", { type: "number", min: 0, max: 240, value: one.minutes, "aria-label": named("lecture-minutes") })
    );
    minutes.onchange = () => this.edit(at, { minutes: Math.min(Math.max(Number(minutes.value) || 0, 0), 240) });
    const note = /** @type {any} */ (
      html("textarea", { rows: 2, maxlength: 500, "aria-label": named("lecture-note") }, null, one.note)
    );
    note.onchange = () => this.edit(at, { note: note.value });
    const small = (sign, name, act) => {
      const made = button(sign, name, act);
      made.setAttribute("aria-label", named(name));
      return made;
    };
    const [earlier, later] = [
      small("↑", "lecture-earlier", () => move(at - 1)),
      small("↓", "lecture-later", () => move(at + 1)),
    ];
    [earlier.disabled, later.disabled] = [!at, at === beats.length - 1];
    row.append(
      button(beat, "name", () => this.start(at)),
      minutes,
      earlier,
      later,
      small("×", "lecture-remove", () => this.change({ beats: without() })),
      note,
    );
    return row;
  }

  // What is typed: nothing is written again, so that the focus stays, and a button gets the click that ended the typing.
  edit(at, changes) {
    const { beats } = this.lecture;
    this.keep({ beats: beats.with(at, { ...beats[at], ...changes }) });
    this.sum();
  }

  rename(field) {
    field.value = field.value.trim() || this.page.view.words["lecture-title"];
    this.keep({ title: field.value });
  }

  sum() {
    this.find(".sum").textContent = filledText(this.page.view.words["lecture-all"], {
      minutes: this.lecture.beats.reduce((sum, one) => sum + one.minutes, 0),
    });
  }

  start(at) {
    this.close();
    this.presents(at);
  }
}

function button(text, name, act) {
  const made = html("button", { type: "button", class: name }, null, text);
  made.onclick = act;
  return /** @type {any} */ (made);
}
