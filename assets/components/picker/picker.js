// A path through the trellis, picked tag by tag: each token is a group of radio buttons. Python sends every text and checks
// the path that goes back; here it is only drawn, at once, before Python has answered.

const pickers = new WeakMap(); // parentElement -> Picker
let groups = 0;

export default function ({ data, parentElement, setStateValue }) {
  const picker = pickers.get(parentElement) ?? new Picker(parentElement.querySelector(".picker"));
  pickers.set(parentElement, picker);
  picker.send = (value) => setStateValue("choice", value);
  document.addEventListener("crf:light", picker.lights); // adding it again changes nothing
  picker.load(data);
  return () => document.removeEventListener("crf:light", picker.lights);
}

class Picker {
  constructor(root) {
    this.root = root;
    this.find = (selector) => root.querySelector(selector);
    this.stage = this.find(".stage");
    this.lines = this.find("svg");
    this.group = `path${groups++}`;
    this.client = `${Date.now()} ${Math.random()}`;
    this.serial = 0;
    this.pending = 0; // the pick that Python has not answered
    this.lights = ({ detail }) => {
      if (Array.isArray(detail?.reads) && detail.source !== this.data?.source) this.lit(detail.reads);
    };
    this.stage.onkeydown = (event) => this.key(event);
    this.stage.onchange = (event) => this.choose(event.target);
    for (const type of ["pointerover", "focusin"]) root.addEventListener(type, (event) => this.light(event.target));
    for (const type of ["pointerleave", "focusout"]) root.addEventListener(type, () => this.light(null));
    new ResizeObserver(() => this.data && this.join()).observe(this.stage);
  }

  load(data) {
    if (this.data && data.serial < this.data.serial) return; // two repaints may arrive in the wrong order
    const form = JSON.stringify([data.tags, data.tokens]);
    if (form !== this.form || (data.client === this.client && data.upto >= this.pending)) this.pending = 0;
    const isAnswered = !this.pending;
    this.data = data;
    if (isAnswered) this.path = data.path;
    if (form !== this.form) this.build();
    this.form = form;
    this.root.setAttribute("aria-label", data.label);
    this.paint();
    if (isAnswered) this.write();
  }

  build() {
    const { tags, tokens } = this.data;
    const focused = this.place(this.stage.getRootNode().activeElement);
    this.radios = tokens.map((_, t) =>
      tags.map((_, s) => element("input", { type: "radio", name: `${this.group} ${t}`, value: s })),
    );
    const columns = tokens.map((token, t) => {
      const column = element("div", { className: "column" }, element("bdi", { className: "word", textContent: token, title: token }));
      column.setAttribute("role", "radiogroup");
      column.setAttribute("aria-label", `Tag of ${token}`);
      tags.forEach((tag, s) => {
        const cell = element("label", { className: "cell" }, this.radios[t][s], element("span", { className: "tag", textContent: tag }), element("span", { className: "value" }));
        cell.dataset.read = `emission:${t}:${s}`;
        column.append(cell);
      });
      return column;
    });
    const edge = (text) => element("div", { className: "edge" }, element("span", { textContent: text }));
    this.stage.replaceChildren(this.lines, edge("START"), ...columns, edge("END"));
    if (focused) this.radios[Math.min(focused[0], tokens.length - 1)][Math.min(focused[1], tags.length - 1)].focus({ preventScroll: true });
  }

  paint() {
    const { data, path } = this;
    this.radios.forEach((column, t) =>
      column.forEach((radio, s) => {
        const [text, paint] = data.emissions[t][s];
        const cell = radio.parentElement;
        radio.checked = path[t] === s;
        if (radio.drawn === text + paint) return;
        radio.drawn = text + paint;
        radio.setAttribute("aria-label", `${data.tags[s]}, emission ${text}`);
        cell.querySelector(".value").textContent = text;
        cell.style.setProperty("--paint", paint ?? "transparent");
        cell.classList.toggle("never", paint === null);
      }),
    );
    this.join();
  }

