// State and controls. Python sends a trace once, gzipped after a serial number; the browser owns the step from then on
// and reports it, debounced, as the state value `step`.

const instances = new WeakMap(); // parentElement -> instance, so that a rerun rebuilds nothing
const REPORT_AFTER = 250; // ms without a further step

const same = (a, b) => a?.length === b.length && a.every((byte, i) => byte === b[i]);
const serial = (bytes) => new DataView(bytes.buffer, bytes.byteOffset).getFloat64(0, true);
const decode = (bytes) => new Response(new Blob([bytes.subarray(8)]).stream().pipeThrough(new DecompressionStream("gzip"))).json();

export default function (component) {
  const { data, parentElement, setStateValue } = component;
  const stepper = instances.get(parentElement) ?? new Stepper(parentElement.querySelector(".stepper"));
  instances.set(parentElement, stepper);
  stepper.report = (step) => setStateValue("step", step);
  const isOlder = data && stepper.bytes && serial(data) < serial(stepper.bytes); // may arrive late
  if (data && !isOlder && !same(stepper.bytes, data)) {
    stepper.bytes = data;
    decode(data).then((trace) => stepper.bytes === data && stepper.load(trace));
  }
  return () => stepper.stop();
}

// A step that needs as much room as any: the longest first line, second line and note of all.
function tallest(steps) {
  const longer = (a, b) => (JSON.stringify(b ?? "").length > JSON.stringify(a ?? "").length ? b : a);
  const all = (part) => steps.map(part).reduce(longer);
  return { eq: [all((step) => step.eq[0]), all((step) => step.eq[1]) ?? []], note: all((step) => step.note) };
}

class Stepper {
  constructor(root) {
    this.root = root;
    this.find = (selector) => root.querySelector(selector);
    this.scroll = this.find(".scroll");
    this.scrub = this.find(".scrub");
    this.hidden = new Set(); // names of paths that the reader has switched off
    this.calm = matchMedia("(prefers-reduced-motion: reduce)");
    this.actions = {
      first: () => this.go(0),
      last: () => this.go(this.end),
      previous: () => this.go(this.index - 1),
      next: () => this.go(this.index + 1),
      columnBack: () => this.go(this.otherColumn(-1)),
      columnOn: () => this.go(this.otherColumn(1)),
      play: () => (this.timer ? this.pause() : this.play()),
    };
    for (const button of root.querySelectorAll("[data-do]")) button.onclick = () => this.act(button.dataset.do);
    this.scrub.oninput = () => this.act("scrub");
    this.find(".speed").onchange = () => this.timer && this.play();
    root.onkeydown = (event) => this.key(event);
    this.scroll.onclick = (event) => this.jump(event);
    this.scroll.onpointerover = (event) => event.pointerType === "mouse" && this.peek(event);
    this.scroll.onpointerleave = () => this.peek(null);
    this.find(".terms").onpointerover = (event) => this.trellis?.stress(event.target.closest("tr")?.dataset.from ?? null);
    this.find(".terms").onpointerleave = () => this.trellis?.stress(null);
    this.observer = new ResizeObserver(() => this.data && this.fit());
    this.observer.observe(this.scroll);
  }

  load(data) {
    this.pause();
    const kept = this.data?.initial === data.initial && JSON.stringify(this.data.steps) === JSON.stringify(data.steps);
    const start = kept ? this.index : data.initial;
    this.data = data;
    this.end = data.steps.length - 1;
    this.root.setAttribute("aria-label", data.title);
    this.scroll.setAttribute("aria-label", `${data.title}. Arrow keys step, Space plays.`);
    this.scrub.max = this.end;
    const longest = data.steps.reduce((a, b) => (b.say.length > a.say.length ? b : a));
    this.find(".say .ghost").textContent = longest.say;
    writeEquation(this.find(".equation .ghost"), tallest(data.steps), data);
    this.find(".panel").style.setProperty("--rows", Math.max(...data.steps.map((step) => step.terms.length)));
    writeMatrix(this.find(".matrix"), data);
    writeTable(this.find(".behind table"), data);
    this.draw();
    writeLegend(this.find(".legend"), data, this.hidden, (i, on) => this.showPath(i, on));
    this.index = -1;
    this.go(start, { animate: false, report: false });
  }

  draw() {
    this.trellis = buildTrellis(this.scroll, this.data, this.scroll.clientWidth);
    this.data.paths.forEach((path, i) => this.showPath(i, !this.hidden.has(path.name)));
    this.peeking = null;
  }

  showPath(i, on) {
    const { name } = this.data.paths[i];
    if (on) this.hidden.delete(name);
    else this.hidden.add(name);
    for (const layer of this.trellis.overlays[i]) layer.classList.toggle("off", !on);
  }

