// Presents a lecture: each stop is the app itself in a frame, the one before and the one after ready behind it. One window leads;
// another that presents the same list in this browser shows the same, and leads from its first key on, so that two never fight. The
// speaker's window only asks whoever leads to move.

import { element, fill } from "../../../crf/figures/shared/dom.js";
import { report } from "../../../crf/figures/shared/model.js";
import { atRest, figuresOn, zipped } from "../../shared/ui/scripts/file.js";
import { remember, remembered } from "../../shared/ui/scripts/memory.js";

const KEYS = {
  ArrowRight: "next", PageDown: "next", " ": "next", ArrowLeft: "back", PageUp: "back", b: "blank", ".": "blank", n: "stopNext", p: "stopBack",
  f: "full", s: "speaker", Escape: "leave", Home: "first", End: "last",
};
const ALWAYS = new Set(["PageDown", "PageUp"]); // of a remote: even in a field, which has no use for them
const HELD = new Set(["Shift", "Control", "Alt", "AltGraph", "Meta", "CapsLock", "Tab"]);
const WRITES = "input:not([type=range], [type=checkbox], [type=radio], [type=button])";
const OF_THE_VIEW = ["hide", "size", "guess", "picture"];
const [CLOCK, SHOWN] = ["crf.lecture.started", "crf.lecture.shown"]; // kept over a reload: when it was begun, and what was on screen
const RETURNED = ["reload", "back_forward"]; // how a window comes to a page that it has shown before
const PATIENCE = 6000; // ms that the stop before stays on screen for a picture that is not there yet
const PASSING = 250; // ms without a key until a stop counts as gone to, and not passed

const STAGE_SKELETON = `
<div class="stage">
  <div class="frames"></div>
  <i class="comes" hidden></i>
  <p class="line"><span class="title"></span><span class="leads" role="status"></span><span class="where"></span></p>
  <div class="tools" role="toolbar" aria-label="Presenting">
    <button type="button" data-do="back" title="Back (←, Page Up)">◀ Back</button>
    <button type="button" data-do="next" title="On: the next step, then the next stop (→, Page Down, Space)">On ▶</button>
    <button type="button" data-do="stopBack" title="The stop before (P)">Previous stop</button>
    <button type="button" data-do="stopNext" title="The next stop (N)">Next stop</button>
    <button type="button" data-do="blank" title="Blank the screen (B)">Blank</button>
    <button type="button" data-do="speaker" title="Notes, clock and what comes next, in a window of their own (S)">Speaker’s window</button>
    <button type="button" data-do="full" title="Full screen (F)">Full screen</button>
    <button type="button" data-do="leave" title="Back to the list (Escape)">End</button>
  </div>
  <div class="blank" hidden></div>
  <p class="over" hidden>End of the lecture</p>
</div>`;
const SPEAKER_SKELETON = `
<div class="speaker">
  <p class="alone" role="status">Nothing is presented in this browser. Press “Present” in the other window, and leave this one open.</p>
  <div class="desk" hidden>
    <header><p class="clock"><b class="elapsed"></b> <span class="plan"></span></p><p class="time"></p></header>
    <p class="where"></p>
    <h2 class="title"></h2>
    <div class="pictures" inert></div>
    <p class="note"></p>
    <p class="after"></p>
    <div class="buttons">
      <button type="button" data-do="back">◀ Back</button>
      <button type="button" data-do="next">On ▶</button>
      <button type="button" data-do="stopBack">Previous stop</button>
      <button type="button" data-do="stopNext">Next stop</button>
      <button type="button" data-do="blank" aria-pressed="false">Blank</button>
      <button type="button" data-do="restart">Start the clock anew</button>
    </div>
  </div>
</div>`;

export default {
  render({ model, el, signal }) {
    const data = model.get("data");
    const skeleton = data.speaker ? SPEAKER_SKELETON : STAGE_SKELETON;
    const root = fill(el, skeleton);
    const one = data.speaker ? new Speaker(root) : new Stage(root, data, (at) => report(model, "at", at));
    signal.addEventListener("abort", () => one.end());
  },
};

