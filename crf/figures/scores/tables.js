// The tables of scores: Python sends them as texts and checks everything that goes back. Edits are numbered, and all those not
// yet answered are sent together, so that none is lost when the next comes before the first has been painted.

import { element, filledText, writeWords } from "../shared/dom.js";
import { Grid } from "./grid.js";

export class ScoreTables {
  constructor(root, send) {
    this.send = send;
    this.root = root;
    this.find = (selector) => root.querySelector(selector);
    this.client = `${Date.now()} ${Math.random()}`;
    this.serial = 0;
    this.commands = new Set(); // serials of edits that are no score's text: should one be refused, it is said once
    this.queue = []; // edits that Python has not answered
    this.drafts = new Map(); // key of a cell -> {text, serial, message}: what was typed and is not in the tables (yet)
    this.emissions = new Grid(this.find(".emissions"), this);
    this.transitions = new Grid(this.find(".transitions"), this);
    this.steps = this.find(".steps select");
    this.steps.onchange = () => this.paint();
    this.adds = [...root.querySelectorAll("[data-add]")];
    for (const button of this.adds) button.onclick = () => this.add(button.dataset.add);
  }

  load(data) {
    if (data.serial < this.data?.serial) return; // two repaints may arrive in the wrong order
    if (!this.data) writeWords(this.root, data.words);
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
    this.find(".keys").toggleAttribute("hidden", Boolean(data.readOnly));
    for (const button of this.adds) button.disabled = data.full.includes(button.dataset.add);
    for (const part of this.root.querySelectorAll(".adds")) part.hidden = data.fixed;
    this.paint();
    if (this.awaited && data.answers.upto >= this.awaited.serial) {
      const { kind } = this.awaited;
      this.awaited = null;
      this.emissions.focus(keyOf(`rename-${kind}`, [(kind === "tag" ? data.tags : data.tokens).length - 1]));
    }
  }

  answered({ upto, refused }) {
    this.queue = this.queue.filter((edit) => edit.serial > upto);
    for (const [key, draft] of this.drafts)
      if (!draft.message && draft.serial <= upto) {
        draft.message = refused[draft.serial];
        if (!draft.message) this.drafts.delete(key);
      }
    this.said = Object.entries(refused)
      .filter(([serial]) => this.commands.has(Number(serial)))
      .map(([, message]) => message);
  }

  paint() {
    const { data } = this;
    const still = (rows) => rows.map((row) => row.map((spec) => (data.readOnly ? { ...spec, isStill: true } : spec)));
    this.emissions.show(still(emissionRows(data, !data.fixed)));
    this.transitions.show(still(transitionRows(data, Math.max(this.steps.selectedIndex, 0))));
    const messages = [...(this.said ?? []), ...[...this.drafts.values()].map((draft) => draft.message).filter(Boolean)];
    const host = this.find("#refused");
    if (host.textContent !== messages.join(""))
      host.replaceChildren(...messages.map((text) => element("span", { textContent: text })));
  }

  draft(key) {
    return this.drafts.get(key);
  }

  command(op, index = []) {
    const { serial } = this.push(op, index, "");
    this.commands.add(serial);
    return serial;
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

  add(kind) {
    this.awaited = { serial: this.command(`add-${kind}`), kind };
  }

  push(op, index, text) {
    const edit = { serial: ++this.serial, epoch: this.data.epoch, op, index, text };
    this.queue.push(edit);
    this.send({ client: this.client, edits: this.queue });
    return edit;
  }
}

const keyOf = (op, index) => `${op} ${index.join(" ")}`;
const none = () => ({ kind: "none" });
const head = (text, scope) => ({ kind: "head", text, scope });

function score(op, index, label, [shown, exact, paint]) {
  return { kind: "score", key: keyOf(op, index), op, index, label, shown, exact: exact ?? shown, paint };
}

function name(words, kind, k, text, scope) {
  const [op, label] = [`rename-${kind}`, filledText(words[`name_of_${kind}`], { n: k + 1, name: text })];
  return { kind: "name", key: keyOf(op, [k]), op, index: [k], label, shown: text, exact: text, scope };
}

function remove(words, kind, k, text, count) {
  const op = `remove-${kind}`;
  return {
    kind: "button",
    key: keyOf(op, [k]),
    op,
    index: [k],
    text: "×",
    label: filledText(words[`remove_${kind}`], { name: text }),
    off: count === 1,
  };
}

// `naming`: whether tags and tokens can be renamed and removed.
function emissionRows({ tags, tokens, emissions, words }, naming) {
  const title = naming ? (...of) => name(words, ...of) : (kind, k, text, scope) => head(text, scope);
  const rows = [
    [head(words.emissions_corner), ...tokens.map((text, t) => title("token", t, text, "col"))],
    ...tags.map((tag, s) => [
      title("tag", s, tag, "row"),
      ...tokens.map((text, t) =>
        score("emissions", [t, s], filledText(words.emission_of, { token: text, tag }), emissions[t][s]),
      ),
    ]),
  ];
  if (!naming) return rows;
  rows.forEach((row, s) => row.push(s ? remove(words, "tag", s - 1, tags[s - 1], tags.length) : none()));
  return [...rows, [none(), ...tokens.map((text, t) => remove(words, "token", t, text, tokens.length)), none()]];
}

function transitionRows({ tags, transitions, start, end, perStep, words }, step) {
  const { cells, name: where } = transitions[step] ?? { cells: null };
  const [op, first, into] = perStep
    ? ["step", [step], filledText(words.at_step, { step: where })]
    : ["transitions", [], ""];
  return [
    [head(words.transitions_corner), ...tags.map((tag) => head(tag, "col")), head("END", "col")],
    [
      head("START", "row"),
      ...tags.map((tag, s) => score("start", [s], filledText(words.start_at, { tag }), start[s])),
      none(),
    ],
    ...tags.map((tag, i) => [
      head(tag, "row"),
      ...tags.map((to, j) =>
        cells ? score(op, [...first, i, j], filledText(words.from_to, { tag, to }) + into, cells[i][j]) : none(),
      ),
      score("end", [i], filledText(words.end_after, { tag }), end[i]),
    ]),
  ];
}
