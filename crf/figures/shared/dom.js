// Elements from names. Text is always text, never markup: the one place that reads markup is `fill`, for constants of ours.

export const SVG = "http://www.w3.org/2000/svg";

// By properties, with its children.
export function element(name, properties = {}, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  if ("textContent" in properties) made.textContent = isolated(properties.textContent);
  made.append(...children.map((child) => (typeof child === "string" ? isolated(child) : child)));
  return made;
}

// By attributes, put into its parent.
export function html(name, attributes = {}, parent = null, text = null) {
  return filled(document.createElement(name), attributes, parent, text);
}

export function svg(name, attributes = {}, parent = null, text = null) {
  return filled(document.createElementNS(SVG, name), attributes, parent, text);
}

// Put a constant skeleton into an element; returns its first part. Never call it with anything that came from outside.
export function fill(el, skeleton) {
  const template = document.createElement("template");
  template.innerHTML = skeleton;
  el.replaceChildren(template.content);
  return el.firstElementChild;
}

export function put(made, attributes) {
  for (const key in attributes) made.setAttribute(key, attributes[key]);
}

function filled(made, attributes, parent, text) {
  put(made, attributes);
  if (text !== null) made.textContent = isolated(text);
  parent?.append(made);
  return made;
}

// Right-to-left names within other text, isolated so that the brackets and digits beside them stay in their places; the
// same rule as in pages/shared/course/right_to_left.py.
const [RIGHT_TO_LEFT, IN_NAME] = ["\\u0590-\\u08ff\\ufb1d-\\ufdff\\ufe70-\\ufefc\\u{10800}-\\u{10fff}\\u{1e800}-\\u{1efff}", "[\\p{L}\\p{M}\\p{N}_\\u200c\\u200d]"];
const ONE_NAME = `(?:${IN_NAME}+[-.'’])*${IN_NAME}*[${RIGHT_TO_LEFT}]${IN_NAME}*(?:[-.'’]${IN_NAME}+)*`;
const NAMES_TO_ISOLATE = new RegExp(`\\u2068[^\\u2069]*\\u2069|${ONE_NAME}(?: ${ONE_NAME})*`, "gu");

export function isolated(text) {
  return String(text).replace(NAMES_TO_ISOLATE, (name) => (name[0] === "\u2068" ? name : `\u2068${name}\u2069`));
}

// A text of words.md with its {holes} filled.
export function filledText(text, holes) {
  return text.replace(/\{(\w+)\}/g, (_, name) => holes[name]);
}

// A skeleton's words: of data-word an element consists, by data-title it is explained, by data-label it is called.
export function writeWords(root, words) {
  const named = (kind) => [root, ...root.querySelectorAll(`[data-${kind}]`)].filter((part) => part.dataset[kind] in words);
  for (const part of named("word")) part.textContent = words[part.dataset.word];
  for (const part of named("title")) part.title = words[part.dataset.title];
  for (const part of named("label")) part.setAttribute("aria-label", words[part.dataset.label]);
}

export function clipped(text, room) {
  const letters = [...text];
  return letters.length > room ? letters.slice(0, Math.max(room - 1, 1)).join("") + "…" : text;
}

// How wide a number is, in digits: the exponent is small, and its spaces are drawn narrow.
export function digits(label) {
  return [...label].reduce((sum, letter) => sum + (letter === " " ? 0.15 : /[⁰¹²³⁴⁵⁶⁷⁸⁹⁻]/.test(letter) ? 0.65 : 1), 0);
}

// The smallest size in px of letters before a class, where a page is fitted to its window; else 0.
export function readable() {
  return parseFloat(document.documentElement.style.getPropertyValue("--crf-least")) || 0;
}

// How much higher than usual a picture is before a class, where it gets the height that is left; else 0.
export function taller() {
  return parseFloat(document.documentElement.style.getPropertyValue("--crf-rows")) || 0;
}

// How much larger a projector's link wants a picture whose letters have sizes of their own.
export function letters(root) {
  return parseFloat(getComputedStyle(root).getPropertyValue("--crf-letters")) || 1;
}

// Calls `look` with the event when a mouse moves on `part` or a finger touches it. A mouse that rests only gets
// "pointerover" from what comes under it. Do not ask for movementX: it is 0 at a browser's first move.
export function whenPointed(part, look) {
  part.onpointerover = (event) => event.pointerType === "touch" && look(event);
  part.onpointermove = look;
}

// Light the scores with these names, "transition:0:2" or "emission:1:2", in every other part of the page; `step` is given where
// they are those of a whole step.
export function lightElsewhere(root, source, reads, step) {
  const detail = { source, reads, ...(step !== undefined && { step }) };
  root.dispatchEvent(new CustomEvent("crf:light", { bubbles: true, composed: true, detail }));
}

// A presenter's keys on a screen: `take` gets 1 or -1, and says whether it had a step to take.
export function whenTurned(root, take, signal) {
  const turn = (event) => !event.defaultPrevented && root.checkVisibility() && take(event.detail) && event.preventDefault();
  document.addEventListener("crf:turn", turn, { signal });
}

// Words of the text that speak of parts of the picture: while one is pointed at or focused, `light` gets
// its name, and "" afterwards. Call it once for a component.
export function followWords(light, signal) {
  const name = (event) => event.target.closest?.("[data-lights]")?.dataset.lights;
  for (const [on, off] of [["mouseover", "mouseout"], ["focusin", "focusout"]]) {
    document.addEventListener(on, (event) => name(event) && light(name(event)), { signal });
    document.addEventListener(off, (event) => name(event) && light(""), { signal });
  }
}