// What a key asks for; null: it is not ours. What one has gone to by Tab keeps its own keys; what was clicked does not.
function wish(event, byTab) {
  if (event.defaultPrevented || event.ctrlKey || event.altKey || event.metaKey) return null;
  const target = event.composedPath()[0];
  const writes = target.closest?.(`${WRITES}, textarea, select, [contenteditable=true], [role=menu], [role=listbox]`);
  if (writes && !ALWAYS.has(event.key)) return null;
  if (byTab && event.key === " " && target.closest?.("button, a, summary, [role=button], [type=checkbox], [type=radio]")) return null;
  if (byTab && event.key.startsWith("Arrow") && target.closest?.("[type=radio]")) return null;
  return KEYS[event.key.length === 1 ? event.key.toLowerCase() : event.key] ?? null;
}

class Lectern {
  constructor(root) {
    this.root = root;
    this.id = crypto.getRandomValues(new Uint32Array(1))[0];
    this.channel = new BroadcastChannel("crf-lecture");
    this.channel.onmessage = ({ data }) => data && data.from !== this.id && this.hear(data);
    this.listening = new AbortController();
    this.listen(window);
    for (const button of root.querySelectorAll("[data-do]")) {
      button.onclick = () => {
        button.blur(); // Space is for going on, not for pressing it again
        this.act(button.dataset.do);
      };
    }
  }

  find(selector) {
    return this.root.querySelector(selector);
  }

  listen(to) {
    const how = { capture: true, signal: this.listening.signal };
    to.addEventListener("keydown", (event) => this.key(event), how);
    to.addEventListener("pointerdown", () => (this.byTab = false), how);
  }

  hear(_message) {}

  act(_wish, _held) {}

  // What a key asks for that stands for nothing.
  otherwise(_event) {
    return null;
  }

  say(message) {
    this.channel.postMessage({ from: this.id, ...message });
  }

  key(event) {
    if (event.key === "Tab") this.byTab = true;
    const what = wish(event, this.byTab) ?? this.otherwise(event);
    if (!what) return;
    event.preventDefault();
    event.stopPropagation();
    if (!this.byTab) event.composedPath()[0].blur?.(); // what was clicked gets no ring from a key that is not for it
    if (!event.repeat || what === "next" || what === "back") this.act(what, event.repeat);
  }

  end() {
    this.listening.abort();
    this.channel.close();
  }
}

// ---------------------------------------------------------------------- the window that the class sees

class Stage extends Lectern {
  constructor(root, data, report) {
    super(root);
    this.data = data;
    this.report = report;
    this.frames = new Map(); // number of a stop -> its frame
    this.leftAs = new Map(); // number of a stop whose frame is away -> as what it was left
    this.gone = new Map(); // number of a stop -> how often it has been taken on
    this.began = new Map(); // number of a stop -> its first step
    this.index = Math.min(Math.max(data.first, 0), data.stops.length - 1);
    this.seen = this.index; // the stop on screen, until the picture of another one is there
    this.blank = false;
    this.over = false; // beyond the last stop
    this.left = false; // until the server takes it away
    this.since = Date.now(); // at this stop
    const isBack = RETURNED.includes(performance.getEntriesByType("navigation")[0]?.type);
    this.started = (isBack && remembered(CLOCK)) || this.since;
    this.before = isBack && remembered(SHOWN);
    remember(CLOCK, this.started);
    this.leads = true;
    this.beside = new Set(); // other windows that present
    const { signal } = this.listening;
    window.addEventListener("pagehide", ({ persisted }) => this.goes(persisted), { signal });
    this.root.addEventListener("pointermove", () => this.stir(), { signal });
    this.lead();
    this.show(this.index);
    if (this.started === this.since) this.stir(); // a reload must not bring the buttons before a class
  }

