// The tables of scores: Python sends them as texts and checks everything that goes back. Edits are numbered, and all those not
// yet answered are sent together, so that none is lost when the next comes before the first has been painted. While a score
// moves, the owner asks for the picture of it, one at a time: what is on its way is answered before the latest value follows.

import { element, filledText, writeWords } from "../shared/dom.js";
import { Grid } from "./grid.js";

export class ScoreTables {
  // owner: send(message), light(reads); where pictures follow a score as it moves, ask(edit) -> a promise of them, moved(them).
  constructor(root, owner) {
    this.owner = owner;
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
    this.naming = !this.find(".naming");
    this.find(".naming")?.addEventListener("click", () => this.name());
    this.moves = { wanted: null, asked: null }; // a score that moves: one request at a time, then the latest
  }

  load(data) {
    if (data.serial < this.data?.serial) return; // two repaints may arrive in the wrong order
    if (!this.data) writeWords(this.find(".editor") ?? this.root, data.words);
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
    this.find(".keys")?.toggleAttribute("hidden", Boolean(data.readOnly));
    for (const button of this.adds) button.disabled = data.full.includes(button.dataset.add);
    for (const part of this.root.querySelectorAll(".naming, .adds"))
      part.hidden = data.fixed || (part.classList.contains("adds") && !this.naming);
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
    if (!data) return; // a trellis whose scores nobody may change
    const still = (rows) => rows.map((row) => row.map((spec) => (data.readOnly ? { ...spec, isStill: true } : spec)));
    this.emissions.show(still(emissionRows(data, this.naming && !data.fixed)));
    this.transitions.show(still(transitionRows(data, Math.max(this.steps.selectedIndex, 0))));
    if (this.now) this.lit(...this.now);
    const messages = [...(this.said ?? []), ...[...this.drafts.values()].map((draft) => draft.message).filter(Boolean)];
    const host = this.find("#refused");
    if (host.textContent !== messages.join(""))
      host.replaceChildren(...messages.map((text) => element("span", { textContent: text })));
  }

  draft(key) {
    return this.drafts.get(key);
  }

  // Names become fields, with ways to add and to remove.
  name() {
    this.naming = !this.naming;
    this.find(".naming").setAttribute("aria-pressed", this.naming);
    this.load(this.data);
  }

  // The matrix of one step, where each has its own.
  turn(step) {
    if (
      step === undefined ||
      step === this.steps.selectedIndex ||
      this.emissions.focused() ||
      this.transitions.focused()
    )
      return;
    this.steps.selectedIndex = step;
    this.paint();
  }

  lit(reads, won = []) {
    this.now = [reads, won];
    for (const grid of [this.emissions, this.transitions]) grid.lit(reads, won);
  }

  // A score follows the hand: Python draws what it would be, and keeps nothing.
  live(spec, text) {
    this.moves.wanted = { serial: 0, epoch: this.data.epoch, op: spec.op, index: spec.index, text };
    this.follow();
  }

  async follow() {
    const { moves } = this;
    if (!moves.wanted || moves.asked || !this.owner.ask) return;
    const asked = (moves.asked = moves.wanted);
    moves.wanted = null;
    const answer = await this.owner.ask(asked).catch(() => null); // too slow, or the server is away
    if (moves.asked !== asked) return; // kept meanwhile: the page follows
    moves.asked = null;
    if (answer) this.owner.moved(answer);
    this.follow();
  }

  command(op, index = []) {
    const { serial } = this.push(op, index, "");
    this.commands.add(serial);
    return serial;
  }

  commit(spec, text) {
    this.moves.wanted = this.moves.asked = null;
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
    this.owner.send({ client: this.client, edits: this.queue });
    return edit;
  }

  light(reads) {
    const text = reads.join();
    if (text === this.shining) return;
    this.shining = text;
    this.owner.light?.(reads);
  }
}

const keyOf = (op, index) => `${op} ${index.join(" ")}`;
const none = () => ({ kind: "none" });
const head = (text, scope) => ({ kind: "head", text, scope });

function score(op, index, label, [shown, exact, paint, was], reads) {
  return { kind: "score", key: keyOf(op, index), op, index, label, shown, exact: exact ?? shown, paint, reads, was };
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
        score("emissions", [t, s], filledText(words.emission_of, { token: text, tag }), emissions[t][s], [
          `emission:${t}:${s}`,
        ]),
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
      ...tags.map((tag, s) => score("start", [s], filledText(words.start_at, { tag }), start[s], [`start:${s}`])),
      none(),
    ],
    ...tags.map((tag, i) => [
      head(tag, "row"),
      ...tags.map((to, j) =>
        cells
          ? score(op, [...first, i, j], filledText(words.from_to, { tag, to }) + into, cells[i][j], [
              `transition:${i}:${j}`,
            ])
          : none(),
      ),
      score("end", [i], filledText(words.end_after, { tag }), end[i], [`end:${i}`]),
    ]),
  ];
}
