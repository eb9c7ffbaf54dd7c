// Presents a lecture: each stop is the app itself in a frame, the one before and the one after ready behind it. One window owns where
// the lecture is; every other window of this browser, the speaker's among them, only asks it to move, so that two never fight.

const KEYS = {
  ArrowRight: "next", PageDown: "next", " ": "next", ArrowLeft: "back", PageUp: "back", b: "blank", ".": "blank", n: "stopNext", p: "stopBack",
  f: "full", s: "speaker", Escape: "leave", Home: "first",
};
const ALWAYS = new Set(["PageDown", "PageUp"]); // of a remote: even in a field, which has no use for them
const OF_THE_VIEW = ["hide", "size", "guess"];
const instances = new WeakMap();

export default function ({ data, parentElement, setStateValue, setTriggerValue }) {
  let one = instances.get(parentElement);
  if (!one) {
    const find = (selector) => parentElement.querySelector(selector);
    one = data.speaker ? new Speaker(find) : new Stage(find, data);
    instances.set(parentElement, one);
  }
  one.report = (at) => setStateValue("at", at);
  one.leave = () => setTriggerValue("leave", true);
  return () => {
    one.end();
    instances.delete(parentElement);
  };
}

// What a key asks for; null: it is not ours.
function wish(event) {
  if (event.defaultPrevented || event.ctrlKey || event.altKey || event.metaKey) return null;
  const target = event.composedPath()[0];
  const writes = target.closest?.("input:not([type=range]), textarea, select, [contenteditable=true], [role=menu], [role=listbox]");
  if (writes && !ALWAYS.has(event.key)) return null;
  if (event.key === " " && target.closest?.("button, a, summary, [role=button]")?.matches(":focus-visible")) return null;
  return KEYS[event.key.length === 1 ? event.key.toLowerCase() : event.key] ?? null;
}

class Lectern {
  constructor(find) {
    this.find = find;
    this.id = crypto.getRandomValues(new Uint32Array(1))[0];
    this.channel = new BroadcastChannel("crf-lecture");
    this.channel.onmessage = ({ data }) => data && data.from !== this.id && this.hear(data);
    this.listening = new AbortController();
    window.addEventListener("keydown", (event) => this.key(event), { capture: true, signal: this.listening.signal });
  }

  say(message) {
    this.channel.postMessage({ from: this.id, ...message });
  }

  key(event) {
    const what = wish(event);
    if (!what) return;
    event.preventDefault();
    event.stopPropagation();
    if (!event.repeat || what === "next" || what === "back") this.act(what);
  }

  end() {
    this.listening.abort();
    this.channel.close();
  }
}

// ---------------------------------------------------------------------- the window that the class sees

class Stage extends Lectern {
  constructor(find, data) {
    super(find);
    this.data = data;
    this.root = find(".stage");
    this.root.hidden = false;
    this.frames = new Map(); // number of a stop -> its frame
    this.index = Math.min(Math.max(data.first, 0), data.stops.length - 1);
    this.blank = false;
    this.started = Date.now();
    this.since = this.started; // at this stop
    this.leads = true;
    for (const button of this.root.querySelectorAll("[data-do]")) {
      button.onclick = () => {
        button.blur(); // Space is for going on, not for pressing it again
        this.act(button.dataset.do);
      };
    }
    const { signal } = this.listening;
    window.addEventListener("pagehide", () => this.say({ type: "bye" }), { signal });
    this.root.addEventListener("pointermove", () => this.stir(), { signal });
    this.say({ type: "lead" });
    this.show(this.index);
    this.stir();
  }

  act(what) {
    if (what === "leave") return this.leave();
    if (what === "full") return document.fullscreenElement ? document.exitFullscreen() : this.root.requestFullscreen?.();
    if (what === "speaker") return window.open(this.address({ address: "lecture", query: "window=speaker" }), "crf-speaker", "popup,width=900,height=640");
    if (what === "lead") return this.lead();
    if (!this.leads) return this.say({ type: "do", what });
    this.move(what);
  }

  move(what) {
    if (what === "blank" || this.blank) this.blank = what === "blank" && !this.blank;
    else if (what === "next" || what === "back") this.turn(what === "next" ? 1 : -1);
    else if (what === "stopNext") this.show(this.index + 1);
    else if (what === "stopBack") this.show(this.index - 1);
    else if (what === "first") this.show(0);
    else if (what === "restart") this.started = this.since = Date.now();
    this.changed();
  }

  // A step of the figure, if there is one; else the stop beside this one.
  turn(by) {
    const inner = this.frames.get(this.index)?.contentWindow;
    const asked = inner?.CustomEvent ? new inner.CustomEvent("crf:turn", { detail: by, cancelable: true }) : null;
    if (asked && !inner.document.dispatchEvent(asked)) return;
    this.show(this.index + by);
  }

  show(index) {
    if (index < 0 || index >= this.data.stops.length) return;
    if (index !== this.index) this.since = Date.now();
    this.index = index;
    this.frame(index);
    for (const [number, frame] of this.frames) {
      frame.classList.toggle("here", number === index);
      if (Math.abs(number - index) > 1) {
        frame.remove();
        this.frames.delete(number);
      }
    }
    clearTimeout(this.preparing); // what comes next, once this one has had the machine for itself
    this.preparing = setTimeout(() => [1, -1].map((by) => this.frame(index + by)), 2500);
    this.changed();
  }

