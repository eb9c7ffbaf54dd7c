// On a screen before a class: zooms the page so that its picture fills the window and nothing is cut off. The class sees the size
// that was found, and none that was tried: the page hides what is being fitted. `crf:turn` is what a presenter's key asks for;
// where no figure has a step to take, a button of the page in a container `turn-next` or `turn-back` is pressed.

const SIZES = Array.from({ length: 34 }, (_, k) => 0.45 * 1.06 ** (33 - k)); // 3.1 to 0.45
const HIGHEST_ROWS = 2.6;
const [ASKED, CIRCLE] = [0.019, 16]; // a question's letters, of the window's width; px of a radio button, which is as large
const SHORT = 7; // letters of a tag that is never shortened
const READABLE = 0.0303; // of the window's height: what the last row can read
// What is tried, the best first. What fills the width it has, as high as that is wide, gets larger when it has less of it, so that
// comes before sizes that the last row cannot read.
const TRIES = [
  ...SIZES.filter((size) => size > 0.8).map((size) => ({ size, width: 100 })),
  ...Array.from({ length: 10 }, (_, k) => ({ size: 0.85, width: 95 - 5 * k })),
  ...SIZES.filter((size) => size <= 0.8).map((size) => ({ size, width: 100 })),
];
const NARROW = TRIES.findIndex(({ width }) => width < 100);
const SMALL = TRIES.findLastIndex(({ width }) => width < 100) + 1;
const LAST = TRIES.length - 1;
const WORDS = "p, li, label, button, td, th, h1, h2, h3, h4";
const ACTS = ["keydown", "pointerdown", "crf:turn", "crf:step"];
const LATE = [1000, 3000]; // ms after fitting, when fonts and figures may still come
const STILL = 3; // looks in a row that find the same
const MOST_TIMES = 3; // of fitting what changes while it is fitted
const LONGEST = 60; // looks: what never stands still is fitted as it is
const ANSWERS = 5000; // ms at most that a pressed button keeps further keys waiting
const pause = (ms) => new Promise((go) => setTimeout(go, ms));
const frame = () => new Promise(requestAnimationFrame);
let fitting = null;

// Components have drawn themselves anew, however busy the machine; where nothing is drawn, no frame comes.
async function drawn() {
  await pause(60);
  await Promise.race([frame().then(frame), pause(300)]);
}

export default {
  render() {
    fitting ??= new Fitting();
  },
};

// After a change: the first try to make, or -1 to leave it. Fitting changes what is fitted, at times late, so for the same content
// it only ever gets smaller: else it would go to and fro for ever.
function firstTry(left, now) {
  const differs = Math.abs(now.tall / left.tall - 1) > 0.15;
  if (now.fits && left.fits && !differs) return -1;
  if (now.content() !== left.content) return 0;
  return now.fits || left.at === LAST ? -1 : left.at + 1;
}

class Fitting {
  constructor() {
    this.acts = 0;
    this.left = { tall: 0 }; // as which it was fitted
    const look = () => this.look();
    new MutationObserver(look).observe(document.body, { childList: true, subtree: true });
    this.observer = new ResizeObserver(look);
    window.addEventListener("resize", () => this.fit());
    for (const act of ACTS) document.addEventListener(act, () => (this.acts += 1), { capture: true });
    document.addEventListener("crf:turn", (event) => this.turn(event));
    window.addEventListener("crf:turn", (event) => this.closeVote(event), { capture: true }); // before any figure
    this.fit();
  }

  get content() {
    return document.querySelector(".st-key-page");
  }

  // Something has changed: fit again, if it does not fit as it was fitted.
  look() {
    const { content } = this;
    if (!content || this.busy) return;
    const isOver = document.documentElement.dataset.alone && !document.querySelector(".st-key-class-question");
    if (content !== this.watched || isOver) return this.fit();
    const first = firstTry(this.left, { fits: this.fits(), tall: this.tall(), content: () => this.what() });
    if (first >= 0) this.fit(first);
  }