  // Any key ends a black screen, but for those that are held with another.
  otherwise({ key, ctrlKey, altKey, metaKey }) {
    return this.blank && !HELD.has(key) && !(ctrlKey || altKey || metaKey) ? "wake" : null;
  }

  // `held`: by a key that is held down; it runs to the end of a stop, and no further.
  act(what, held = false) {
    if (what === "leave" && !this.blank) return this.leave();
    if (what === "full") return document.fullscreenElement ? document.exitFullscreen() : this.root.requestFullscreen?.();
    if (what === "speaker") return window.open(this.address({ address: "lecture", query: "window=speaker" }), "crf-speaker", "popup,width=940,height=820");
    if (!this.leads) this.lead();
    this.move(what, held);
  }

  move(what, held) {
    if (what === "blank" || this.blank) this.blank = what === "blank" && !this.blank;
    else if (this.over && (what === "next" || what === "stopNext")) return;
    else if (this.over && what !== "first" && what !== "restart") this.over = false; // the last stop again
    else if (what === "next" || what === "back") this.turn(what === "next" ? 1 : -1, held);
    else if (what === "stopNext") this.show(this.index + 1);
    else if (what === "stopBack") this.show(this.index - 1);
    else if (what === "first") this.anew();
    else if (what === "last") this.show(this.data.stops.length - 1);
    else if (what === "restart") remember(CLOCK, (this.started = this.since = Date.now()));
    this.changed();
  }

  // A step of the figure, if there is one; else the stop beside this one. What nobody has seen yet is not taken on, and while the
  // page answers the key before, the next one waits.
  turn(by, held) {
    if (this.isAwaited) return;
    if ("turning" in this.said(this.index)) {
      if (!held) this.waiting = by;
      return;
    }
    const leaves = by < 0 && !this.hasGoneOn; // what is before its beginning was not planned
    if (!leaves && this.ask("crf:turn", by)) {
      this.gone.set(this.index, Math.max(0, (this.gone.get(this.index) ?? 0) + by));
      return;
    }
    if (held) return;
    if (by > 0 && this.index === this.data.stops.length - 1) this.over = true;
    this.show(this.index + by);
  }

  // The page has answered a key: the one that was pressed meanwhile is next.
  turned() {
    const by = this.waiting;
    this.waiting = 0;
    if (by) this.move(by > 0 ? "next" : "back");
  }

  // Whether the picture on screen has done something about it.
  ask(type, detail) {
    const inner = this.frames.get(this.index)?.contentWindow;
    const asked = inner?.CustomEvent ? new inner.CustomEvent(type, { detail, cancelable: true }) : null;
    return asked !== null && !inner.document.dispatchEvent(asked);
  }

  // From the beginning, with nothing told.
  anew() {
    for (const frame of this.frames.values()) frame.remove();
    for (const known of [this.frames, this.leftAs, this.gone, this.began]) known.clear();
    this.since = Date.now();
    this.show(0);
  }

  show(index) {
    if (index < 0 || index >= this.data.stops.length) return;
    this.over = false;
    this.waiting = 0;
    if (index !== this.index) {
      this.since = Date.now();
      this.frames.get(this.seen)?.blur(); // what will not be seen must not have the keys
    }
    const isPassing = Date.now() - this.shownAt < PASSING;
    this.shownAt = Date.now();
    this.index = index;
    this.tidy();
    clearTimeout(this.opening);
    if (!isPassing || this.frames.has(index)) this.frame(index);
    else this.opening = setTimeout(() => this.frame(this.index), PASSING);
    clearTimeout(this.revealing);
    if (this.isAwaited && this.seen !== index && this.frames.has(this.seen)) this.revealing = setTimeout(() => this.reveal(), PATIENCE - (Date.now() - this.since));
    else this.reveal();
    clearTimeout(this.preparing); // what comes next, once this one has had the machine for itself
    this.preparing = setTimeout(() => [1, -1].map((by) => this.frame(index + by)), 2500);
    this.changed();
  }

