// The front page: examples, words, flow, the sentence about it, and the pad.

import { writeDecimalsWith } from "../../../../crf/figures/shared/decimal.js";
import { fill, html, unbroken } from "../../../../crf/figures/shared/dom.js";
import { Exchange } from "./exchange.js";
import { FlowFigure } from "./flow.js";
import { Look } from "./look.js";
import { ONCE, SLOWLY, calm, isFirst, play } from "./opening.js";
import { Pad } from "./pad.js";
import { tellShown } from "./shown.js";

const NEAR = 0.006; // the most that rounding to two decimals moves the dot
const [KEYS, RESTS] = [150, 600]; // ms from one question while one types to the next, and from the last key to all of it
const LEAVES = 200; // ms of the dot's way to the right before the trellis is drawn
const [LOCAL, READ_ALL] = ["local", "bilstm"]; // taggers: what one types is read by the first, the tick has the other
const SKELETON = `
<section class="stage">
  <div class="prompt"><p class="claim"></p><nav><a class="course"></a></nav>
  <button class="more" type="button" aria-expanded="false" data-look-closer><span aria-hidden="true">•••</span></button></div>
  <p class="examples"></p>
  <div class="figure"></div>
  <div class="band"><button class="as-table" type="button" hidden></button>
    <p class="message" role="alert"></p>
    <p class="say"></p>
    <p class="offers" hidden></p>
    <p class="detail"></p>
    <p class="onward"><a class="way main"></a><a class="way"></a><button class="skip" type="button" hidden></button></p>
    <div class="pad" data-figure="pad"></div>
  </div>
  <p class="spoken" role="status" aria-live="polite"></p>
</section>`;
const NOTHING = { say: [], detail: [] };

export class FrontPage extends Exchange {
  figure;
  sentence;
  film; // what stops the dot while it plays, and whether that is the opening
  played; // the sentence that the dot has played
  keys; // timers of what is typed
  resting;
  closed; // the words that were asked for last
  unticked; // the view before the tick was set, of the same sentence
  detailed; // the detail that was announced last
  glides = false; // whether the next picture is of the same words by another tagger
  ticks = READ_ALL; // the tagger that the tick stands for
  tickName = "";

  constructor(el, model, signal) {
    super(fill(el, SKELETON), model, signal);
    this.figure = new FlowFigure(
      this.find(".figure"),
      (changes) => this.commit(changes),
      {
        typed: () => this.typed(),
        ends: () => this.readWhole(),
        givesUp: () => this.show(this.view),
        done: () => this.pad.dot.focus({ preventScroll: true }),
      },
      signal,
    );
    for (const link of this.root.querySelectorAll(".way")) link.onclick = (event) => this.leave(event, link);
    this.pad = new Pad(this.find(".pad"), {
      moved: (...at) => this.moved(...at),
      rests: () => this.rests(),
      plays: () => (this.film ? this.stop() : this.play(ONCE)),
      ticks: () => this.tick(),
    });
    this.look = new Look(this, signal);
    for (const event of ["keydown", "click"])
      document.addEventListener(event, (event) => this.touched(event), { capture: true, signal });
    signal.addEventListener("abort", () => {
      this.film?.stop();
      [this.keys, this.resting].forEach(clearTimeout);
    });
  }

  // A skip link leads to the blocks or to the field.
  reach(name) {
    const { headline, svg } = this.figure;
    (name === "picture" ? svg.querySelector('[tabindex="0"]') : headline.field)?.focus();
  }

  open(view) {
    const { host, language, opens } = this.data;
    this.root.dataset.host = host;
    this.root.lang = language;
    this.find(".more").hidden = host !== "reader";
    this.played = view.headline.text;
    super.open(view);
    if (opens && view.flow.grid && isFirst()) this.beginOpening();
  }

  // ---------------------------------------------------------------- what is asked and answered

  commit(changes) {
    this.stop(false);
    this.pad.from = null;
    if ("sentence" in changes || "ex" in changes || "tagger" in changes || "fix" in changes) this.unticked = null;
    super.commit(changes);
  }

  // The beat in a state of its own.
  present(_beat, parts) {
    this.state = parts;
    this.ask("whole");
  }