  watch() {
    this.watched = this.content;
    this.observer.disconnect();
    if (this.watched) this.observer.observe(this.watched);
  }

  // Nobody has asked for anything since, and yet it is another picture: a part has come late.
  lookAgain() {
    if (!this.content || this.busy || this.acts !== this.left.acts) return;
    if (Math.abs(this.tall() / this.left.tall - 1) > 0.02) this.fit();
  }

  // What the reader sees, less what is drawn anew for each size.
  what() {
    return [this.acts, ...Array.from(this.content.querySelectorAll(WORDS), (part) => part.textContent)].join("\n");
  }

  tall() {
    return this.content.getBoundingClientRect().height;
  }

  room() {
    const style = getComputedStyle(this.content.parentElement);
    return window.innerHeight - parseFloat(style.paddingTop) - parseFloat(style.paddingBottom);
  }

  fits() {
    const parts = Array.from(this.content.querySelectorAll("[data-crf-host]"));
    return this.tall() <= this.room() + 1 && !parts.some(isCut);
  }

  // Once the page has run and what it shows stands still: what is fitted before that has to be fitted again.
  async whole() {
    let [still, before] = [0, ""];
    for (let k = 0; k < LONGEST && still < STILL; k++) {
      const now = this.content && !isRunning() ? this.shape() : "";
      still = now && now === before ? still + 1 : 0;
      before = now;
      await pause(50);
    }
  }

  shape() {
    const parts = Array.from(this.content.querySelectorAll("[data-crf-host]"), ({ shadowRoot }) => shadowRoot);
    return [this.tall(), document.fonts.status, ...parts.map((part) => part?.textContent.length)].join();
  }

  // The best try that fits, from the first one on; asked again meanwhile, from the best of all on.
  async fit(first = 0) {
    this.asked = true;
    if (this.busy) return;
    this.busy = true;
    const { dataset } = document.documentElement;
    dataset.fitting = "1";
    await this.whole();
    this.watch();
    for (let times = 0; this.asked && this.content; first = 0) {
      this.asked = false;
      const before = this.what();
      this.rows(1);
      if (first === 0) delete dataset.alone; // beside its picture
      let { at, fits } = await this.best(first);
      if (at >= NARROW && document.querySelector(".st-key-class-question") && !dataset.alone) { // no room for both
        dataset.alone = "1";
        ({ at, fits } = await this.best(0));
      }
      await this.stretch();
      if (this.content && this.what() !== before && (times += 1) < MOST_TIMES) this.asked = true; // a question came or went meanwhile
      if (this.content) this.left = { at, fits, tall: this.tall(), content: this.what(), acts: this.acts };
    }
    this.busy = false;
    delete dataset.fitting;
    if (this.content) {
      dataset.fitted = "1";
      document.dispatchEvent(new CustomEvent("crf:fitted"));
    }
    setTimeout(() => this.look(), 100);
    for (const wait of LATE) setTimeout(() => this.lookAgain(), wait);
  }

  // The best try that fits, and whether one does.
  async best(first) {
    let at = await this.search(first);
    let fits = await this.show(at);
    while (!fits && at < LAST) { // what it was measured by has been drawn only since
      at = await this.search(at + 1);
      fits = await this.show(at);
    }
    return { at, fits };
  }

  async search(first) {
    let at = await this.halve(first, NARROW);
    while (at >= NARROW && at < SMALL && !(await this.show(at))) at += 1;
    return at < SMALL ? at : await this.halve(at, LAST);
  }

  // The first of these that fits, where each fits that comes after one that does; else `end`.
  async halve(first, end) {
    while (first < end) {
      const middle = Math.floor((first + end) / 2);
      if (await this.show(middle)) end = middle;
      else first = middle + 1;
    }
    return first;
  }

