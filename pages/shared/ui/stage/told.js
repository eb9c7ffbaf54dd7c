// Which questions of a lesson are settled, so that who comes back is not asked again: by their step, or all of a beat's once
// the film has passed it.

export const SHOWN = "-"; // the bet of a question that is settled
export const TOLD = "."; // the bet of a question whose answer the reader asked for without betting
export const AGAIN = "~"; // before a number that is typed after a wrong one; alone: the film has gone on from it

export class Told {
  bets = new Map();

  // The bet in the state of a beat's step: "" where the question is open.
  at(beat, step) {
    return this.bets.get(`${beat} ${step}`) ?? this.bets.get(beat) ?? "";
  }

  settle(beat, step, isNumber) {
    this.bets.set(`${beat} ${step}`, isNumber ? AGAIN : SHOWN);
  }

  pass(beat) {
    if (!this.bets.has(beat)) this.bets.set(beat, TOLD);
  }

  // Ask a beat's questions again; without a name those of all.
  forget(beat = undefined) {
    for (const key of [...this.bets.keys()]) if (!beat || key.split(" ")[0] === beat) this.bets.delete(key);
  }
}
