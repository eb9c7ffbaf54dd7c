// A lesson that is told in beats: map, modes and question above the picture, sentence and equation or a bet below it, the
// bar of beats at the foot. The keys → ← go through steps, then beats.

import { writeDecimalsWith } from "../../../../crf/figures/shared/decimal.js";
import { fill, filledText, html, isolated, unbroken } from "../../../../crf/figures/shared/dom.js";
import { isSeen } from "../../../../crf/figures/shared/roving.js";
import { post } from "./ask.js";
import { BeatBar } from "./beat_bar.js";
import { Bet } from "./bet.js";
import { Chooser } from "./chooser.js";
import { withControl } from "./edits.js";
import { Exchange } from "./exchange.js";
import { press } from "./lesson_keys.js";
import { Look } from "./look.js";
import { writeMap } from "./map.js";
import { isOwn, writeNotation } from "./notation.js";
import { Player } from "./player.js";
import { mark } from "./progress.js";
import { tellShown } from "./shown.js";
import { Stops } from "./stops.js";
import { AGAIN, SHOWN, TOLD, Told } from "./told.js";
import { TrellisControls } from "./trellis_controls.js";
import { Ways } from "./ways.js";

const SKELETON = `
<section class="stage lesson">
  <header class="top"><nav class="map"></nav>
  <button class="more" type="button" aria-expanded="false" data-look-closer><span aria-hidden="true">•••</span></button></header>
  <div class="heading"><div class="modes" role="group"></div><div class="question"></div>
  <div class="rows modes" role="group" hidden><button type="button"></button><button type="button"></button></div>
  <button class="undo" type="button" hidden><span aria-hidden="true">↶ </span><span class="undoes"></span></button>
  <button class="choose" type="button" aria-expanded="false"><span class="chooses"></span><span aria-hidden="true">▾</span></button></div>
  <div class="picture-frame"><div class="figure"></div><button class="as-table" type="button" hidden></button>
  <div class="chooser" hidden></div></div>
  <div class="slot" tabindex="-1"><p class="message" role="alert"></p><p class="thread"></p><p class="say"></p>
  <div class="line"><div class="written"><p class="symbols"></p><p class="equation"></p></div><div class="notation" hidden></div></div>
  <div class="bet" hidden></div>
  <p class="ways-on"><a class="to-last" hidden></a><a class="to-before" hidden></a><a class="to-after" hidden></a></p></div>
  <div class="foot"><div class="remote"><button class="play" type="button" data-play><svg viewBox="0 0 24 24" aria-hidden="true">
    <path class="plays" d="M8 5v14l11-7z"></path><path class="pauses" d="M6 5h4v14h-4zM14 5h4v14h-4z"></path></svg></button>
  <button class="back" type="button" data-back><span aria-hidden="true">←</span></button>
  <button class="on" type="button" data-on><span aria-hidden="true">→</span></button><p class="place"><b></b><span></span></p></div>
  <nav class="beats" data-beats></nav><span class="thumb" aria-hidden="true"></span></div>
  <p class="spoken" role="status" aria-live="polite"></p>
</section>`;

const NUMBER = /^[+−×]?[\d.,∞]+$/;

export class Lesson extends Exchange {
  kind;
  figure;
  /** @type {TrellisControls | null} */ trellis = null; // where the picture is one
  moves;
  before;
  undone = [];
  answered; // the beat whose bet is settled
  announced = []; // the parts of what was said last
  told = new Told();
  answers = false; // whether the reader has just bet
  foreseen; // the next step's answer: { key, answer }
  ahead = (_by) => false; // whether a class goes on first, at a question that it answers
  beyond = (_by) => false; // whether a presenter goes on from the last step, or back from the first
  opens = () => {}; // the reader is about to open another beat
  leads = (_beat) => false; // whether a presenter opens a beat instead, because the lecture has it
  takes = (_event) => true; // whether a key is for this stage: a page may have several