  // Lines between the chosen cells, each with its score.
  join() {
    const { data, path } = this;
    const box = this.stage.getBoundingClientRect();
    const at = (node, side) => {
      const rect = node.getBoundingClientRect();
      return [(side < 0 ? rect.left : rect.right) - box.left, (rect.top + rect.bottom) / 2 - box.top];
    };
    const cells = path.map((s, t) => this.radios[t][s].parentElement);
    const [first, last] = this.stage.querySelectorAll(".edge span");
    const nodes = [first, ...cells, last];
    const texts = [data.start[path[0]], ...path.slice(1).map((s, t) => this.step(t)[path[t]][s]), data.end[path.at(-1)]];
    const reads = [`start:${path[0]}`, ...path.slice(1).map((s, t) => `transition:${path[t]}:${s}`), `end:${path.at(-1)}`];
    const ends = texts.map((_, k) => [...at(nodes[k], 1), ...at(nodes[k + 1], -1)]); // all measured before any is drawn
    this.lines.replaceChildren();
    ends.forEach(([x1, y1, x2, y2], k) => {
      const link = svg("g", { class: texts[k] === "−∞" ? "link forbidden" : "link", "data-read": reads[k] }, this.lines);
      svg("path", { d: `M${x1} ${y1}L${x2} ${y2}` }, link);
      svg("text", { x: (x1 + x2) / 2, y: (y1 + y2) / 2 - 9 }, link, texts[k]);
    });
  }

  step(t) {
    return this.data.transitions[this.data.perStep ? t : 0];
  }

  // The sum under the trellis: each number in its table's colour, then the same as a table with a running total.
  write() {
    const { terms, total, heads } = this.data;
    const term = ({ role, summand, read }) => {
      const made = element("span", { className: `read ${role}`, textContent: summand });
      made.dataset.read = read;
      return made;
    };
    const pieces = terms.flatMap((entry, k) => [k ? " + " : "= ", term(entry)]);
    this.find(".sum").replaceChildren(element("b", { textContent: "score " }), ...pieces, " = ", element("b", { className: "total", textContent: total }));
    this.find("caption").textContent = this.data.caption;
    this.find("thead").replaceChildren(element("tr", {}, ...heads.map((text) => element("th", { textContent: text, scope: "col" }))));
    const rows = terms.map((entry) => {
      const row = element("tr", {}, element("th", { textContent: entry.what, scope: "row" }), element("td", { textContent: entry.text, className: entry.role }), element("td", { textContent: entry.running }));
      row.dataset.read = entry.read;
      return row;
    });
    this.find("tbody").replaceChildren(...rows);
  }

  choose(radio) {
    const [t, s] = this.place(radio);
    this.path = this.path.with(t, s);
    this.join();
    this.send({ client: this.client, serial: (this.pending = ++this.serial), path: this.path });
  }

  key(event) {
    const along = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!along || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault(); // left and right go to the next token; up and down choose
    const t = this.place(event.target)[0] + along;
    if (this.radios[t]) this.radios[t][this.path[t]].focus();
  }

  place(radio) {
    const t = this.radios?.findIndex((column) => column.includes(radio)) ?? -1;
    return t < 0 ? null : [t, this.radios[t].indexOf(radio)];
  }

  light(target) {
    const read = target?.closest("[data-read]")?.dataset.read;
    const reads = read ? [read] : [];
    if (reads.join() === this.shining) return;
    this.shining = reads.join();
    this.lit(reads);
    this.root.dispatchEvent(new CustomEvent("crf:light", { bubbles: true, composed: true, detail: { source: this.data.source, reads } }));
  }

  lit(reads) {
    for (const node of this.root.querySelectorAll("[data-read]")) node.classList.toggle("lit", reads.includes(node.dataset.read));
  }
}
