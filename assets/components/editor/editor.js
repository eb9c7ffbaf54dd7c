// The score editor: Python sends the tables as texts and checks everything that goes back. Edits are numbered, and all those
// not yet answered are sent together, so that none is lost when the next comes before the first has been painted.

const editors = new WeakMap(); // parentElement -> Editor, so that a rerun keeps focus, drafts and queue

export default function ({ data, parentElement, setStateValue }) {
  const editor = editors.get(parentElement) ?? new Editor(parentElement.querySelector(".editor"));
  editors.set(parentElement, editor);
  editor.send = (value) => setStateValue("edits", value);
  document.addEventListener("crf:light", editor.lights); // adding it again changes nothing
  editor.load(data);
  return () => document.removeEventListener("crf:light", editor.lights);
}

class Editor {
  constructor(root) {
    this.root = root;
    this.find = (selector) => root.querySelector(selector);
    this.client = `${Date.now()} ${Math.random()}`;
    this.serial = 0;
    this.queue = []; // edits that Python has not answered
    this.drafts = new Map(); // key of a cell -> {text, serial, message}: what was typed and is not in the tables (yet)
    this.emissions = new Grid(this.find(".emissions"), this);
    this.transitions = new Grid(this.find(".transitions"), this);
    this.steps = this.find("select");
    this.steps.onchange = () => this.paint();
    for (const button of root.querySelectorAll("[data-add]")) button.onclick = () => this.add(button.dataset.add);
    this.lights = ({ detail }) => {
      if (!Array.isArray(detail?.reads) || detail.source === this.data?.source) return;
      this.emissions.lit(detail.reads);
      this.transitions.lit(detail.reads);
    };
  }

  load(data) {
    if (this.data && data.serial < this.data.serial) return; // two repaints may arrive in the wrong order
    const isOther = this.data && this.data.epoch !== data.epoch;
    this.data = data;
    if (data.answers.client === this.client) this.answered(data.answers);
    if (isOther) {
      this.drafts.clear();
      this.queue = [];
    }
    const steps = data.transitions.map((step) => step.name);
    if (JSON.stringify(steps) !== this.names) {
      const chosen = Math.max(this.steps.selectedIndex, 0);
      this.names = JSON.stringify(steps);
      this.steps.replaceChildren(...steps.map((name, k) => element("option", { value: k, textContent: name })));
      this.steps.selectedIndex = Math.min(chosen, steps.length - 1);
    }
    this.find(".steps").hidden = !data.perStep;
    for (const button of this.root.querySelectorAll("[data-add]")) button.disabled = data.full.includes(button.dataset.add);
    this.paint();
    if (this.awaited && data.answers.upto >= this.awaited.serial) {
      const { kind } = this.awaited;
      this.awaited = null;
      this.emissions.focus(keyOf(`rename-${kind}`, [(kind === "tag" ? data.tags : data.tokens).length - 1]));
    }
  }

  answered({ upto, refused }) {
    this.queue = this.queue.filter((edit) => edit.serial > upto);
    for (const [key, draft] of this.drafts) if (!draft.message && draft.serial <= upto) {
      draft.message = refused[draft.serial];
      if (!draft.message) this.drafts.delete(key);
    }
    this.said = Object.entries(refused).filter(([serial]) => this.commands?.has(Number(serial))).map(([, message]) => message);
  }

  paint() {
    const { data } = this;
    this.emissions.show(emissionRows(data));
    this.transitions.show(transitionRows(data, Math.max(this.steps.selectedIndex, 0)));
    const messages = [...(this.said ?? []), ...[...this.drafts.values()].map((draft) => draft.message).filter(Boolean)];
    const host = this.find("#refused");
    if (host.textContent !== messages.join("")) host.replaceChildren(...messages.map((text) => element("span", { textContent: text })));
  }

  draft(key) {
    return this.drafts.get(key);
  }

  commit(spec, text) {
    const { serial } = this.push(spec.op, spec.index, text);
    this.drafts.set(spec.key, { text, serial, message: null });
    this.paint();
  }

  revert(spec) {
    if (this.drafts.get(spec.key)?.message) this.drafts.delete(spec.key);
    this.paint();
  }

  press(spec) {
    (this.commands ??= new Set()).add(this.push(spec.op, spec.index, "").serial);
  }

  add(kind) {
    const { serial } = this.push(`add-${kind}`, [], "");
    (this.commands ??= new Set()).add(serial);
    this.awaited = { serial, kind };
  }

  push(op, index, text) {
    const edit = { serial: ++this.serial, epoch: this.data.epoch, op, index, text };
    this.queue.push(edit);
    this.send({ client: this.client, edits: this.queue });
    return edit;
  }

  light(reads) {
    const text = reads.join();
    if (text === this.shining) return;
    this.shining = text;
    const detail = { source: this.data.source, reads };
    this.root.dispatchEvent(new CustomEvent("crf:light", { bubbles: true, composed: true, detail }));
  }
}

const keyOf = (op, index) => `${op} ${index.join(" ")}`;
const none = () => ({ kind: "none" });
const head = (text, scope) => ({ kind: "head", text, scope });

function score(op, index, label, [shown, exact, paint], reads) {
  return { kind: "score", key: keyOf(op, index), op, index, label, shown, exact: exact ?? shown, paint, reads };
}

function name(kind, k, text, scope) {
  const [op, label] = [`rename-${kind}`, `Name of ${kind} ${k + 1}: ${text}`];
  return { kind: "name", key: keyOf(op, [k]), op, index: [k], label, shown: text, exact: text, scope };
}

function remove(kind, k, text, count) {
  const op = `remove-${kind}`;
  return { kind: "button", key: keyOf(op, [k]), op, index: [k], text: "×", label: `Remove ${kind} ${text}`, off: count === 1 };
}

function emissionRows({ tags, tokens, emissions }) {
  return [
    [head("tag \u2193 token \u2192"), ...tokens.map((text, t) => name("token", t, text, "col")), none()],
    ...tags.map((tag, s) => [
      name("tag", s, tag, "row"),
      ...tokens.map((text, t) => score("emissions", [t, s], `Emission of ${text} as ${tag}`, emissions[t][s], [`emission:${t}:${s}`])),
      remove("tag", s, tag, tags.length),
    ]),
    [none(), ...tokens.map((text, t) => remove("token", t, text, tokens.length)), none()],
  ];
}

function transitionRows({ tags, transitions, start, end, perStep }, step) {
  const { cells, name: where } = transitions[step] ?? { cells: null };
  const [op, first, into] = perStep ? ["step", [step], `, step ${where}`] : ["transitions", [], ""];
  return [
    [head("from \u2193 to \u2192"), ...tags.map((tag) => head(tag, "col")), head("END", "col")],
    [
      head("START", "row"),
      ...tags.map((tag, s) => score("start", [s], `Start at ${tag}`, start[s], [`start:${s}`])),
      none(),
    ],
    ...tags.map((tag, i) => [
      head(tag, "row"),
      ...tags.map((to, j) =>
        cells ? score(op, [...first, i, j], `From ${tag} to ${to}${into}`, cells[i][j], [`transition:${i}:${j}`]) : none(),
      ),
      score("end", [i], `End after ${tag}`, end[i], [`end:${i}`]),
    ]),
  ];
}
