// State and controls. Python sends a trace once, gzipped after a serial number; the browser owns the step from then on
// and reports it, debounced, as the state value `at`: [step, whether it is asked, whether guesses are].

const instances = new WeakMap(); // parentElement -> instance, so that a rerun rebuilds nothing
const REPORT_AFTER = 250; // ms without a further step
const KEYS = {
  ArrowLeft: "previous", ArrowUp: "previous", ArrowRight: "next", ArrowDown: "next", Home: "first", End: "last",
  PageUp: "columnBack", PageDown: "columnOn", " ": "play", Enter: "show",
};

const same = (a, b) => a?.length === b.length && a.every((byte, i) => byte === b[i]);
const serial = (bytes) => new DataView(bytes.buffer, bytes.byteOffset).getFloat64(0, true);
const decode = (bytes) => new Response(new Blob([bytes.subarray(8)]).stream().pipeThrough(new DecompressionStream("gzip"))).json();

export default function (component) {
  const { data, parentElement, setStateValue } = component;
  const stepper = instances.get(parentElement) ?? new Stepper(parentElement.querySelector(".stepper"));
  instances.set(parentElement, stepper);
  stepper.report = (at) => setStateValue("at", at);
  const isOlder = data && stepper.bytes && serial(data) < serial(stepper.bytes); // may arrive late
  if (data && !isOlder && !same(stepper.bytes, data)) {
    stepper.bytes = data;
    decode(data).then((trace) => stepper.bytes === data && stepper.load(trace));
  }
  return () => stepper.stop();
}

class Stepper {
  constructor(root) {
    this.root = root;
    this.find = (selector) => root.querySelector(selector);
    this.scroll = this.find(".scroll");
    this.scrub = this.find(".scrub");
    this.guesses = new Guesses(root);
    this.links = new Links(root);
    this.player = new Player(this);
    this.hidden = new Set(); // names of paths that the reader has switched off
    this.calm = matchMedia("(prefers-reduced-motion: reduce)");
    this.actions = {
      first: () => this.go(0),
      last: () => this.go(this.end),
      previous: () => this.go(this.index - 1),
      next: () => this.go(this.index + 1),
      columnBack: () => this.go(otherColumn(this.data.steps, this.index, -1)),
      columnOn: () => this.go(otherColumn(this.data.steps, this.index, 1)),
      play: () => this.player.toggle(),
      show: () => this.open(() => this.guesses.open(this.index)),
      guessFirst: () => this.open(() => this.guesses.turn(this.index)),
      svg: () => this.save("svg"),
      png: () => this.save("png"),
    };
    this.listen();
  }

  listen() {
    for (const button of this.root.querySelectorAll("[data-do]")) button.onclick = () => this.act(button.dataset.do);
    this.scrub.oninput = () => this.act("scrub");
    this.find(".speed").onchange = () => this.player.timer && this.player.play();
    this.root.onkeydown = (event) => this.key(event);
    this.scroll.onclick = (event) => this.data && this.choose(event);
    this.scroll.onpointerover = (event) => event.pointerType === "mouse" && this.peek(event);
    this.scroll.onpointerleave = () => this.peek(null);
    for (const part of [this.find(".terms"), this.find(".tables"), this.find(".equation")]) {
      part.onpointerover = (event) => this.point(event.target);
      part.onpointerleave = () => this.point(null);
      part.addEventListener("focusin", (event) => this.point(event.target));
      part.addEventListener("focusout", () => this.point(null));
    }
    this.find(".terms").onclick = (event) => this.guess(event.target.closest("tr")?.dataset.from);
    this.observer = new ResizeObserver(() => this.data && this.fit());
    this.observer.observe(this.scroll);
  }

