// The exchange of a stage with its host and the server: states go out, views come in.

import { report } from "../../../../crf/figures/shared/model.js";
import { answered } from "./answers.js";
import { Questions } from "./ask.js";

const REST = 200; // ms after the last answer until the address and the host hear of it
const SLOW = 600; // ms until a question is said to be under way

// `door`: the beat that the page's own address opens; the query names any other.
export class Exchange {
  root;
  model;
  data;
  view;
  state;
  signal;
  slow;
  later;
  left = false; // the reader goes to another page: what is still answered is told to nobody
  look; // the menu behind "⋯"

  // `show(view)` draws a whole answer, `showNow(now)` the step's part, `pass(now)` one that has been overtaken;
  // `tell(message)` says what went wrong.
  constructor(root, model, signal) {
    Object.assign(this, { root, model, signal });
    this.find = (part) => root.querySelector(part);
    // The keys of an input method are its own.
    root.addEventListener("keydown", (event) => event.isComposing && event.stopPropagation(), { capture: true });
    this.questions = new Questions(
      (answer) => this.receive(answer),
      (message) => this.fail(message),
      ({ now }) => now && this.pass(now),
      signal,
    );
    signal.addEventListener("abort", () => [this.slow, this.later].forEach(clearTimeout));
  }

  // The first data are drawn; later ones only ask: no run of a host moves what the reader sees.
  load(data) {
    const before = this.data;
    this.data = data;
    this.left = false;
    this.look.load(before, data);
    if (!before || !data.address) this.open(data.view);
    else if (before.coming && (data.named || this.view.query !== data.view.query)) this.writeAddress();
    else if (data.order > before.order) this.commit(data.set, data.set.beat);
    else if (data.language !== before.language) this.ask("whole");
  }

  open(view) {
    this.state = view.state;
    this.show(view);
    if (this.data.named) this.writeAddress();
  }

  pass(_now) {}

  show(_view) {}

  showNow(_now) {}

  tell(_message) {}

  commit(changes, beat = this.view.beat) {
    this.state = { ...this.state, ...changes };
    this.ask("whole", beat);
  }

  // `more`: further requests, such as the tables that a dragged score changes.
  ask(want, beat = this.view.beat, more = {}) {
    const { address, language } = this.data;
    if (!address) return this.answerAlone(want, beat);
    clearTimeout(this.slow);
    this.slow = setTimeout(() => this.wait(true), SLOW);
    this.questions.ask(address.replace(/[^/]*$/, beat), { state: this.state, want, language, ...more });
  }

  // In a file there is no server.
  answerAlone(want, beat) {
    const { story } = this.data;
    const { lesson, words } = this.view;
    const answer = story && answered(story, { lesson, beat, state: this.state, want });
    if (answer) this.receive(answer);
    else if (story) this.fail(words["not-in-file"]);
  }

  // Slow answers are said and seen, without a move of the picture.
  wait(isSlow) {
    clearTimeout(this.slow);
    this.root.classList.toggle("waits", isSlow);
    if (isSlow) this.find(".spoken").textContent = this.view.words.waiting;
  }

  receive({ view = null, now = null, ...changed }) {
    this.wait(false);
    if (view) this.show(view);
    else {
      Object.assign(this.view, changed);
      this.tell("");
      this.showNow(now);
    }
    this.state = this.view.state;
    if (!this.left) this.tellLater();
  }

  // Not while the host goes to this page: a report would have Streamlit drop the stage from that run, and mount it again.
  tellLater() {
    clearTimeout(this.later);
    this.later = setTimeout(() => (this.data.coming ? this.tellLater() : this.tellHost()), REST);
  }

  // At rest, because the host runs its page again, and browsers limit how often an address may change.
  tellHost() {
    this.later = undefined;
    this.writeAddress();
    this.report("state", this.state);
  }

  // A lesson's name goes along: its last report may come when the reader is in the next lesson.
  report(name, value) {
    report(this.model, name, { lesson: this.view.lesson, [name]: value });
  }

  // Before the reader leaves: what is drawn stands in the address, and is told.
  rest() {
    clearTimeout(this.later);
    if (this.later) this.tellHost();
    this.left = true;
  }

  // Nothing is lost: the state that is drawn stays.
  fail(message) {
    this.wait(false);
    this.state = this.view.state;
    this.tell(message ?? this.view.words.failed);
  }

  writeAddress() {
    const { door, host } = this.data;
    if (["file", "lecture", "article"].includes(host)) return;
    if (this.data.path && location.pathname !== this.data.path) return; // the reader is leaving, or not yet there
    const known = host === "frame" || door === this.view.beat; // the path says which beat it is
    const language = new URLSearchParams(location.search).get("lang");
    const query = [
      known ? this.view.query.replace(/(^|&)beat=[^&]*/, "") : this.view.query,
      language && `lang=${language}`,
    ]
      .filter(Boolean)
      .join("&");
    const path = host === "frame" ? location.pathname.replace(/[^/]*$/, this.view.beat) : location.pathname;
    const url = path + (query && `?${query}`) + location.hash;
    if (location.pathname + location.search + location.hash !== url) history.replaceState(history.state, "", url);
  }
}

// Go to the bench as soon as the page has drawn it: it stands below the docked picture.
export function showWhenThere(selector, tries = 50) {
  const part = /** @type {HTMLElement | null} */ (document.querySelector(selector));
  if (part && part.clientHeight > 40) {
    part.tabIndex = -1;
    part.focus({ preventScroll: true }); // the next Tab leads into it
  } else if (tries) setTimeout(() => showWhenThere(selector, tries - 1), 200);
}