  frame(index) {
    const stop = this.data.stops[index];
    if (!stop || this.frames.has(index)) return;
    const frame = element("iframe", { title: stop.title, src: this.address({ ...stop, query: onScreen(stop.query) }) });
    frame.classList.toggle("here", index === this.index);
    frame.onload = () => {
      const { signal } = this.listening;
      frame.contentWindow.addEventListener("keydown", (event) => this.key(event), { capture: true, signal });
      frame.contentWindow.addEventListener("pointermove", () => this.stir(), { signal });
      frame.contentDocument.addEventListener("crf:at", () => index === this.index && this.changed(), { signal });
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

  get step() {
    return this.frames.get(this.index)?.contentDocument?.documentElement?.dataset.step ?? "";
  }

  // The stop's address as it stands now, with its step, as a page for everyone.
  get query() {
    const stop = new URLSearchParams(this.data.stops[this.index].query);
    const search = this.frames.get(this.index)?.contentWindow?.location.search;
    if (!search?.includes("screen=")) return stop.toString();
    const now = new URLSearchParams(search);
    for (const name of ["screen", ...OF_THE_VIEW]) now.delete(name);
    for (const name of OF_THE_VIEW) if (stop.has(name)) now.set(name, stop.get(name));
    if (this.step) now.set("step", String(parseInt(this.step, 10) - 1));
    return now.toString();
  }

  state() {
    const { stops, title } = this.data;
    const { index, step, blank, started, since } = this;
    return { title, stops: stops.map(({ title, note, minutes }) => ({ title, note, minutes })), index, step, blank, started, since };
  }

  changed() {
    const { stops } = this.data;
    this.find(".blank").hidden = !this.blank;
    this.find(".stage .title").textContent = stops[this.index].title;
    this.find(".stage .where").textContent = `${this.step ? `step ${this.step.replace("/", " of ")} · ` : ""}${this.index + 1} / ${stops.length}`;
    if (!this.leads) return;
    this.say({ type: "state", state: this.state() });
    clearTimeout(this.reporting);
    this.reporting = setTimeout(() => this.report({ stop: this.index, query: this.query, blank: this.blank }), 200);
  }

  hear({ type, what, state }) {
    if (type === "hello" && this.leads) this.changed();
    if (type === "do" && this.leads) this.move(what);
    if (type === "lead") this.follow("Another window of this browser leads this lecture; keys pressed here go there.");
    if (type === "bye" && !this.leads) this.lead();
    if (type === "state" && !this.leads && state.stops.length === this.data.stops.length) {
      this.blank = state.blank;
      if (state.index !== this.index) this.show(state.index);
      else this.changed();
    }
  }

  lead() {
    this.leads = true;
    this.find(".other").hidden = true;
    this.say({ type: "lead" });
    this.changed();
  }

  follow(why) {
    this.leads = false;
    this.find(".other span").textContent = why;
    this.find(".other").hidden = false;
  }

  end() {
    if (this.leads) this.say({ type: "bye" });
    for (const timer of [this.preparing, this.still, this.reporting]) clearTimeout(timer);
    super.end();
  }
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
  constructor(find) {
    super(find);
    find(".speaker").hidden = false;
    document.title = "Speaker’s window";
    for (const button of find(".speaker").querySelectorAll("[data-do]")) {
      button.onclick = () => {
        button.blur();
        this.act(button.dataset.do);
      };
    }
    this.ticking = setInterval(() => this.tick(), 500);
    this.say({ type: "hello" });
  }

  act(what) {
    if (!["full", "speaker", "leave", "lead"].includes(what)) this.say({ type: "do", what });
  }

  hear({ type, state }) {
    if (type === "state") this.show(state);
    if (type === "bye") this.show(null);
    if (type === "lead") this.say({ type: "hello" });
  }

  show(state) {
    this.state = state;
    this.find(".alone").hidden = Boolean(state);
    this.find(".desk").hidden = !state;
    if (!state) return;
    const stop = state.stops[state.index];
    const next = state.stops[state.index + 1];
    this.find(".speaker .where").textContent = `Stop ${state.index + 1} of ${state.stops.length}${state.step ? `, step ${state.step.replace("/", " of ")}` : ""}${state.blank ? ", the screen is blank" : ""}`;
    this.find(".speaker .title").textContent = stop.title;
    this.find(".note").textContent = stop.note;
    this.find(".after").textContent = next ? `Next: ${next.title}` : "This is the last stop.";
    this.find(".desk [data-do=blank]").setAttribute("aria-pressed", state.blank);
    this.tick();
  }

  tick() {
    const { state } = this;
    this.find(".time").textContent = new Date().toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
    if (!state) return;
    this.find(".elapsed").textContent = clock(Date.now() - state.started);
    const planned = state.stops.slice(0, state.index + 1).reduce((sum, stop) => sum + stop.minutes, 0);
    const { minutes } = state.stops[state.index];
    const here = `${clock(Date.now() - state.since)} here${minutes ? ` of ${clock(minutes * 60000)}` : ""}`;
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