  load(data) {
    this.player.pause();
    const sent = this.data !== undefined && this.data.view.sent !== data.view.sent; // then Python still has the step from before
    const kept = !sent && this.data?.initial === data.initial && JSON.stringify(this.data.steps) === JSON.stringify(data.steps);
    const ahead = !sent && this.data !== undefined && this.reporting; // moved, and Python does not know it yet
    const start = kept || ahead ? this.index : data.initial;
    this.data = data;
    this.end = data.steps.length - 1;
    this.guesses.load(data, kept);
    this.text = (index) => this.guesses.text(index);
    this.root.style.setProperty("--scale", data.view.scale);
    for (const part of ["values", "terms", "equation", "sentence", "controls", "answers"]) {
      this.root.classList.toggle(`hide-${part}`, data.view.hide.includes(part));
    }
    this.root.classList.toggle("wide-numbers", data.joint !== "+");
    this.root.classList.toggle("guessing", data.view.predict !== null);
    this.root.setAttribute("aria-label", data.title);
    this.scroll.setAttribute("aria-label", `${data.title}. Arrow keys step, Space plays.`);
    this.scrub.max = this.end;
    writeRoom(this.find, data);
    const tables = this.find(".tables");
    this.find(data.tables?.emissions ? ".body" : ".panel").append(tables);
    delete tables.dataset.gap;
    writeTables(tables, data);
    writeTable(this.find(".behind table"), data);
    this.draw();
    writeLegend(this.find(".legend"), data, this.hidden, (i, on) => this.showPath(i, on));
    this.index = -1;
    this.go(start, { animate: false, report: sent || this.guesses.on || start !== (this.told ?? start) });
    if (sent) this.root.scrollIntoView();
  }

  draw() {
    this.trellis = new Trellis(this.scroll, this.data, this.scroll.clientWidth, (index) => this.guesses.isOpen(index));
    this.links.load(this.data, this.trellis);
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
    this.trellis.viewport = room;
    if (layout(this.data, room).pitch === this.trellis.at.pitch) return;
    this.draw();
    this.trellis.show(this.index, false);
  }

  act(name) {
    if (!this.data) return;
    if (name !== "play") this.player.pause();
    if (name === "scrub") this.go(Number(this.scrub.value), { animate: false });
    else this.actions[name]();
  }

  go(index, { animate = true, report = true } = {}) {
    index = Math.min(Math.max(index, 0), this.end);
    if (index === this.index) return;
    const near = Math.abs(index - this.index) === 1;
    this.index = index;
    this.guesses.reach(index);
    this.show(animate && near && !this.calm.matches);
    this.scrub.value = index;
    this.scrub.setAttribute("aria-valuetext", `Step ${index + 1} of ${this.end + 1}`);
    this.find(".count").textContent = `${index + 1} / ${this.end + 1}`;
    for (const name of ["first", "previous", "columnBack"]) this.find(`[data-do=${name}]`).setAttribute("aria-disabled", index === 0);
    for (const name of ["last", "next", "columnOn"]) this.find(`[data-do=${name}]`).setAttribute("aria-disabled", index === this.end);
    if (report) this.reportSoon();
  }

  reportSoon() {
    clearTimeout(this.reporting);
    this.reporting = setTimeout(() => {
      this.reporting = null;
      this.told = this.index; // what Python has, until it sends the reader elsewhere
      this.report([this.index, this.guesses.asks(this.index), this.guesses.on]);
    }, REPORT_AFTER);
  }

  show(animate) {
    const { steps, work } = this.data;
    const step = steps[this.index];
    this.root.classList.toggle("unseen", this.guesses.on || this.guesses.covered);
    this.trellis.show(this.index, animate);
    this.write(this.index);
    this.find(".say .now").textContent = this.guesses.isOpen(this.index) ? step.say : step.ask;
    if (work) this.find(".work .now").textContent = work.lines[work.at[this.index]];
    this.guesses.write(this.index);
  }

