// Scores that the reader changes: while one moves, the kernel is asked for the picture of it, one question at a time; where it
// comes to rest it is kept. All edits are sent again with the next, since a host may drop one that another overtakes.

import { report } from "../shared/model.js";

const OPS = { per_step: "step" }; // what Python calls a table; others have one name

export class Edits {
  model;
  draw;
  client = crypto.randomUUID();
  made = [];
  wanted = null; // the latest position of a score that moves
  asking = false;

  // `draw` shows what the kernel answers.
  constructor(model, draw) {
    Object.assign(this, { model, draw });
  }

  // `place`: its table, and where it stands there; `mode`: the one on screen.
  change(place, value, resting, mode) {
    const [table, ...index] = place;
    const edit = { serial: 0, op: OPS[table] ?? table, index, text: String(value), mode };
    this.wanted = resting ? null : edit;
    if (!resting) return this.follow();
    this.made.push({ ...edit, serial: this.made.length + 1 });
    report(this.model, "edits", { client: this.client, edits: this.made });
  }

  async follow() {
    if (this.asking || !this.wanted || !this.model.ask) return;
    const edit = this.wanted;
    this.asking = true;
    const answer = await this.model.ask(edit).catch(() => null); // too slow, or the kernel is away
    this.asking = false;
    if (this.wanted === edit) this.wanted = null;
    else if (!this.wanted) return; // kept meanwhile: its own picture follows
    if (answer) this.draw(answer);
    this.follow();
  }
}
