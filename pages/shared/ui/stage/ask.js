// Questions to the server: one is in flight, the newest waits.

const PATIENCE = 10000; // ms

export class Questions {
  receive;
  fail;
  passes;
  asked = null; // the question in flight: "whole", "now" or "typed"
  waiting = null;
  signal; // whose picture has gone gets no answer

  // `receive` gets the newest answer, `fail` the server's own message or null, `passes` an answer that a newer question overtook.
  constructor(receive, fail, passes = (_answer) => {}, signal = undefined) {
    Object.assign(this, { receive, fail, passes, signal });
  }

  // Resolves when nothing is asked any more.
  async idle() {
    while (this.asked) await new Promise((done) => setTimeout(done, 30));
  }

  // Ask for the view of a state: "whole", what holds "now" at the dot, or what a sentence looks like while it is "typed".
  // What follows an unanswered question asks for the whole, since only the newest answer is drawn; unless it is typed.
  async ask(address, asked) {
    if (this.asked) {
      const only = [this.asked, this.waiting?.want].every((want) => want === undefined || want === "now");
      this.waiting = { address, ...asked, want: only || asked.want === "typed" ? asked.want : "whole" };
      return;
    }
    this.asked = asked.want;
    const [ok, answer] = await post(address, asked).catch(() => [false, {}]);
    const { address: next, ...question } = this.waiting ?? {};
    this.asked = this.waiting = null;
    if (this.signal?.aborted) return;
    if (next) {
      if (ok) this.passes(answer);
      this.ask(next, question);
    } else if (ok) this.receive(answer);
    else this.fail(answer.message ?? null);
  }
}

// Resolves to whether it went well, the answer, and its status; `patience`: ms.
export async function post(address, question, patience = PATIENCE) {
  const { timeout } = /** @type {any} */ (AbortSignal);
  const headers = { "Content-Type": "application/json" };
  return answerTo(address, {
    method: "POST",
    mode: "same-origin",
    headers,
    body: JSON.stringify(question),
    signal: timeout(patience),
  });
}

export const get = (address) => answerTo(address, { mode: "same-origin" });

/** @returns {Promise<[boolean, any, number]>} */
async function answerTo(address, how) {
  const answer = await fetch(address, how);
  return [answer.ok, answer.status === 204 ? {} : await answer.json(), answer.status];
}
