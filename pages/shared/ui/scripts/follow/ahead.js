// The picture of a stop, or what it asks, which covers the page until the stop's own page is there. It outlives the parts of the page.

import { element } from "../../../../../crf/figures/shared/dom.js";
import { unzipped } from "../file.js";

const LONGEST = 10000; // ms
const LOOK = 100; // ms between two looks for the page's own picture, or question
const PICTURE = '[class*="st-key-picture-"] [data-crf-host]';
const QUESTION = '.st-key-page [class*="st-key-asks-"]';
const DRAWN = 2000; // ms after which a page that has begun is taken for there
const STYLE = `
:host { position: fixed; inset: 3rem 0 0; z-index: 999; overflow: auto; padding: 0 1rem 1rem; background: var(--st-background-color); }
.words { font: 1.15rem/1.5 var(--st-font); color: var(--st-text-color); white-space: pre-line; }
p { margin: .5rem 0 1rem; font: .95rem var(--st-font); color: var(--st-text-color); }
`;
let end = new AbortController(); // of what is shown
let own = PICTURE; // what the page has in its place

// `theme`: an element of the page, as wide as that, with Streamlit's colours.
export async function showAhead(url, title, theme) {
  takeAway();
  const { signal } = (end = new AbortController());
  const answer = await fetch(url, { mode: "same-origin", signal });
  if (!answer.ok) return;
  const { folder, style, data } = await answer.json();
  own = folder ? PICTURE : QUESTION;
  const draw = folder ? await drawing(folder, data) : (el) => el.append(element("div", { textContent: data }));
  if (signal.aborted || !theme.isConnected) return;
  const el = element("div", { className: folder ? "crf-figure alone" : "words" });
  const cover = element("div", { role: "region", ariaLabel: title });
  cover.attachShadow({ mode: "open" }).append(element("style", { textContent: STYLE + style }), element("p", { textContent: title }), el);
  const colours = getComputedStyle(theme);
  for (const [name] of (STYLE + style).matchAll(/--st-[\w-]+/g)) cover.style.setProperty(name, colours.getPropertyValue(name));
  const { left, right } = theme.getBoundingClientRect(); // beside the menu, where that is open
  Object.assign(cover.style, { left: `${left - 16}px`, width: `${right - left + 32}px` });
  document.body.append(cover);
  signal.addEventListener("abort", () => cover.remove());
  setTimeout(() => takeAway(signal), LONGEST);
  draw(el, signal);
}

async function drawing(folder, packed) {
  const [{ default: figure }, data] = await Promise.all([import(`../../../../../${folder}/index.js`), unzipped(packed)]);
  const values = { data };
  const model = { get: (name) => values[name], set: (name, value) => (values[name] = value), save_changes() {}, on() {}, off() {} };
  return (el, signal) => figure.render({ model, el, signal });
}

// Whatever is shown, or that which has this signal.
export function takeAway(only = end.signal) {
  if (only === end.signal) end.abort();
}

// Once the page, which has begun, has its own picture or question.
export function giveWay() {
  const { signal } = end;
  if (signal.aborted) return;
  const began = performance.now();
  const isThere = () => document.querySelector(own)?.clientHeight;
  const looking = setInterval(() => {
    if (isThere() || performance.now() - began > DRAWN) takeAway(signal);
  }, LOOK);
  signal.addEventListener("abort", () => clearInterval(looking));
}
