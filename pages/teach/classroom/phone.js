// A phone's page: the stage shows what the lecturer presents, and nobody asks /draw while it follows. A question is answered
// by a vote; where the class fills a column together, the phone has one of its cells. Who looks round has the stage alone.

import { fill, filledText, html } from "../../../crf/figures/shared/dom.js";
import { number, plain, signed } from "../../../crf/figures/trellis/numbers.js";
import { PICTURES } from "../../pictures.js";
import { get, post } from "../../shared/ui/stage/ask.js";
import { NOBODY, stageOf } from "../../shared/ui/stage/stage_of.js";
import { recall, remember } from "../../shared/ui/stage/keeping.js";
import { drawCell, waysInto } from "./cell.js";

const VOTES = "crf.votes"; // in sessionStorage: question → answer
const [AGAIN, EARLY] = [1000, 429]; // ms until an unconfirmed answer is sent again; the status of an answer that comes too soon
const SKELETON = `
<div class="phone" data-phone>
  <p class="waits"></p>
  <div class="shows"></div>
  <section class="task" data-question hidden>
    <p class="task-words"></p>
    <p class="task-asks"></p>
    <svg class="way-cell" role="group"></svg>
    <p class="task-hint"></p>
    <form><input inputmode="text" autocomplete="off" maxlength="60" data-option="number"><button></button></form>
  </section>
  <footer><p class="told" role="status"></p><p class="count"></p><button class="look" type="button" hidden></button></footer>
</div>`;

class Phone {
  follows = true;
  told = ""; // the message about the last answer
  /** @type {any} */ event;
  /** @type {any} */ stage;
  /** @type {any} */ picture;
  words;
  language;
  base;
  place; // the page's data
  kind;
  ends;
  source;
  sending;
  typedFor;

  constructor(el, data) {
    Object.assign(this, data);
    this.root = fill(el, SKELETON);
    this.find = (part) => this.root.querySelector(part);
    this.find(".waits").textContent = this.words["phone.waits"];
    this.find(".task form button").textContent = this.words["phone.send"];
    this.find(".task form").onsubmit = (submitted) => {
      submitted.preventDefault();
      if (this.find(".task input").value.trim()) this.vote(this.find(".task input").value.trim());
    };
    this.find("footer .look").onclick = () => (this.follows ? this.lookRound() : this.follow());
    this.votes = recall("sessionStorage", VOTES) ?? {};
    this.listen();
  }

  // ---------------------------------------------------------------- what the server says

  listen() {
    this.source = new EventSource(`${this.base}class/news`);
    this.source.onmessage = ({ data }) => this.hear(JSON.parse(data));
    this.source.addEventListener("count", ({ data }) => this.count(JSON.parse(data)));
    this.source.addEventListener("emptied", () => location.assign(`${this.base}join?emptied=1`));
    this.source.addEventListener("moved", () => this.source.close());
    this.source.onopen = () => this.root.classList.remove("lost");
    this.source.onerror = () => {
      this.root.classList.add("lost");
      this.write();
      if (this.source.readyState === EventSource.CLOSED) setTimeout(() => this.listen(), AGAIN);
    };
  }

  // The newest event counts; its picture is fetched once.
  async hear(event) {
    const asksAnew = event.question !== this.event?.question;
    this.event = event;
    if (asksAnew || event.phase === "over") this.told = "";
    if (event.picture && event.picture !== this.picture?.name) {
      const [ok, view] = await get(`${this.base}class/picture/${event.picture}`).catch(() => [false, null]);
      if (this.event !== event) return;
      if (!ok) return setTimeout(() => this.event === event && this.hear(event), AGAIN);
      this.picture = { name: event.picture, view };
    }
    if (this.follows) this.show();
    this.write();
  }

  count({ voted, of }) {
    this.find("footer .count").textContent =
      this.event?.phase === "open" && this.follows ? filledText(this.words["phone.voted"], { voted, of }) : "";
  }

  // ---------------------------------------------------------------- what is shown

  show() {
    const { now, of_step: step = {}, picture, task, phase } = this.event;
    this.find(".waits").hidden = true;
    if (picture) this.showPicture(now, step);
    else if (this.isOn(this.event)) this.stage.showNow(this.marked(now));
    else return;
    const asks = Boolean(task) && phase !== "over";
    this.find(".shows").hidden = asks;
    this.find(".task").hidden = !asks;
    if (asks) this.showTask();
  }

  isOn({ lesson, beat }) {
    return this.stage?.view.lesson === lesson && this.stage.view.beat === beat;
  }

  showPicture(now, step) {
    const view = { ...structuredClone(this.picture.view), ...step };
    const before = this.isOn(view) ? figureOf(this.stage.view).now.step : null;
    figureOf(view).now = this.marked(now);
    if (this.kind !== view.kind) this.makeStage(view.kind);
    this.stage.moves = before !== null && now.step === before + 1;
    this.stage.load({ ...this.data, address: "", view });
    this.stage.step = () => this.lookRound();
  }

  get data() {
    return {
      language: this.language,
      opens: false,
      host: "lecture",
      door: "",
      order: 0,
      set: {},
      links: {},
      address: "",
    };
  }

