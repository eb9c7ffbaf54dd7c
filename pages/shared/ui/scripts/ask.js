// The one request that scripts of ours make: to the server that the page came from, beside the runs of the page.

const PATIENCE = 2000; // ms

// The JSON that an offer of Python's answers with, or null; rejects when the server is away or too slow.
export async function askOffer(address, question) {
  const { timeout } = /** @type {any} */ (AbortSignal);
  const how = /** @type {RequestInit} */ ({ method: "POST", mode: "same-origin", body: JSON.stringify(question), signal: timeout(PATIENCE) });
  const answer = await fetch(address, how);
  return answer.status === 200 ? answer.json() : null;
}

// Where the reader is: Python knows it from its next run on; the address has it at once, as Python would write it.
export function sayStep(address, at) {
  askOffer(address, { said: at }).catch(() => null); // the server is away: the page will say so
  const kept = location.search.slice(1).split("&").filter((pair) => pair && !pair.startsWith("step="));
  const query = [...kept, ...(at[0] ? [`step=${at[0]}`] : [])].join("&");
  const url = location.pathname + (query && `?${query}`) + location.hash;
  if (location.pathname + location.search + location.hash !== url) history.replaceState(history.state, "", url);
}
