// The lecturer's pages: how many are there, and, at the desk, the door.

import { filledText } from "../../../crf/figures/shared/dom.js";
import { post } from "../../shared/ui/stage/ask.js";

const { words, root } = JSON.parse(document.getElementById("board").textContent);
const [places, lock, empty] = [".places", ".lock", ".empty"].map(
  (part) => /** @type {any} */ (document.querySelector(part)),
);
let locked = false;

const line = new EventSource(`${root}class/news?window=${lock ? "desk" : "board"}`);
line.addEventListener("tally", ({ data }) => {
  const tally = JSON.parse(data);
  locked = tally.locked;
  places.textContent = filledText(words["lead.places"], tally);
  if (lock) lock.textContent = words[locked ? "lead.open" : "lead.lock"];
});
if (lock) lock.onclick = () => turn(locked ? "open" : "lock");
if (empty) empty.onclick = () => turn("empty");

async function turn(what) {
  const [ok, answer] = await post(`${root}class/door`, { do: what }).catch(() => [false, {}]);
  if (!ok) places.textContent = answer.message ?? words["lead.failed"];
}
