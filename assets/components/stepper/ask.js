// The one request that a script of ours makes: to the server that the page came from, beside the runs of the page.

const PATIENCE = 2000; // ms

// The JSON that an offer of Python's answers with, or null; rejects when the server is away or too slow.
async function askOffer(address, question) {
  const how = { method: "POST", mode: "same-origin", body: JSON.stringify(question), signal: AbortSignal.timeout(PATIENCE) };
  const answer = await fetch(address, how);
  return answer.status === 200 ? answer.json() : null;
}