  // `pictures`: kind → class.
  constructor(el, model, signal, pictures) {
    super(fill(el, SKELETON), model, signal);
    this.pictures = pictures;
    this.stops = new Stops(this.find(".figure"));
    this.bet = new Bet(this.find(".bet"), (name) => this.answer(name));
    this.player = new Player(this);
    this.bar = new BeatBar(this);
    this.chooser = new Chooser(this.find(".chooser"), this.find(".choose"), (changes) => this.choose(changes));
    this.look = new Look(this, signal);
    this.ways = new Ways(this);
    this.find(".undo").onclick = () => this.undo();
    const on = this.find(".remote .on");
    on.onanimationend = () => on.classList.remove("pulses");
    on.onclick = () => this.leaf(1);
    this.find(".remote .back").onclick = () => this.leaf(-1);
    this.find(".remote .play").onclick = () => this.player.toggle();
    document.addEventListener("keydown", (event) => press(this, event), { signal });
  }

  get now() {
    return this.view.picture.now;
  }

  // A score on its way, a step of many: each is drawn.
  pass(now) {
    this.showNow(now);
  }

  // What has the focus may go with what it has asked for: then the text below the picture gets it.
  receive(answer) {
    const active = () => /** @type {any} */ (this.root.getRootNode()).activeElement;
    const focused = active();
    const isHere = this.root.contains(focused);
    super.receive(answer);
    this.stops.settle();
    if (
      isHere &&
      ![".remote", ".figure"].some((part) => this.find(part).contains(active())) &&
      (!focused.checkVisibility({ visibilityProperty: true }) || focused.disabled)
    )
      this.find(".slot").focus({ preventScroll: true });
  }

  // A skip link leads to the picture or to the question: to what can be pressed there, else to the part itself.
  reach(name) {
    const place = this.find(name === "picture" ? ".figure" : ".slot");
    const parts = name === "picture" ? '[tabindex="0"], button:enabled, input, select' : "[data-option]:enabled";
    const part = [...place.querySelectorAll(parts)].find(isSeen) ?? place;
    if (part === place) place.tabIndex = -1;
    part.focus();
  }

  // ---------------------------------------------------------------- what is drawn and said

  // In an article the beat stands alone.
  show(answer) {
    const alone = { beats: [{ name: answer.beat, label: "" }], modes: [], map: [], heading: this.data.heading };
    const view = { ...answer, ...(this.data.host === "article" && alone) };
    const { words, kind } = view;
    writeDecimalsWith(words);
    const before = this.view;
    this.view = view;
    if (view.state.bet === TOLD && !this.now.bet) this.told.pass(view.beat); // who sees what lies behind a question
    this.root.dataset.host = this.data.host;
    this.root.dataset.slot = view.slot ?? "";
    this.root.lang = this.data.language;
    this.root.classList.value = `stage lesson of-${kind} at-${view.beat}`;
    if (this.kind !== kind) this.draws(kind);
    this.find(".more").hidden = this.data.host !== "reader";
    this.find(".more").setAttribute("aria-label", words.more);
    if (before?.map?.length !== view.map.length || before.part !== view.part)
      writeMap(this.find(".map"), view.map, view.part, words.map);
    this.find(".question").textContent = view.heading;
    this.find(".undoes").textContent = words.undo;
    this.find(".remote .back").setAttribute("aria-label", words["step-back"]);
    this.find(".remote .on").setAttribute("aria-label", words["step-on"]);
    this.player.write();
    this.writeModes();
    this.bar.write();
    this.chooser.show(view, Boolean(this.data.address) && view.chooses !== false);
    this.tell(view.message);
    this.figure.show(view, Boolean(this.data.address || this.data.paths), Boolean(this.data.address));
    this.showNow(this.now);
    this.trellis?.shown();
    this.look.offerTable();
    writeNotation(this.find(".notation"), { view, address: this.data.address }, (parts) => this.change(parts, true));
  }

  draws(kind) {
    this.kind = kind;
    this.trellis = kind === "trellis" ? new TrellisControls(this) : null;
    this.figure = new this.pictures[kind](this.find(".figure"), this.actions(), this.signal);
  }

