// Ways to move: playing, and from column to column.

class Player {
  constructor(stepper) {
    this.stepper = stepper;
    this.timer = null;
  }

  toggle() {
    if (this.timer) this.pause();
    else this.play();
  }

  play() {
    this.pause();
    const { stepper } = this;
    if (stepper.index === stepper.end) stepper.go(0);
    const wait = Number(stepper.find(".speed").value);
    this.timer = setInterval(() => {
      stepper.go(stepper.index + 1, { animate: wait > 300 });
      if (stepper.index === stepper.end) this.pause();
    }, wait);
    this.show(true);
  }

  pause() {
    clearInterval(this.timer);
    this.timer = null;
    this.show(false);
  }

  show(playing) {
    const button = this.stepper.find(".play");
    button.classList.toggle("playing", playing);
    button.setAttribute("aria-label", playing ? "Pause" : "Play");
  }
}

// The first step of the next or previous column (the backtrace counts step by step).
function otherColumn(steps, index, direction) {
  const place = (i) => `${steps[i].k} ${steps[i].c}`;
  let i = index;
  if (direction < 0 && i > 0 && place(i - 1) === place(i)) {
    while (i > 0 && place(i - 1) === place(i)) i--;
    return i;
  }
  const here = place(i);
  while (steps[i + direction] && place(i) === here) i += direction;
  while (direction < 0 && i > 0 && place(i - 1) === place(i)) i--;
  return i;
}
