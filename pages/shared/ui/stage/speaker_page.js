// The page in the speaker's window: the clock, what is on screen, the notes, what comes next.

import { fill, filledText, html } from "../../../../crf/figures/shared/dom.js";
import { channel } from "./speaker.js";

const SKELETON = `
<section class="speaker">
  <p class="clock"><b class="elapsed"></b><span class="planned"></span></p>
  <h1 class="current"></h1>
  <p class="asks"></p>
  <p class="note"></p>
  <p class="said"></p>
  <p class="next"></p>
  <ol class="all"></ol>
  <p class="keys"></p>
  <p class="desk" hidden><a target="crf.desk"></a></p>
</section>`;

const root = fill(document.querySelector(".crf-figure"), SKELETON);
const find = (part) => root.querySelector(part);
const { words } = JSON.parse(document.getElementById("beat").textContent);
const line = channel(new URLSearchParams(location.search).get("speaker"));
let since = null;

function tick() {
  const seconds = since === null ? 0 : Math.max(Math.floor((Date.now() - since) / 1000), 0);
  find(".elapsed").textContent = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}

function show(shows) {
  since = shows.since;
  const { until, all } = shows.planned ?? {};
  find(".planned").textContent = shows.planned ? filledText(words.planned, { until, all }) : "";
  find(".current").textContent = shows.since === null ? words["not-presenting"] : shows.beat;
  find(".asks").textContent = shows.question;
  find(".said").textContent = shows.said;
  find(".note").textContent = shows.note;
  find(".next").textContent = shows.next ? filledText(words.next, { beat: shows.next }) : "";
  find(".keys").textContent = words["speaker-keys"];
  const rows = shows.beats.map(({ label, minutes, current }) => {
    const row = html("li", current ? { "aria-current": "step" } : {}, null, label);
    if (minutes !== null) html("span", {}, row, filledText(words["minutes-short"], { minutes }));
    return row;
  });
  find(".all").replaceChildren(...rows);
  find(".desk").hidden = !shows.desk;
  Object.assign(find(".desk a"), { href: shows.desk, textContent: words["class-desk"] });
  tick();
}

line.onmessage = ({ data }) => data.shows && show(data.shows);
line.postMessage({ hello: true });
setInterval(tick, 1000);
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.key === "Tab") return;
  line.postMessage({ key: event.key, shiftKey: event.shiftKey });
  event.preventDefault();
});