  write(index) {
    const { steps, reads } = this.data;
    const step = steps[index];
    const compared = steps[step.via] ?? step; // a backtrace step follows the pointer of another
    const open = this.guesses.isOpen(index);
    const how = { data: this.data, text: this.text, open, asking: index === this.index && this.guesses.asks(index) };
    const ofTerms = (terms) => terms.flatMap((term) => term.slice(4)).map((i) => nameOf(reads[i]));
    const all = [...ofTerms(compared.terms), ...compared.added.map((i) => nameOf(reads[i]))];
    const won = open ? compared.terms.filter((term) => (compared.ties ?? [compared.back]).includes(term[0])) : [];
    writeEquation(this.find(".equation .now"), step, how);
    writeTerms(this.find(".terms"), compared, how);
    turnTo(this.find(".tables"), this.data, compared);
    lightTables(this.find(".tables"), all, ofTerms(won));
    this.lit = all;
    this.links.tell(all, index);
  }

  key(event) {
    if (!this.data || event.ctrlKey || event.metaKey || event.altKey || event.target.closest("select, details")) return;
    if (rove(event)) return event.preventDefault();
    if (/^[1-9]$/.test(event.key)) return this.guess(this.data.steps[this.index].terms[event.key - 1]?.[0]);
    if ((event.key === " " || event.key === "Enter") && event.target.closest("button")) return;
    if (!KEYS[event.key]) return;
    event.preventDefault();
    this.act(KEYS[event.key]);
  }

  // Change what may be seen, and show it.
  open(change) {
    change();
    this.show(false);
    this.reportSoon();
  }

  guess(from) {
    if (from === undefined || !this.guesses.asks(this.index)) return;
    this.open(() => this.guesses.make(this.index, Number(from)));
  }

  // A click in the trellis: a guess, if one is asked for and it is on one of the sources; else a jump.
  choose(event) {
    const cell = event.target.closest("[data-step]");
    const hit = event.target.closest(".hits path")?.dataset.from;
    if (this.guesses.asks(this.index)) {
      const { place } = this.trellis;
      const term = this.data.steps[this.index].terms.find((term) => cell && place.source(term, this.data.reads).join() === cell.dataset.cell);
      if (term || hit !== undefined) return this.guess(term ? term[0] : hit);
    }
    if (!cell) return;
    this.player.pause();
    this.go(Number(cell.dataset.step));
  }

  // Look at another revealed cell without leaving the current step.
  peek(event) {
    const row = event?.target.closest(".hits path")?.dataset.from;
    this.point(row === undefined ? null : this.find(`.terms tr[data-from="${Number(row)}"]`));
    const cell = event?.target.closest("[data-step].on");
    const index = cell ? Number(cell.dataset.step) : null;
    if (!this.data || this.player.timer || index === this.peeking) return;
    this.peeking = index;
    this.trellis.light(index ?? this.index, false);
    this.write(index ?? this.index);
  }

  // Light what a row of terms, or a single score, stands for.
  point(target) {
    if (!this.data) return;
    const one = target?.closest("[data-read]");
    const row = target?.closest(".terms tr[data-from]");
    const place = one ?? row ?? null;
    if (place === this.pointed) return;
    this.pointed = place;
    for (const marked of this.root.querySelectorAll(".terms tr.linked")) marked.classList.remove("linked");
    row?.classList.add("linked");
    this.trellis.stress(row?.dataset.from ?? null);
    const reads = one ? [one.dataset.read] : row ? [...row.querySelectorAll("[data-read]")].map((cell) => cell.dataset.read) : [];
    this.links.light(reads, { everywhere: Boolean(one) && !row });
    if (place) this.links.tell(reads);
    else this.links.tell(this.lit, this.index);
  }

  save(kind) {
    const description = this.find(".say .now").textContent;
    const background = getComputedStyle(this.root).getPropertyValue("--st-background-color");
    exportTrellis(kind, standalone(this.trellis.names, this.trellis.element, { title: this.data.title, description, background }));
  }

  stop() {
    this.player.pause();
    clearTimeout(this.reporting);
    this.observer.disconnect();
    this.links.stop();
  }
}