  showNow(raw) {
    const now = this.trellis?.folded(raw) ?? raw;
    this.trellis?.completed(now);
    const { words, beat } = this.view;
    const bet = this.asks(now) ? now.bet : null;
    if (now.bet?.revealed) {
      this.answered = beat;
      this.told.settle(beat, now.step, now.bet.number);
    }
    if (this.answers && now.bet?.revealed) this.leadOn();
    this.answers = false;
    if (!now.bet) this.answered = null; // the next step may ask again
    this.figure.showNow(now, this.moves, now.bet && !now.bet.revealed);
    this.find(".line").classList.toggle("lands", Boolean(this.moves && this.trellis)); // its result, with the cell's number
    this.moves = false;
    this.find(".say").replaceChildren(...this.segments(bet ? [] : now.say));
    this.find(".symbols").replaceChildren(...this.segments(bet && !bet.number ? [] : (now.symbols ?? [])));
    this.find(".equation").replaceChildren(...this.segments(bet && !bet.number ? [] : now.equation));
    this.bet.show(bet, words, (list) => this.segments(list));
    this.find(".undo").hidden = !this.undone.length;
    this.speak(now, bet);
    this.player.waits &&= this.player.isAsked;
    this.writePlace();
    tellShown(this);
    this.bar.draw();
    this.ways.write();
    if (this.data.host === "reader") mark(this.view.lesson, beat, now.bet);
  }

  // What is new is announced, in an equation with what each number is.
  speak({ equation }, bet) {
    const told = bet && !bet.number ? [] : equation.map((part) => this.toldPart(part));
    const [thread, say, ask, answer] = [".thread", ".say", ".ask", ".answer"].map(
      (part) => this.find(part).textContent,
    );
    const parts = [thread, say, told.join(""), ...(bet ? [ask, answer] : [])];
    const fresh = parts.filter((part, i) => part && part !== this.announced[i]);
    this.announced = parts;
    if (fresh.length) this.find(".spoken").textContent = fresh.join(" ");
  }

  toldPart(part) {
    const told = NUMBER.test(part.text) && this.view.words[`told-${part.role}`];
    return told ? filledText(told, { n: part.text }) : (part.text ?? part);
  }

  // Where one is, below the buttons: the beat, and its step or what the film waits for.
  writePlace() {
    const { now, view } = this;
    const [name, step] = this.find(".place").children;
    name.textContent = view.beats.find((one) => one.name === view.beat).label;
    const at = now.of - now.first > 1 ? this.numbered(now.step) : "";
    step.textContent = this.player.waits ? view.words["waits-for-bet"] : at;
  }

  // "Step 3 of 20", of those that there are.
  numbered(step) {
    const { first, of } = this.now;
    const steps = Array.from({ length: of - first }, (_, k) => first + k).filter((one) => this.stop(one) === one);
    return filledText(this.view.words.step, { step: steps.filter((one) => one <= step).length, of: steps.length });
  }

  // The first step from one on that the picture has.
  stop(step, by = 1) {
    return this.trellis?.stop(step, by) ?? step;
  }

  // The step to which → or ← leads from one: the next at which the beat stops.
  stopFrom(step, by) {
    const { stops } = this.now;
    const next = by > 0 ? stops?.find((one) => one > step) : stops?.findLast((one) => one < step);
    return this.stop(next ?? step + by, by);
  }

  // Whether the lesson is at its end, with no question open.
  get isOver() {
    const { now, view } = this;
    return view.beats.at(-1).name === view.beat && this.stop(now.step + 1) >= now.of && !this.asks(now);
  }

  get isPresented() {
    return Boolean(this.root.closest("[data-presenting]"));
  }

  // Whether the slot has a bet: until it is settled, and while its answer is read.
  asks({ bet }) {
    return Boolean(bet) && (!bet.revealed || Boolean(bet.answer));
  }

  // A state's bet after the reader has gone on: a question that was answered is not asked again.
  get settled() {
    return this.answered === this.view.beat ? (this.now.bet?.number ? AGAIN : SHOWN) : "";
  }

