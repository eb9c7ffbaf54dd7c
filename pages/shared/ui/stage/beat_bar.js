// The bar of beats: a name leads to its beat. A thumb stands at the step on screen, and dragging it plays the film forwards and
// back through the steps of all beats. What it passes is told.

import { html } from "../../../../crf/figures/shared/dom.js";

const SLACK = 4; // px until a press is a drag
const MANY = 1000; // steps of a beat above which the thumb moves by columns

export class BeatBar {
  lesson;
  bar;
  thumb;
  from; // where a press began
  passed; // the first beat of those that the thumb passes in this drag
  drags = false;
  dropped = -Infinity; // when the last drag ended
  place; // the beat and the step under the thumb
  frame; // in which the thumb is placed

  constructor(lesson) {
    Object.assign(this, { lesson, bar: lesson.find(".beats"), thumb: lesson.find(".thumb") });
    this.bar.addEventListener("pointerdown", (event) => event.button === 0 && (this.from = event.clientX));
    this.bar.addEventListener("pointermove", (event) => this.move(event));
    for (const end of ["pointerup", "pointercancel"]) this.bar.addEventListener(end, () => this.end());
    this.bar.addEventListener("click", (event) => this.swallow(event), true);
    const watch = new ResizeObserver(() => this.draw());
    watch.observe(this.bar);
    lesson.signal.addEventListener("abort", () => watch.disconnect());
  }

  write() {
    const { beats, beat, words } = this.lesson.view;
    const { bar } = this;
    bar.setAttribute("aria-label", words.beats);
    bar.hidden = this.thumb.hidden = beats.length < 2;
    if (bar.childElementCount !== beats.length)
      bar.replaceChildren(
        ...beats.map(({ name, label, mode }, i) =>
          html(
            "button",
            { type: "button", "data-beat": name, class: mode !== beats[i + 1]?.mode ? "last" : "" },
            null,
            label,
          ),
        ),
      );
    const current = beats.findIndex(({ name }) => name === beat);
    for (const [i, button] of [...bar.children].entries()) {
      button.classList.toggle("done", i < current);
      if (i === current) button.setAttribute("aria-current", "step");
      else button.removeAttribute("aria-current");
      button.onclick = () => this.lesson.begin(beats[i].name);
    }
  }

  // The thumb at the step on screen, unless it is being dragged.
  draw() {
    const { view } = this.lesson;
    const button = this.bar.querySelector("[aria-current]");
    if (!view || !button || this.drags) return;
    const { step, first, of } = this.lesson.now;
    const share = (step - first + 0.5) / (of - first);
    button.style.setProperty("--at", `${100 * share}%`);
    cancelAnimationFrame(this.frame);
    // Measured, in the foot, once all is drawn: so the picture is laid out once.
    this.frame = requestAnimationFrame(() => {
      if (!this.drags) this.thumb.style.left = `${button.offsetLeft + share * button.offsetWidth}px`;
    });
  }

  move(event) {
    if (this.from === undefined) return;
    if (!this.drags && Math.abs(event.clientX - this.from) < SLACK) return;
    if (!this.drags) {
      this.drags = true;
      this.passed = Infinity;
      event.currentTarget.setPointerCapture(event.pointerId);
      this.lesson.player.stop();
    }
    const bar = this.bar.getBoundingClientRect();
    const x = Math.min(Math.max(event.clientX, bar.left), bar.right);
    this.thumb.style.left = `${this.bar.offsetLeft + x - bar.left}px`;
    const [beat, step] = this.under(x);
    if (this.place === `${beat} ${step}`) return;
    this.place = `${beat} ${step}`;
    this.scrub(beat, step);
  }

  // The beat and the step at a place of the bar.
  under(x) {
    const { now, view } = this.lesson;
    const { beats, beat, picture } = view;
    const buttons = [...this.bar.children];
    const i = Math.max(
      buttons.findLastIndex((one) => one.getBoundingClientRect().left <= x),
      0,
    );
    const { left, width } = buttons[i].getBoundingClientRect();
    const [first, of] = beats[i].name === beat ? [now.first, now.of] : beats[i].steps;
    const step = first + Math.floor(Math.min(Math.max((x - left) / width, 0), 0.9999) * (of - first));
    const columns = of - first > MANY ? picture.tags?.length : 1;
    return [i, Math.min(step - (step % columns) + columns - 1, of - 1)];
  }

  // The beats that the thumb has passed are told, and so is its own behind the first step.
  scrub(i, step) {
    const { lesson } = this;
    const { beats, beat } = lesson.view;
    const { name, steps } = beats[i];
    this.passed = Math.min(
      this.passed,
      beats.findIndex(({ name }) => name === beat),
      i,
    );
    for (const one of beats.slice(this.passed, i)) lesson.told.pass(one.name);
    if (step > steps[0]) lesson.told.pass(name);
    if (name === beat) return lesson.go(lesson.stop(step));
    if (!lesson.leads(name)) lesson.openBeat(name, step);
  }

  end() {
    this.from = this.place = undefined;
    if (!this.drags) return;
    this.dropped = performance.now();
    this.drags = false;
    this.draw();
  }

  // The click that ends a drag opens no beat.
  swallow(event) {
    if (performance.now() - this.dropped < 100) event.stopPropagation();
  }
}