  // The stop that is asked for comes on screen; a class does not see a page before it is a picture.
  reveal() {
    clearTimeout(this.revealing);
    this.seen = this.index;
    for (const [number, frame] of this.frames) frame.classList.toggle("here", number === this.index);
    this.tidy();
    this.changed();
  }

  // No frames but those of what is on screen, of what is asked for, and beside it. Whoever comes back finds a stop as it was left.
  tidy() {
    for (const [number, frame] of this.frames) {
      const isPassed = !this.isFitted(number) && number !== this.index; // its page would only keep others waiting
      if (number === this.seen || (Math.abs(number - this.index) <= 1 && !isPassed)) continue;
      this.leftAs.set(number, this.asShown(number)?.toString());
      frame.remove();
      this.frames.delete(number);
    }
  }

  frame(index) {
    const stop = this.data.stops[index];
    if (!stop || this.frames.has(index)) return;
    const query = this.before?.index === index ? this.before.query : (this.leftAs.get(index) ?? onScreen(stop.query));
    this.before = null; // as a reload found it
    const frame = element("iframe", { title: stop.title, src: this.address({ ...stop, query }) });
    frame.onload = () => {
      const { signal } = this.listening;
      frame.classList.add("loaded"); // a click before would take the keys to where nobody hears them
      this.listen(frame.contentWindow);
      frame.contentWindow.addEventListener("pointermove", () => this.stir(), { signal });
      const fitted = () => {
        frame.classList.add("fitted");
        if (index !== this.index) return;
        if (index !== this.seen) this.reveal();
        else if (this.data.isClass && this.pictured !== this.since) this.changed(); // phones get its picture
      };
      if (this.isFitted(index)) fitted();
      frame.contentDocument.addEventListener("crf:fitted", fitted, { signal });
      frame.contentDocument.addEventListener("crf:at", () => index === this.index && this.catchUp(), { signal });
      frame.contentDocument.addEventListener("crf:turned", () => index === this.index && this.turned(), { signal });
    };
    this.frames.set(index, frame);
    this.find(".frames").append(frame);
  }

  address({ address, query }) {
    const base = window.location.pathname.replace(/\/[^/]*\/?$/, "");
    return `${base}/${address}${query ? "?" : ""}${query}`;
  }

  stir() {
    this.root.classList.add("moved");
    clearTimeout(this.still);
    this.still = setTimeout(() => this.root.classList.remove("moved"), 2500);
  }

  // ------------------------------------------------------------------ what others hear

  get hasGoneOn() {
    return this.gone.get(this.index) > 0 || parseInt(this.step, 10) > parseInt(this.began.get(this.index), 10);
  }

  // Whether its picture is still to come.
  get isAwaited() {
    return !this.isFitted(this.index) && Date.now() - this.since < PATIENCE;
  }

  // What the page of a stop says of itself.
  said(number) {
    return this.frames.get(number)?.contentDocument?.documentElement?.dataset ?? {};
  }

  isFitted(number) {
    return "fitted" in this.said(number);
  }

  get step() {
    return this.said(this.index).step ?? "";
  }

  // What a frame's address says now, with its step; null: it is not there yet.
  asShown(number) {
    const search = this.frames.get(number)?.contentWindow?.location.search;
    if (!search?.includes("screen=")) return null;
    const now = new URLSearchParams(search);
    const { step } = this.said(number);
    if (step) now.set("step", String(parseInt(step, 10) - 1));
    return now;
  }

  // The stop's address as it stands now, as a page for everyone.
  get query() {
    const stop = new URLSearchParams(this.data.stops[this.index].query);
    const now = this.asShown(this.index);
    if (!now) return stop.toString();
    for (const name of ["screen", "told", ...OF_THE_VIEW]) now.delete(name);
    for (const name of OF_THE_VIEW) if (stop.has(name)) now.set(name, stop.get(name));
    return now.toString();
  }

  state() {
    const { stops, title } = this.data;
    const { index, step, blank, over, started, since } = this;
    const pictures = stops.slice(index, index + 2).map((stop) => this.address({ ...stop, query: onScreen(stop.query) }));
    return { pictures, title, stops: stops.map(({ title, note, minutes }) => ({ title, note, minutes })), index, step, blank, over, started, since };
  }