  betAt(step) {
    return this.settled || this.told.at(this.view.beat, step);
  }

  writeModes() {
    const group = this.find(".modes");
    const { modes, mode, words } = this.view;
    group.setAttribute("aria-label", words.modes);
    group.hidden = modes.length < 2;
    if (group.childElementCount !== modes.length)
      group.replaceChildren(
        ...modes.map(({ name, label }) => html("button", { type: "button", "data-mode": name }, null, label)),
      );
    for (const [i, button] of [...group.children].entries()) {
      button.setAttribute("aria-pressed", String(modes[i].name === mode));
      button.onclick = () => {
        this.player.stop();
        if (modes[i].name !== this.view.mode) this.openMode(modes[i].beat);
      };
    }
  }

  tell(message = "") {
    if (this.find(".message").textContent !== message) this.find(".message").textContent = message;
  }

  segments(list) {
    return list.flatMap((segment) => {
      if (typeof segment === "string") return unbroken(segment);
      const { text, bold, em, role, code, says } = segment;
      const made = says
        ? html("dfn", { tabindex: "0", "data-says": says, "aria-description": says, ...(bold && { class: "bold" }) })
        : html(code ? "code" : em ? "em" : bold || (role && role !== "plain") ? "b" : "span", role && { class: role });
      made.dir = "auto";
      made.append(...unbroken(isolated(text)));
      return made;
    });
  }

  // ---------------------------------------------------------------- what the reader does

  actions() {
    return {
      set: (name, value, resting = true) => this.set(name, value, resting),
      go: (step) => {
        this.player.stop();
        if (!this.view.picture?.forms) this.go(step, !this.trellis?.fills(step)); // a cell is no step there
      },
      open: (beat) => this.begin(beat),
      choose: (changes) => this.choose(changes),
      chooseSentence: () => this.data.address && this.chooser.open(true),
      placed: (at) => this.bet.place(at),
      ...this.trellis?.actions,
    };
  }

  // Change a control: while it moves, ask for the step's part of the picture, and at rest for the whole.
  set(name, value, resting) {
    this.change({ with: withControl(this.view.state.with ?? "", name, String(value)) }, resting);
  }

  // Change parts of the state by a drag or a press; the change can be undone.
  change(parts, resting) {
    this.before ??= Object.fromEntries(Object.keys(parts).map((part) => [part, this.view.state[part] ?? ""]));
    if (resting) {
      this.undone.push(this.before);
      this.before = undefined;
    }
    this.state = { ...this.state, ...parts, bet: this.settled };
    this.ask(resting ? "whole" : "now", this.view.beat, { tables: true });
  }

  undo() {
    this.trellis?.keepBest();
    if (this.undone.length) this.commit({ ...this.undone.pop(), bet: this.settled });
  }

  choose(changes) {
    this.trellis?.forget();
    this.told.forget();
    this.undone = [];
    this.commit({ step: "", path: "", bet: "", ...changes });
  }

  // ---------------------------------------------------------------- steps and beats

  // A beat from its beginning, with its questions.
  begin(beat) {
    this.player.stop();
    if (this.leads(beat)) return;
    this.told.forget(beat);
    this.openBeat(beat);
  }

  openBeat(beat, step = "", column = undefined) {
    if (this.trellis) this.trellis.column = column;
    this.opens();
    this.answered = null;
    this.commit({ step: String(step), bet: this.told.at(beat, step) }, beat);
  }

  // Another mode looks at the same column.
  openMode(beat) {
    this.openBeat(beat, "", this.trellis?.looked);
  }

  // A beat in a state of its own, and what can be undone there.
  present(beat, parts, undone = []) {
    this.player.stop();
    this.trellis?.forget();
    if (this.trellis) this.trellis.column = undefined;
    this.told.forget(beat);
    Object.assign(this, { answered: null, undone, before: undefined, state: parts });
    this.ask("whole", beat);
  }

