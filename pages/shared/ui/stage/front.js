// The front page: examples, words, flow, the sentence about it, and the pad.

import { writeDecimalsWith } from "../../../../crf/figures/shared/decimal.js";
import { fill, html } from "../../../../crf/figures/shared/dom.js";
import { Exchange, showWhenThere } from "./exchange.js";
import { FlowFigure } from "./flow.js";
import { calm, isFirst, play } from "./opening.js";
import { Pad } from "./pad.js";
import { tellShown } from "./shown.js";

const NEAR = 0.006; // the most that rounding to two decimals moves the dot
const SKELETON = `
<section class="stage">
  <div class="prompt"><p class="examples"></p><nav><a class="course"></a></nav>
  <button class="more" type="button" aria-expanded="false"><span aria-hidden="true">•••</span></button></div>
  <div class="figure"></div>
  <div class="band">
    <p class="message" role="alert"></p>
    <p class="say"></p>
    <p class="detail"></p>
    <p class="onward"><a class="way main"></a><a class="way"></a><button class="skip" type="button" hidden></button></p>
    <div class="pad" data-figure="pad"></div>
  </div>
  <p class="spoken" role="status" aria-live="polite"></p>
</section>`;

export class FrontPage extends Exchange {
  figure;
  sentence;
  opening;
  stopOpening;

  constructor(el, model, signal) {
    super(fill(el, SKELETON), model, signal);
    this.figure = new FlowFigure(
      this.find(".figure"),
      {
        commit: (changes) => this.commit(changes),
        typing: (isTyping) => this.tell(isTyping ? this.view.words.enter : this.view.message),
        nothing: () => this.tell(this.view.words["no-word"]),
        done: () => this.pad.dot.focus({ preventScroll: true }),
      },
      signal,
    );
    for (const link of this.root.querySelectorAll(".way")) link.onclick = (event) => this.leave(event, link);
    this.pad = new Pad(this.find(".pad"), { moved: (...at) => this.moved(...at), rests: () => this.rest() });
    this.find(".more").onclick = ({ currentTarget }) => {
      const open = currentTarget.getAttribute("aria-expanded") !== "true";
      currentTarget.setAttribute("aria-expanded", open);
      this.report("more", open);
      if (open) showWhenThere(".st-key-more");
    };
    for (const event of ["keydown", "click"])
      document.addEventListener(event, () => this.endOpening(), { capture: true, signal });
    signal.addEventListener("abort", () => this.stopOpening?.());
  }

  open(view) {
    const { host, language, opens } = this.data;
    this.root.dataset.host = host;
    this.root.lang = language;
    this.find(".more").hidden = host !== "reader";
    super.open(view);
    if (opens && view.flow.grid && isFirst()) this.beginOpening();
  }

  // ---------------------------------------------------------------- what is asked and answered

  commit(changes) {
    this.endOpening();
    this.pad.from = null;
    super.commit(changes);
  }

  // The beat in a state of its own.
  present(_beat, parts) {
    this.state = parts;
    this.ask("whole");
  }

  receive(answer) {
    const { now } = answer;
    if (now && Math.hypot(now.lambda - this.pad.lambda, now.tau - this.pad.tau) > NEAR)
      this.wait(false); // the dot has gone on
    else super.receive(answer);
  }

  // A sentence that was typed and not yet read is read first; then the link leads on with it.
  async leave(event, link) {
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
    this.figure.rest();
  }

  writeAddress() {
    super.writeAddress();
    this.writeLinks();
  }

  // ---------------------------------------------------------------- what is drawn and said

  show(view) {
    Object.assign(this, { view, state: view.state });
    const { words, flow, message } = view;
    writeDecimalsWith(words);
    this.pad.name(words);
    this.writePrompt(view);
    this.writeLinks();
    this.find(".skip").textContent = words.skip;
    this.find(".more").setAttribute("aria-label", words.more);
    this.figure.show(view, Boolean(this.data.address));
    this.find(".pad").inert = !flow.grid;
    this.tell(message);
    if (flow.grid) this.showNow();
    else this.say({ say: [], detail: [] });
  }

  showNow(now = this.view.flow.now) {
    this.view.flow.now = now;
    this.figure.showNow(now);
    this.pad.put(now.lambda, now.tau);
    this.say(now);
    this.find(".spoken").textContent = [this.find(".say"), this.find(".detail .long")]
      .map((part) => part.textContent)
      .join(" ");
    tellShown(this);
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
      html("button", { type: "button" }, prompt, label).onclick = () => this.commit(pick().set);
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
    const write = (el, segments) => el.replaceChildren(...segments.map((segment) => this.segment(segment)));
    write(this.find(".say"), sentence.say);
    const detail = this.find(".detail");
    this.twoLengths(detail, "", "");
    write(detail.firstChild, sentence.detail);
    write(detail.lastChild, sentence.brief ?? sentence.detail);
  }

  segment(segment) {
    if (typeof segment === "string") return document.createTextNode(segment);
    const { text, tag, bold, em } = segment;
    const made = html(em ? "em" : tag !== undefined || bold ? "b" : "span", { dir: "auto" }, null, text);
    const colour = this.view.flow.tags[tag]?.colour;
    if (colour) made.style.setProperty("--c", colour);
    made.classList.toggle("tagged", Boolean(colour));
    return made;
  }

  // ---------------------------------------------------------------- the dot

  moved(lambda, tau) {
    this.endOpening(false);
    this.say(this.figure.showAt(lambda, tau));
  }

  rest() {
    const { lambda, tau } = this.pad;
    this.state = { ...this.state, lambda: String(lambda), tau: String(tau) };
    this.figure.rest();
    this.find(".spoken").textContent = this.find(".say").textContent;
    this.ask("now");
  }

  // ---------------------------------------------------------------- the opening

  beginOpening() {
    this.root.classList.add(calm() ? "twice" : "opens");
    this.opening = true;
    if (calm()) return this.figure.showTwice();
    this.find(".skip").hidden = false;
    const frame = (lambda) => {
      this.pad.put(lambda, 1, [0, 1]);
      this.say(this.figure.showAt(lambda, 1));
    };
    frame(0);
    this.stopOpening = play(frame, () => this.endOpening());
  }

  // The dot goes to where the state has it, unless the reader holds it.
  endOpening(goes = true) {
    if (!this.opening) return;
    this.opening = false;
    this.stopOpening?.();
    this.root.classList.remove("twice", "opens");
    this.figure.showOnce();
    this.find(".skip").hidden = true;
    if (goes) this.showNow();
  }
}