  changed() {
    const { stops } = this.data;
    if (this.step && !this.began.has(this.index)) this.began.set(this.index, this.step);
    this.find(".blank").hidden = !this.blank;
    this.find(".over").hidden = !this.over;
    this.find(".comes").hidden = this.seen === this.index;
    this.find(".title").textContent = stops[this.index].title;
    const comes = this.seen === this.index ? "" : "… ";
    this.find(".where").textContent = `${comes}${this.step ? `step ${this.step.replace("/", " of ")} · ` : ""}${this.index + 1} / ${stops.length}`;
    this.sayWhoLeads();
    this.keepShown();
    if (!this.leads) return;
    this.say({ type: "state", state: this.state() });
    clearTimeout(this.reporting);
    this.reporting = setTimeout(async () => this.report({ ...this.at(), picture: await this.picture() }), 200);
  }

  // The picture of the stop, or what it asks, once: phones show it until they have the page.
  async picture() {
    const { index, since } = this;
    const frame = this.frames.get(index);
    if (!this.data.isClass || this.pictured === since || !this.isFitted(index)) return null;
    this.pictured = since;
    const [figure] = figuresOn(frame.contentDocument);
    if (!figure) return { folder: "", data: wordsOn(frame.contentDocument) };
    return { folder: figure.crfFigure.folder, data: await zipped(atRest(figure.crfFigure.model)) };
  }

  at() {
    return { stop: this.index, query: this.query, blank: this.blank, left: this.left };
  }

  // With the last report, and with each that a picture still brings about: a trigger beside one is lost now and then.
  leave() {
    this.left = true;
    clearTimeout(this.reporting);
    remember(CLOCK, null);
    remember(SHOWN, null);
    this.report(this.at());
  }

  hear({ from, type, what, held, state, led }) {
    if (type === "hello" && this.leads) this.changed();
    if (type === "do" && this.leads) this.act(what, held);
    if (type === "lead" && !(Date.now() - this.inherited < 500 && this.id < from)) this.follow(from); // of two heirs one
    if (type === "follow") this.beside.add(from);
    if (type === "bye") this.beside.delete(from);
    if (type === "bye" && led && !this.leads) {
      this.inherited = Date.now();
      this.lead();
    }
    if (type === "state" && !this.leads && JSON.stringify(state.stops) === JSON.stringify(this.state().stops)) {
      this.shown = state;
      if (state.index !== this.index) this.show(state.index);
      this.blank = state.blank;
      this.over = state.over;
      this.catchUp();
    }
    this.sayWhoLeads();
  }

  // The picture has moved, or should: where another window leads, it may be a step behind.
  catchUp() {
    this.changed();
    const { step, index } = this.shown ?? {};
    if (!this.leads && step && index === this.index && step !== this.step) this.ask("crf:step", parseInt(step, 10) - 1);
  }

  lead() {
    this.leads = true;
    this.say({ type: "lead" });
    this.changed();
  }

  follow(leader) {
    this.leads = false;
    clearTimeout(this.reporting);
    this.beside.add(leader);
    this.say({ type: "follow" });
    this.say({ type: "hello" }); // where it is
  }

  // The page is closed, or reloaded.
  goes(mayReturn) {
    this.say({ type: "bye", led: this.leads });
    if (!mayReturn) this.channel.onmessage = null; // whoever goes follows nobody
    this.keepShown();
  }

  // For a reload; now and not only as the page goes, when a picture may have gone before.
  keepShown() {
    const query = this.asShown(this.index)?.toString();
    if (query && !this.left) remember(SHOWN, { index: this.index, query });
  }

  sayWhoLeads() {
    let said = this.leads ? "" : "Another window leads. A key pressed here leads from here.";
    if (this.leads && this.beside.size) said = "This window leads; another one follows.";
    this.find(".leads").textContent = said;
  }