  // At rest the next step is asked for, so that → draws it in the next frame.
  async tellHost() {
    super.tellHost();
    this.foreseen = undefined;
    const { address, language } = this.data;
    const { bet, step, of } = this.now;
    const next = this.stopFrom(step, 1);
    if (!address || bet || next >= of) return;
    const state = { ...this.state, step: String(next), bet: this.betAt(next) };
    const key = this.keyOf(state);
    const [ok, answer] = await post(address.replace(/[^/]*$/, this.view.beat), {
      state,
      want: "now",
      language,
      ahead: true,
    }).catch(() => [false, {}]);
    if (ok) this.foreseen = { key, answer };
  }

  keyOf(state) {
    return JSON.stringify([this.view.beat, this.data.language, state]);
  }

  // `settles`: whether a question that was answered stays so at this step.
  go(step, settles = true) {
    const { first, of } = this.now;
    const isElsewhere = this.trellis?.cells.length > step && step >= 0 && (step < first || step >= of);
    if (isElsewhere) return this.openBeat(this.view.beat, step); // the server knows the beat that has it
    const to = Math.min(Math.max(step, first), of - 1);
    this.moves = [Number(this.state.step ?? this.now.step), this.now.step].some(
      (from) => to === this.stop(from + 1) || to === this.stopFrom(from, 1),
    );
    this.state = { ...this.state, step: String(to), bet: settles ? this.betAt(to) : "" };
    const isForeseen = this.foreseen?.key === this.keyOf(this.state);
    if (isForeseen && !this.questions.asked)
      this.receive(this.foreseen.answer); // an answer on its way would be drawn after it
    else this.ask(this.now.bet?.number && isOwn(this.state) ? "whole" : "now"); // the next cell's question is in our notation
  }

  // The step on screen, or on its way.
  get at() {
    return this.state.step === undefined || this.state.step === "" ? this.now.step : Number(this.state.step);
  }

  // The reader bets: with the answer, the way on has the focus.
  answer(name) {
    this.commit({ bet: this.now.bet.tried ? AGAIN + name : name });
    this.answers = true;
  }

  leadOn() {
    const on = this.find(".remote .on");
    on.focus({ preventScroll: true });
    on.classList.add("pulses");
  }

  // By a press of ← or →, which ends a film that runs.
  leaf(by) {
    this.player.stop();
    this.step(by);
  }

  step(by, to = this.stopFrom(this.at, by)) {
    if (this.ahead(by)) return;
    const { bet } = this.now;
    if (by > 0 && this.asks(this.now) && !(bet.number && bet.revealed))
      return this.commit({ bet: bet.revealed ? SHOWN : TOLD });
    if (to >= this.now.first && to < this.now.of) return this.go(to);
    this.turn(by, by < 0);
  }

  // The next beat, or the one before, also of a neighbouring lesson: of a lecture, where one is presented. `last`: at its last
  // step.
  turn(by, last = false) {
    if (this.beyond(by)) return;
    const { beats, beat } = this.view;
    const next = beats[beats.findIndex(({ name }) => name === beat) + by];
    if (next) this.openBeat(next.name, last ? String(next.steps[1] - 1) : "");
    else this.ways.follow(by);
  }

  // What the next → shows of this beat; undefined if it leads to the next beat.
  get next() {
    const { words } = this.view;
    const { bet, step, of } = this.now;
    if (this.asks(this.now) && !bet.revealed) return words["next-answer"];
    if (this.asks(this.now) && !bet.number) return words["next-sentence"];
    const next = this.stopFrom(step, 1);
    return next < of ? this.numbered(next) : undefined;
  }

  // The step to which Shift → leads: the last one, or of the trellis the last of this column; if that is complete, of the next.
  get endOfColumn() {
    return Math.min(this.trellis?.complete(1) ?? Infinity, this.now.of - 1);
  }

  // Page Down and Page Up, which a remote sends: it has no Shift, so that in the trellis they lead from column to column.
  page(by) {
    const { first } = this.now;
    const to = this.trellis?.complete(by) ?? this.stopFrom(this.at, by);
    this.step(by, this.trellis && this.at > first ? Math.max(to, first) : to);
  }
}