  // Components draw themselves anew for each size, so that is waited for. Returns whether it fits.
  async show(at) {
    if (!this.content) return true;
    const { size, width } = TRIES[at];
    Object.assign(this.content.style, width < 100 ? { width: `${width}%`, marginInline: "auto" } : { width: "", marginInline: "" });
    this.content.style.zoom = size;
    this.content.style.setProperty("--crf-zoom", size);
    this.content.style.setProperty("--crf-radio-zoom", (ASKED * window.innerWidth) / CIRCLE / size);
    document.documentElement.style.setProperty("--crf-least", `${(READABLE * window.innerHeight) / size}px`);
    await drawn();
    return !this.content || this.fits();
  }

  // Where the width sets the size, the height that is left goes to the rows of a trellis, the scores under a path, a flow.
  async stretch() {
    if (!this.content) return;
    const trellis = Array.from(this.content.querySelectorAll("[data-crf-host]"), drawing).find(Boolean);
    if (!trellis) return;
    const before = this.tall();
    const left = 0.96 * (this.room() - before);
    let kept = 1;
    let factor = 1 + left / trellis.getBoundingClientRect().height;
    for (let k = 0; k < 4; k++) { // not all of a trellis is rows, so the first factor is too small
      factor = Math.min(HIGHEST_ROWS, factor);
      if (factor < kept + 0.04) break;
      this.rows(factor);
      await drawn();
      if (this.fits()) {
        kept = factor;
        factor = 1 + ((kept - 1) * left) / Math.max(this.tall() - before, 1);
      } else factor = (kept + factor) / 2;
    }
    this.rows(kept);
    await drawn();
  }

  rows(factor) {
    document.documentElement.style.setProperty("--crf-rows", factor);
    document.dispatchEvent(new CustomEvent("crf:rows"));
  }

  // A vote that is open is closed and shown, one that is shown makes way for the answer, before a figure takes a step.
  closeVote(event) {
    const button = event.detail > 0 && document.querySelector('.st-key-class-question [class*="st-key-turn-next"] button');
    if (!button) return;
    event.preventDefault();
    event.stopPropagation();
    this.press(button);
  }

  // Press a button of the page. Until its answer is there it stands for no second key: whoever asks waits for `crf:turned`.
  async press(button) {
    const { dataset } = document.documentElement;
    const label = button.textContent;
    const place = button.closest('[class*="st-key-turn-"]')?.className;
    const isThere = () => button.isConnected && button.textContent === label && button.closest('[class*="st-key-turn-"]')?.className === place;
    const end = Date.now() + ANSWERS;
    dataset.turning = "1";
    button.click();
    while ((isThere() || isRunning()) && Date.now() < end) await pause(20);
    delete dataset.turning;
    document.dispatchEvent(new CustomEvent("crf:turned"));
  }

  turn(event) {
    if (event.defaultPrevented) return;
    const name = event.detail > 0 ? "next" : "back";
    const buttons = document.querySelectorAll(`[class*="st-key-turn-${name}"] button:not(:disabled)`);
    const button = Array.from(buttons).find((one) => one.checkVisibility()); // not of a picture that is not on screen
    if (!button) return;
    event.preventDefault();
    this.press(button);
  }
}

function isRunning() {
  return (document.querySelector(".stApp")?.dataset.testScriptState ?? "notRunning") !== "notRunning";
}

// What a component draws as high as it is told, if it can be seen: a trellis, the scores under a path, a flow.
function drawing(host) {
  const svg = host.shadowRoot?.querySelector(".stepper .scroll > svg:last-child, .picker svg.fall, .flow .stage svg");
  return svg?.checkVisibility() ? svg : null;
}

// Whether a component's picture, or a short tag in one of its cells, is wider than its place.
function isCut(host) {
  const tags = Array.from(host.shadowRoot?.querySelectorAll(".cell .tag") ?? []);
  const short = tags.filter((tag) => tag.textContent.length <= SHORT && tag.clientWidth > 1); // the others are only spoken
  const parts = [host.shadowRoot?.querySelector(".scroll"), ...short].filter((part) => part?.checkVisibility());
  return parts.some((part) => part.scrollWidth - part.clientWidth > 2);
}
