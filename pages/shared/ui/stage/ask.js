// Questions to the server: one is in flight, the newest waits.

const PATIENCE = 10000; // ms

export class Questions {
  receive; fail;
  busy = false;
  waiting = null;

  // `receive` gets the answer, `fail` the server's own message or null.
  constructor(receive, fail) {
    Object.assign(this, { receive, fail });
  }

  // Ask for the view of a state: "whole", or what holds "now" at the dot. Who waits for the whole gets the whole.
  async ask(address, { state, want, language }) {
    if (this.busy) {
      this.waiting = [address, { state, want: this.waiting?.[1].want === "whole" ? "whole" : want, language }];
      return;
    }
    this.busy = true;
    try {
      const [ok, answer] = await post(address, { state, want, language });
      if (ok && !this.waiting) this.receive(answer);
      else if (!ok) this.fail(answer.message ?? null);
    } catch {
      this.fail(null);
    }
    this.busy = false;
    const [next, question] = this.waiting ?? [];
    this.waiting = null;
    if (next) this.ask(next, question);
  }
}

async function post(address, question) {
  const { timeout } = /** @type {any} */ (AbortSignal);
  const headers = { "Content-Type": "application/json" };
  const how = /** @type {RequestInit} */ ({ method: "POST", mode: "same-origin", headers, body: JSON.stringify(question), signal: timeout(PATIENCE) });
  const answer = await fetch(address, how);
  return [answer.ok, await answer.json()];
}
