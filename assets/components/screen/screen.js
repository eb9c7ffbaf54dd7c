// On a screen before a class: zooms the page so that its picture fills the window and nothing is cut off. `crf:turn` is what a
// presenter's key asks for; where no figure has a step to take, a button of the page in a container `turn-next` is pressed.

const SIZES = Array.from({ length: 34 }, (_, k) => 0.45 * 1.06 ** k); // 0.45 to 3.1
const SMALLEST = SIZES.findIndex((size) => size > 0.85); // for the last row
const HIGHEST_ROWS = 1.9;
const pause = (ms) => new Promise((go) => setTimeout(go, ms));
let fitting = null;

export default function () {
  fitting ??= new Fitting();
}

class Fitting {
  constructor() {
    const look = () => this.look();
    new MutationObserver(look).observe(document.body, { childList: true, subtree: true });
    this.observer = new ResizeObserver(look);
    window.addEventListener("resize", () => this.fit());
    document.addEventListener("crf:turn", (event) => this.turn(event));
    this.fit();
    for (const wait of [1000, 3000]) setTimeout(() => this.fit(), wait); // when fonts and figures have come
  }

  get content() {
    return document.querySelector("[data-testid=stMainBlockContainer]")?.firstElementChild;
  }

  // Something has changed: fit again, if it does not fit as it was fitted.
  look() {
    const { content } = this;
    if (!content || this.busy) return;
    if (content !== this.watched) {
      this.observer.disconnect();
      this.observer.observe(content);
      this.watched = content;
      this.fit();
    } else if (!this.fits() || Math.abs(this.tall() / this.settled - 1) > 0.15) this.fit();
  }

  tall() {
    return this.content.getBoundingClientRect().height;
  }

  room() {
    const style = getComputedStyle(this.content.parentElement);
    return window.innerHeight - parseFloat(style.paddingTop) - parseFloat(style.paddingBottom);
  }

  fits() {
    const parts = Array.from(this.content.querySelectorAll("[data-testid=stBidiComponentIsolated]"));
    return this.tall() <= this.room() + 1 && parts.every((part) => overflow(part) <= 2);
  }

  // The largest size at which it fits; components draw themselves anew for each, so each is waited for.
  async fit() {
    this.asked = true;
    if (this.busy) return;
    this.busy = true;
    while (this.asked && this.content) {
      this.asked = false;
      this.rows(1);
      this.content.style.width = "";
      let [low, high] = [0, SIZES.length - 1];
      while (low < high) {
        const middle = Math.ceil((low + high) / 2);
        await this.zoom(middle);
        if (this.fits()) low = middle;
        else high = middle - 1;
      }
      await this.zoom(low);
      await this.narrow(low);
      await this.stretch();
      this.settled = this.tall();
    }
    this.busy = false;
    document.documentElement.dataset.fitted = "1";
    setTimeout(() => this.look(), 100);
  }

  // What fills the width it has, as high as that is wide, gets larger when it has less of it.
  async narrow(k) {
    const { content } = this;
    for (let width = 95; (!this.fits() || SIZES[k] < 0.8) && width >= 50; width -= 5) {
      content.style.width = `${width}%`;
      content.style.marginInline = "auto";
      await this.zoom(SMALLEST);
      if (this.fits()) return;
    }
  }

  async zoom(k) {
    if (!this.content) return;
    this.content.style.zoom = SIZES[k];
    await pause(60);
  }

  // Where the width sets the size, the height that is left goes to the rows of a trellis.
  async stretch() {
    const trellis = Array.from(this.content.querySelectorAll("[data-testid=stBidiComponentIsolated]"), drawing).find(Boolean);
    if (!trellis) return;
    const factor = Math.min(HIGHEST_ROWS, 1 + (0.96 * (this.room() - this.tall())) / trellis.getBoundingClientRect().height);
    if (factor < 1.04) return;
    this.rows(factor);
    await pause(60);
    if (!this.fits()) this.rows(1);
  }

  rows(factor) {
    document.documentElement.style.setProperty("--crf-rows", factor);
    document.dispatchEvent(new CustomEvent("crf:rows"));
  }

  turn(event) {
    if (event.defaultPrevented) return;
    const name = event.detail > 0 ? "next" : "back";
    const button = document.querySelector(`[class*="st-key-turn-${name}"] button:not(:disabled)`);
    if (!button) return;
    event.preventDefault();
    button.click();
  }
}

// The trellis of a component, if it is one and can be seen.
function drawing(host) {
  const svg = host.shadowRoot?.querySelector(".stepper .scroll > svg:last-child");
  return svg?.checkVisibility() ? svg : null;
}

// By how many pixels a component's picture is wider than its place.
function overflow(host) {
  const scroll = host.shadowRoot?.querySelector(".scroll");
  return scroll?.checkVisibility() ? scroll.scrollWidth - scroll.clientWidth : 0;
}
