// The stops of a lecture, each with a small picture of what the class will see. A click chooses a stop, a drag moves it. The
// pictures are taken one after the other from pages out of sight, and kept for this window.

import { element, fill, html } from "../../../crf/figures/shared/dom.js";
import { report, whenData } from "../../../crf/figures/shared/model.js";
import { figureAsSvg } from "../../../crf/figures/shared/save.js";
import { outOfSight } from "../../shared/ui/scripts/file.js";
import { remember, remembered } from "../../shared/ui/scripts/memory.js";

const SKELETON = `<ol class="stops"></ol>`;
const [IDLE, PATIENCE] = [2500, 20000]; // ms: until the first picture is taken; that one may take
const KEPT = "crf.picture "; // before a stop's address, in the window's storage
const pause = (ms) => new Promise((go) => setTimeout(go, ms));

export default {
  render({ model, el, signal }) {
    const list = fill(el, SKELETON);
    const act = (what, stop, to = stop) => report(model, "act", { do: what, stop, to });
    let from = null;
    const row = ({ title, minutes, start, href }, k, { chosen, words }) => {
      const line = html("li", { draggable: "true" }, list);
      html("span", { class: "start" }, line, `${start}′`);
      html("span", { class: "picture", "data-href": href }, line);
      const choose = html("button", { type: "button", class: "choose", ...(k === chosen && { "aria-current": "true" }) }, line, `${k + 1}. ${title}${minutes ? ` · ${minutes} min` : ""}`);
      const away = html("button", { type: "button", class: "delete", title: `${words.delete}: ${title}`, "aria-label": `${words.delete}: ${title}` }, line, "×");
      choose.onclick = () => act("choose", k);
      away.onclick = () => act("delete", k);
      line.ondragstart = (event) => {
        from = k;
        event.dataTransfer.setData("text/plain", title);
      };
      line.ondragover = (event) => {
        if (from === null) return;
        event.preventDefault();
        for (const other of list.children) other.classList.toggle("under", other === line);
      };
      line.ondrop = (event) => {
        event.preventDefault();
        if (from !== null && from !== k) act("move", from, k);
      };
      line.ondragend = () => {
        from = null;
        for (const other of list.children) other.classList.remove("under");
      };
    };
    whenData(model, signal, (data) => {
      const focused = Array.from(list.children).findIndex((line) => line.contains(el.getRootNode().activeElement));
      list.replaceChildren();
      data.stops.forEach((stop, k) => row(stop, k, data));
      takeAll(list, signal);
      if (focused >= 0) list.children[Math.min(data.chosen, list.children.length - 1)]?.querySelector(".choose").focus();
    });
  },
};

// Put each picture that there is into its place; returns the address of one that is not there.
function show(list) {
  let missing = null;
  for (const place of list.querySelectorAll(".picture")) {
    const { href } = place.dataset;
    const text = pictures.get(href) ?? remembered(KEPT + href);
    if (text === null) missing ??= href;
    else if (!place.firstChild && text) place.append(element("img", { src: `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`, alt: "" }));
  }
  return missing;
}

const pictures = new Map(); // address -> the text of an SVG; "": it has no figure

let taking = null; // whose list of stops is at it

// Take the pictures that a list lacks, one after the other; what it lacks later is seen as well.
async function takeAll(list, signal) {
  if (!show(list) || taking === list) return;
  taking = list;
  await pause(IDLE);
  for (let href = show(list); href && !signal.aborted; href = show(list)) {
    const text = await taken(href, signal);
    if (text === null) break;
    pictures.set(href, text);
    remember(KEPT + href, text);
  }
  if (taking === list) taking = null;
}

// The largest figure of a page, as an SVG; null: the list has gone meanwhile.
async function taken(href, signal) {
  const frame = outOfSight(href);
  const end = performance.now() + PATIENCE;
  const isThere = () => "fitted" in (frame.contentDocument?.documentElement?.dataset ?? {});
  while (!isThere() && performance.now() < end && !signal.aborted) await pause(150);
  const size = (figure) => figure.getBoundingClientRect().width * figure.getBoundingClientRect().height;
  const [figure] = [...figures(frame.contentDocument)].filter((one) => one.checkVisibility()).sort((a, b) => size(b) - size(a));
  const text = figure ? figureAsSvg(figure) : "";
  frame.remove();
  return signal.aborted ? null : text;
}

function* figures(root) {
  for (const part of root?.querySelectorAll("*") ?? []) {
    if (part.dataset?.figure !== undefined) yield part;
    if (part.shadowRoot) yield* figures(part.shadowRoot);
  }
}
