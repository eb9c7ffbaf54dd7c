// Ways to move: playing, and from column to column.

const LEAST = 700; // ms that a step stays on screen when played at a reader's pace
const LETTER = 26; // ms to read one

export class Player {
  constructor(stepper) {
    this.stepper = stepper;
    this.timer = null;
    this.careful = true; // pauses at a surprise
  }

  toggle() {
    if (this.timer) this.pause();
    else this.play();
  }

  stops() {
    this.careful = !this.careful;
    this.stepper.find("[data-do=stopAtSurprises]").setAttribute("aria-pressed", this.careful);
  }

  play() {
    const { stepper } = this;
    if (stepper.index === stepper.end) stepper.go(0);
    this.show(true);
    this.wait();
  }

  // As long as the caption takes to read, times what was chosen.
  wait() {
    const { stepper } = this;
    const pace = Number(stepper.find(".speed").value);
    const { say } = stepper.steps[stepper.index];
    this.timer = setTimeout(
      () => {
        stepper.go(stepper.index + 1, { animate: pace >= 1 });
        const surprised = this.careful && stepper.mode.changes.includes(stepper.index);
        if (stepper.index === stepper.end || surprised) this.pause();
        else this.wait();
      },
      pace * Math.max(LEAST, LETTER * say.length),
    );
  }

  pause() {
    clearTimeout(this.timer);
    this.timer = null;
    this.show(false);
  }

  show(playing) {
    const button = this.stepper.find(".play");
    button.classList.toggle("playing", playing);
    const { words } = this.stepper.data ?? {};
    if (words) button.setAttribute("aria-label", playing ? words.pause : words.play);
  }
}

// The first step of the next or previous column (the backtrace counts step by step); at the ends the last or first step.
export function otherColumn(steps, index, direction) {
  const place = (i) => `${steps[i].kind} ${steps[i].column}`;
  const firsts = [...steps.keys()].filter((i) => i === 0 || place(i) !== place(i - 1));
  if (direction < 0) return firsts.filter((i) => i < index).at(-1) ?? 0;
  return firsts.find((i) => i > index) ?? steps.length - 1;
}