  makeStage(kind) {
    this.ends?.abort();
    this.ends = new AbortController();
    this.kind = kind;
    this.stage = stageOf(kind, PICTURES, this.find(".shows"), NOBODY, this.ends.signal);
    if (this.stage.bet)
      this.stage.bet.places = (name) => (this.follows ? this.vote(name) : this.stage.commit({ bet: name }));
  }

  // The student's own answer is marked, and judged once the right one is there.
  marked(now) {
    const { bet } = now;
    const mine = this.votes[this.event.question];
    if (!bet || mine === undefined) return now;
    const { answers = {} } = bet;
    if (!bet.revealed) bet.chosen = mine;
    else if (answers[mine]) Object.assign(bet, { chosen: mine, answer: answers[mine] });
    return now;
  }

  // ---------------------------------------------------------------- one cell of a column

  get cell() {
    const { cells } = this.event.task;
    return cells[this.place % cells.length];
  }

  showTask() {
    const { task, phase, question, now } = this.event;
    const picture = figureOf(this.stage.view);
    const [t, s] = this.cell;
    const isNumber = task.kind === "number";
    const written = waysInto(picture, this.cell, isNumber ? 2 : 1);
    const mine = this.votes[question];
    const sentence = picture.tokens.map(({ text }, at) => html(at === t ? "b" : "span", { dir: "auto" }, null, text));
    this.find(".task-words").replaceChildren(...sentence.flatMap((word) => [word, " "]));
    const [before, after] = this.words[`cell.${task.kind}`].split("{cell}");
    const cell = html("b", { dir: "auto" }, null, `${picture.tokens[t].text}, ${picture.tags[s].name}`);
    this.find(".task-asks").replaceChildren(before, cell, after);
    const choose = phase === "open" ? (tag) => this.vote(`t${tag}`) : () => {};
    drawCell(
      this.find(".way-cell"),
      written,
      isNumber ? (mine ?? "?") : "",
      isNumber ? {} : { choose, kept: Number((mine ?? "t-1").slice(1)) },
    );
    this.find(".task-hint").textContent = filledText(this.words[`cell.${isNumber ? (t ? "add" : "first") : "max"}`], {
      score: signed(written.score),
    });
    this.find(".task form").hidden = !isNumber;
    for (const part of this.find(".task form").children) part.disabled = phase !== "open";
    this.find(".task input").setAttribute("aria-label", this.find(".task-asks").textContent);
    if (this.typedFor !== question) this.find(".task input").value = mine ?? "";
    this.typedFor = question;
    if (phase !== "open" && now) this.told = this.words["phone.named"];
  }

  // ---------------------------------------------------------------- an answer

  // An unconfirmed answer is sent again, also after a server was killed and restarted.
  async vote(answer) {
    const { question } = this.event;
    const before = this.votes[question];
    const sent = { question, answer };
    this.sending = sent;
    this.keep(question, answer, this.words["phone.sending"]);
    while (this.sending === sent && this.event.question === question) {
      const [ok, said, status] = await post(`${this.base}class/vote`, sent).catch(() => [false, {}, 0]);
      if (this.sending !== sent) return;
      if (status && status !== EARLY && status < 500) return this.keep(question, ok ? answer : before, said.message);
      await new Promise((done) => setTimeout(done, AGAIN));
    }
  }

  keep(question, answer, message) {
    if (answer === undefined) delete this.votes[question];
    else this.votes[question] = answer;
    remember("sessionStorage", VOTES, this.votes);
    this.told = message;
    if (this.follows && this.event.question === question) this.show();
    this.write();
  }

  // ---------------------------------------------------------------- following

  lookRound() {
    if (!this.stage) return;
    this.follows = false;
    const { lesson, beat } = this.stage.view;
    delete this.stage.step;
    this.stage.data = { ...this.data, address: `${this.base}draw/${lesson}/${beat}` };
    this.stage.show(this.stage.view);
    this.find(".shows").hidden = false;
    this.find(".task").hidden = true;
    this.write();
  }

  follow() {
    this.follows = true;
    this.show();
    this.write();
  }

  write() {
    const { words, event, follows } = this;
    this.root.classList.toggle("follows", follows);
    const look = this.find("footer .look");
    look.hidden = !this.stage;
    look.textContent = words[follows ? "phone.look" : "phone.follow"];
    const label = this.picture?.view.beats?.find(({ name }) => name === event?.beat)?.label ?? event?.beat ?? "";
    const says = !follows
      ? filledText(words["phone.looks"], { beat: label })
      : event?.phase === "over" && event.task
        ? this.judged()
        : this.told;
    this.find("footer .told").textContent = this.root.classList.contains("lost") ? words["phone.lost"] : says;
    if (!follows || event?.phase !== "open") this.find("footer .count").textContent = "";
  }

  // The student's number beside the right one.
  judged() {
    const { question, task } = this.event;
    if (task.kind !== "number") return "";
    const [t, s] = this.cell;
    const value = plain(number(figureOf(this.stage.view).values[t][s]), 2);
    const answer = this.votes[question];
    return filledText(this.words[answer === undefined ? "cell.none" : "cell.yours"], { answer, value });
  }
}

// The part of a view from which the picture is drawn.
const figureOf = (view) => view.picture ?? view[view.kind];

new Phone(document.querySelector(".crf-figure"), JSON.parse(document.getElementById("beat").textContent));