  receive(answer) {
    const { now, typed } = answer;
    if (typed) this.showTyped(answer);
    else if (now && Math.hypot(now.lambda - this.pad.lambda, now.tau - this.pad.tau) > NEAR)
      this.wait(false); // the dot has gone on
    else super.receive(answer);
  }

  // A sentence that was typed and not yet read is read first; then the link leads on with it.
  async leave(event, link) {
    this.readWhole();
    if (!this.questions.asked || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    await this.questions.idle();
    link.onclick = null;
    link.click();
  }

  // What was typed stays in its field.
  fail(message) {
    super.fail(message);
    this.state = { ...this.state, lambda: String(this.pad.lambda), tau: String(this.pad.tau) };
    this.closed = undefined;
    if (this.isAhead) this.figure.keep();
    this.figure.rest();
  }

  writeAddress() {
    super.writeAddress();
    this.writeLinks();
  }

  // ---------------------------------------------------------------- what is typed

  // Each key: the words stand at once, those that are ended are read, and nothing is said until the reader rests.
  typed() {
    this.stop(false);
    this.unticked = null;
    this.tell("");
    this.say(NOTHING);
    this.offer([]);
    this.pad.put(1, 1, null);
    this.figure.setColumns();
    clearTimeout(this.resting);
    this.resting = setTimeout(() => this.readWhole(), RESTS);
    this.readClosed();
  }

  // Most keys end no word: then nothing is asked. What ends one soon after another has to wait.
  readClosed() {
    const { closed, isAhead } = this.figure.headline;
    if (this.keys || !closed || closed === this.closed || !isAhead || !this.data.address) return;
    this.keys = setTimeout(() => {
      this.keys = undefined;
      this.readClosed();
    }, KEYS);
    this.closed = closed;
    const { address, language } = this.data;
    const state = { ...this.state, ...this.typedParts(closed) };
    this.questions.ask(address, { state, want: "typed", language });
  }

  // The reader rests, or has left the field.
  readWhole() {
    [this.keys, this.resting].forEach(clearTimeout);
    const isNew = this.resting !== undefined;
    this.keys = this.resting = undefined;
    const { value, isAhead } = this.figure.headline;
    if (!isNew && !isAhead) return;
    if (!value) this.tell(this.view.words["no-word"]);
    if (!value && this.figure.headline.isTyping) return;
    if (!value) this.figure.headline.field.value = this.view.headline.text;
    if (value && isAhead) this.commit(this.typedParts(value));
    else this.draw();
  }

  typedParts(sentence) {
    return { fix: "", ...this.view.headline.typed, sentence, lambda: "1", tau: "1" };
  }

  showTyped({ typed, message }) {
    this.wait(false);
    this.tell(message);
    this.figure.showFlow(typed);
    this.figure.showNow(typed.now);
  }

  // ---------------------------------------------------------------- what is drawn and said

  show(view) {
    Object.assign(this, { view, state: view.state, closed: view.headline.text });
    const { words, flow, message } = view;
    writeDecimalsWith(words);
    this.pad.name(words);
    this.writePrompt(view);
    this.writeLinks();
    this.writeTick(view.headline.tagger);
    this.find(".claim").textContent = words.claim;
    this.find(".skip").textContent = words.skip;
    this.find(".more").setAttribute("aria-label", words.more);
    this.find(".pad").inert = !flow.grid;
    this.look.offerTable();
    this.tell(message);
    this.draw();
    if (this.isAhead || this.played === view.headline.text) return;
    this.played = view.headline.text;
    if (flow.grid && flow.flip) this.figure.reveal(flow.at);
    if (flow.grid && flow.flip && this.pad.held === undefined && !calm()) this.play(ONCE);
  }

  // The picture of the sentence that has been read; about what is typed meanwhile nothing is said.
  draw() {
    const { flow } = this.view;
    if (this.glides && !calm()) this.figure.glide(this.view, flow.now);
    else this.figure.show(this.view, Boolean(this.data.address));
    const glided = this.glides && !calm();
    this.glides = false;
    this.offer(flow.swaps ?? []);
    if (!flow.grid) this.say(NOTHING);
    else if (this.pad.held === undefined) this.showNow(flow.now, glided);
    else this.moved(this.pad.lambda, this.pad.tau);
  }

  get isAhead() {
    return this.figure.headline.isAhead;
  }

  // `isDrawn`: the picture is on its way already.
  showNow(now = this.view.flow.now, isDrawn = false) {
    this.view.flow.now = now;
    if (!isDrawn) this.figure.showNow(now);
    this.pad.put(now.lambda, now.tau);
    this.say(this.isAhead ? NOTHING : now);
    const [said, detail] = [".say", ".detail .long"].map((part) => this.find(part).textContent);
    this.find(".spoken").textContent = detail === this.detailed ? said : `${said} ${detail}`;
    this.detailed = detail;
    tellShown(this);
  }

  // Sentences in which a tag does flip, where in this one none does.
  offer(swaps) {
    const offers = this.find(".offers");
    offers.hidden = !swaps.length || this.isAhead;
    if (offers.hidden) return offers.replaceChildren();
    offers.replaceChildren(...this.view.flow.swap.flatMap((segment) => this.segment(segment)));
    for (const { sentence, say } of swaps) {
      const button = html("button", { type: "button", "data-swap": sentence }, offers);
      button.replaceChildren(...say.flatMap((segment) => this.segment(segment)));
      button.onclick = () => this.commit(this.typedParts(sentence));
    }
  }

  writePrompt({ words, headline }) {
    const { examples, surprises } = headline;
    const any = () => surprises[Math.floor(Math.random() * surprises.length)];
    const offers = [
      ...examples.map((example) => [example.label, () => example]),
      ...(surprises.length ? [[words.surprise, any]] : []),
    ];
    const prompt = this.find(".examples");
    const key = JSON.stringify([words.prompt, examples, Boolean(this.data.address)]);
    if (prompt.dataset.key === key) return; // a button that was pressed keeps the focus
    prompt.dataset.key = key;
    const prompting = html("span", { class: "prompting" });
    prompt.replaceChildren(prompting);
    this.twoLengths(prompting, words.prompt, words["prompt-short"]);
    for (const [label, pick] of this.data.address ? offers : [])
      html("button", { type: "button" }, prompt, label).onclick = () =>
        this.commit({ ...pick().set, lambda: "1", tau: "1" });
  }

  writeLinks() {
    const { links = {}, host } = this.data;
    const { words, trellis } = this.view;
    const [main, start] = this.root.querySelectorAll(".way");
    const query = trellis && `?${trellis}`;
    for (const [link, href] of [
      [main, links.trellis && links.trellis + query],
      [start, links.course],
      [this.find(".course"), links.course],
    ]) {
      link.hidden = !href;
      if (href) link.href = href;
      if (host === "frame") link.target = "_blank";
    }
    this.twoLengths(main, words.trellis, words["trellis-short"]);
    [start.textContent, this.find(".course").textContent] = [words.start, words.course];
  }

  // Words that have a short form for phones.
  twoLengths(el, long, short) {
    el.replaceChildren(html("span", { class: "long" }, null, long), html("span", { class: "short" }, null, short));
  }

  tell(message) {
    if (this.find(".message").textContent !== message) this.find(".message").textContent = message;
  }

  say(sentence) {
    if (sentence === this.sentence) return;
    this.sentence = sentence;
    const write = (el, segments) => el.replaceChildren(...segments.flatMap((segment) => this.segment(segment)));
    write(this.find(".say"), sentence.say);
    const detail = this.find(".detail");
    this.twoLengths(detail, "", "");
    write(detail.firstChild, sentence.detail);
    write(detail.lastChild, sentence.brief ?? sentence.detail);
  }

  segment(segment) {
    if (typeof segment === "string") return unbroken(segment);
    const { text, tag, bold, em } = segment;
    const made = html(em ? "em" : tag !== undefined || bold ? "b" : "span", { dir: "auto" }, null, text);
    const colour = this.view.flow.tags[tag]?.colour;
    if (colour) made.style.setProperty("--c", colour);
    made.classList.toggle("tagged", Boolean(colour));
    return made;
  }

  // ---------------------------------------------------------------- the dot, and the tick beside its pad

  moved(lambda, tau) {
    this.stop(false);
    if (this.unticked) this.untick();
    this.say(this.figure.showAt(lambda, tau));
  }

  rests() {
    if (this.resting !== undefined) return this.readWhole(); // a sentence that is typed opens at the right
    const { lambda, tau } = this.pad;
    this.state = { ...this.state, lambda: String(lambda), tau: String(tau) };
    this.figure.rest();
    this.ask("now"); // its answer is announced
  }

  // The tick has the tagger that is not the local one: the one on screen, else the last, else the network.
  writeTick({ key, name }) {
    if (key !== LOCAL && key !== "hand") this.ticks = key;
    const isOn = this.ticks === key;
    if (isOn && key !== READ_ALL) this.tickName = name;
    const other = this.ticks === READ_ALL ? this.view.words["read-all"] : this.tickName;
    const isOffered = key === LOCAL || isOn;
    this.pad.tick(isOffered && (this.data.address || isOn) ? other : null, isOn);
  }

  tick() {
    const isOn = this.view.headline.tagger.key !== LOCAL;
    const { view } = this;
    this.stop(false);
    const changes = this.ticks === READ_ALL ? {} : { fix: "" }; // of other tags
    this.commit({ ...changes, tagger: isOn ? LOCAL : this.ticks, edit: "", lambda: "1", tau: "1" });
    this.glides = true;
    if (!isOn) this.unticked = view;
  }

  // The same sentence as the local tagger reads it.
  untick() {
    const { lambda, tau } = this.pad;
    const view = this.unticked;
    this.unticked = null;
    Object.assign(this, { view, state: view.state });
    this.writeTick(view.headline.tagger);
    this.figure.show(view, true);
    this.offer(view.flow.swaps ?? []);
    Object.assign(this.pad, { lambda, tau });
  }

  // ---------------------------------------------------------------- the dot by itself

  // The dot travels from left to right, and the sentence changes with it.
  play(pace) {
    this.stop(false);
    if (this.unticked) this.untick();
    const frame = (lambda) => {
      this.pad.put(lambda, 1, [0, 1]);
      this.say(this.figure.showAt(lambda, 1));
    };
    frame(0);
    this.film = { isOpening: pace === SLOWLY, stop: play(pace, frame, () => this.stop()) };
    this.pad.plays(true);
  }

  // Before the reader leaves for the trellis, which has all step scores: the dot goes to the upper right corner.
  async toTheRight() {
    this.stop(false);
    const { lambda, tau } = this.pad;
    if (!this.view.flow.grid || calm() || (lambda === 1 && tau === 1)) return;
    const began = performance.now();
    for (let share = 0; share < 1;) {
      await new Promise(requestAnimationFrame);
      share = Math.min((performance.now() - began) / LEAVES, 1);
      const at = [lambda + (1 - lambda) * share, tau + (1 - tau) * share];
      this.pad.put(...at, null);
      this.say(this.figure.showAt(...at));
    }
    this.figure.rest();
  }

  // A key or a click ends what plays by itself; ▶ does so itself.
  touched(event) {
    const plays = event.composedPath().some((part) => part.dataset?.play !== undefined);
    if (!plays || !["click", "Enter", " "].includes(event.key ?? event.type)) this.stop();
  }

  beginOpening() {
    this.root.classList.add(calm() ? "twice" : "opens");
    if (calm()) {
      this.film = { isOpening: true, stop() {} };
      return this.figure.showTwice();
    }
    this.find(".skip").hidden = false;
    this.play(SLOWLY);
  }

  // The dot goes to where the state has it, unless the reader holds it; where it was played by hand, to the right.
  stop(goes = true) {
    if (!this.film) return;
    this.film.stop();
    if (this.film.isOpening) {
      this.root.classList.remove("twice", "opens");
      this.figure.showOnce();
      this.find(".skip").hidden = true;
    }
    this.film = undefined;
    this.pad.plays(false);
    if (!goes) return;
    const { lambda, tau } = this.view.flow.now;
    if (lambda === 1 && tau === 1) return this.showNow();
    this.pad.put(1, 1);
    this.rests();
  }
}