  end() {
    this.say({ type: "bye", led: this.leads });
    for (const timer of [this.preparing, this.opening, this.still, this.reporting, this.revealing]) clearTimeout(timer);
    super.end();
  }
}

// What a page without a figure says, less its buttons.
function wordsOn(page) {
  const parts = Array.from(page.querySelectorAll(".st-key-page :is(h1, h2, p:not(li p), li)"));
  return parts.filter((part) => part.checkVisibility() && !part.closest("button")).map((part) => part.textContent).join("\n");
}

// One picture, without text and controls, as large as the window allows.
function onScreen(query) {
  const values = new URLSearchParams(query);
  values.set("screen", values.get("picture") ?? "1");
  values.delete("picture");
  return values.toString();
}

// ---------------------------------------------------------------------- the window that the speaker sees

class Speaker extends Lectern {
  constructor(root) {
    super(root);
    document.title = "Speaker’s window";
    this.ticking = setInterval(() => this.tick(), 500);
    this.say({ type: "hello" });
  }

  act(what, held) {
    if (!["full", "speaker", "leave"].includes(what)) this.say({ type: "do", what, held });
  }

  hear({ type, state, led }) {
    if (type === "state") this.show(state);
    if (type === "bye" && led) this.show(null);
    if (type === "lead") this.say({ type: "hello" });
  }

  show(state) {
    this.state = state;
    this.find(".alone").hidden = Boolean(state);
    this.find(".desk").hidden = !state;
    if (!state) return;
    const stop = state.stops[state.index];
    const next = state.stops[state.index + 1];
    const where = [`Stop ${state.index + 1} of ${state.stops.length}`, state.step && `step ${state.step.replace("/", " of ")}`, state.over && "the end is on screen", state.blank && "the screen is blank"];
    this.find(".where").textContent = where.filter(Boolean).join(", ");
    this.find(".title").textContent = stop.title;
    this.draw(state);
    this.find(".note").textContent = stop.note;
    this.find(".after").textContent = next ? `Next: ${next.title}` : "This is the last stop.";
    this.find("[data-do=blank]").setAttribute("aria-pressed", state.blank);
    this.tick();
  }

  // The stop on screen and the one after it, as the class sees them; the one after is ready when its turn comes.
  draw({ pictures, index, step }) {
    const host = this.find(".pictures");
    const known = new Map(Array.from(host.children, (one) => [one.dataset.stop, one]));
    for (const [number, one] of known) if (!(number - index in pictures)) one.remove();
    pictures.forEach((src, k) => {
      let one = known.get(String(index + k));
      if (!one) {
        one = element("div", {}, element("iframe", { src, title: k ? "The next stop" : "The stop on screen", tabIndex: -1 }));
        one.dataset.stop = index + k;
        host.append(one);
      }
      one.className = k ? "next" : "now";
    });
    const now = host.querySelector(".now iframe")?.contentWindow;
    if (step && now?.CustomEvent) now.document.dispatchEvent(new now.CustomEvent("crf:step", { detail: parseInt(step, 10) - 1, cancelable: true }));
  }

  tick() {
    const { state } = this;
    this.find(".time").textContent = new Date().toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
    if (!state) return;
    this.find(".elapsed").textContent = clock(Date.now() - state.started);
    const planned = state.stops.slice(0, state.index + 1).reduce((sum, stop) => sum + stop.minutes, 0);
    const { minutes } = state.stops[state.index];
    const spent = Date.now() - state.since;
    const left = minutes * 60000 - spent;
    const here = minutes ? `${clock(Math.abs(left))} ${left < 0 ? "over" : "left"} of ${clock(minutes * 60000)} here` : `${clock(spent)} here`;
    this.find(".plan").textContent = planned ? `${here} · this stop should end at ${clock(planned * 60000)}` : here;
  }

  end() {
    clearInterval(this.ticking);
    super.end();
  }
}

// Minutes and seconds.
function clock(ms) {
  const seconds = Math.max(0, Math.round(ms / 1000));
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}