  // The room has changed: draw again only if the columns would stand differently.
  fit() {
    const room = this.scroll.clientWidth;
    this.trellis.resize(room);
    if (layout(this.data, room).pitch === this.trellis.pitch) return;
    this.draw();
    this.trellis.show(this.index, false);
  }

  act(name) {
    if (!this.data) return;
    if (name !== "play") this.pause();
    if (name === "scrub") this.go(Number(this.scrub.value), { animate: false });
    else this.actions[name]();
  }

  go(index, { animate = true, report = true } = {}) {
    index = Math.min(Math.max(index, 0), this.end);
    if (index === this.index) return;
    const near = Math.abs(index - this.index) === 1;
    this.index = index;
    this.trellis.show(index, animate && near && !this.calm.matches);
    this.write(index);
    this.find(".say .now").textContent = this.data.steps[index].say;
    this.scrub.value = index;
    this.scrub.setAttribute("aria-valuetext", `Step ${index + 1} of ${this.end + 1}`);
    this.find(".count").textContent = `${index + 1} / ${this.end + 1}`;
    this.disable(index);
    if (report) {
      clearTimeout(this.reporting);
      this.reporting = setTimeout(() => this.report(this.index), REPORT_AFTER);
    }
  }

  disable(index) {
    for (const name of ["first", "previous", "columnBack"]) this.find(`[data-do=${name}]`).setAttribute("aria-disabled", index === 0);
    for (const name of ["last", "next", "columnOn"]) this.find(`[data-do=${name}]`).setAttribute("aria-disabled", index === this.end);
  }

  write(index) {
    const { steps, reads, matrix } = this.data;
    const step = steps[index];
    const compared = steps[step.via] ?? step; // a backtrace step follows the pointer of another
    const named = (i) => [ROLE_NAME[reads[i][0]], ...reads[i].slice(2)].join(":");
    const ofTerms = (terms) => terms.flatMap((term) => term.slice(4)).map(named);
    const all = [...ofTerms(compared.terms), ...compared.added.map(named)];
    writeEquation(this.find(".equation .now"), step, this.data);
    writeTerms(this.find(".terms"), compared, this.data);
    if (matrix) lightMatrix(this.find(".matrix"), all, ofTerms(compared.terms.filter((term) => term[0] === compared.back)));
    const detail = { step: index, column: step.c, row: step.r, reads: all };
    this.root.dispatchEvent(new CustomEvent("stepper:focus", { bubbles: true, composed: true, detail }));
  }

  // The first step of the next or previous column (the backtrace counts step by step).
  otherColumn(direction) {
    const { steps } = this.data;
    const place = (i) => `${steps[i].k} ${steps[i].c}`;
    let i = this.index;
    if (direction < 0 && i > 0 && place(i - 1) === place(i)) {
      while (i > 0 && place(i - 1) === place(i)) i--;
      return i;
    }
    const here = place(i);
    while (steps[i + direction] && place(i) === here) i += direction;
    while (direction < 0 && i > 0 && place(i - 1) === place(i)) i--;
    return i;
  }

  play() {
    this.pause();
    if (this.index === this.end) this.go(0);
    const wait = Number(this.find(".speed").value);
    this.timer = setInterval(() => {
      this.go(this.index + 1, { animate: wait > 300 });
      if (this.index === this.end) this.pause();
    }, wait);
    this.showPlaying(true);
  }

  pause() {
    clearInterval(this.timer);
    this.timer = null;
    this.showPlaying(false);
  }

  showPlaying(playing) {
    const button = this.find(".play");
    button.classList.toggle("playing", playing);
    button.setAttribute("aria-label", playing ? "Pause" : "Play");
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("select, details")) return;
    if (event.key === " " && event.target.closest("button")) return;
    const names = { ArrowLeft: "previous", ArrowUp: "previous", ArrowRight: "next", ArrowDown: "next", Home: "first", End: "last", PageUp: "columnBack", PageDown: "columnOn", " ": "play" };
    const name = names[event.key];
    if (!name) return;
    event.preventDefault();
    this.act(name);
  }

  jump(event) {
    const cell = event.target.closest("[data-step]");
    if (!cell || !this.data) return;
    this.pause();
    this.go(Number(cell.dataset.step));
  }

  // Look at another revealed cell without leaving the current step.
  peek(event) {
    const cell = event?.target.closest("[data-step].on");
    const index = cell ? Number(cell.dataset.step) : null;
    if (!this.data || this.timer || index === this.peeking) return;
    this.peeking = index;
    this.trellis.light(index ?? this.index, false);
    this.write(index ?? this.index);
  }

  stop() {
    this.pause();
    clearTimeout(this.reporting);
    this.observer.disconnect();
  }
}
