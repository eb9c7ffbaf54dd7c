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
const [RIGHT_TO_LEFT, IN_NAME] = [
  "\\u0590-\\u08ff\\ufb1d-\\ufdff\\ufe70-\\ufefc\\u{10800}-\\u{10fff}\\u{1e800}-\\u{1efff}",
  "[\\p{L}\\p{M}\\p{N}_\\u200c\\u200d]",
];
const ONE_NAME = `(?:${IN_NAME}+[-.'’])*${IN_NAME}*[${RIGHT_TO_LEFT}]${IN_NAME}*(?:[-.'’]${IN_NAME}+)*`;
const NAMES_TO_ISOLATE = new RegExp(`\\u2068[^\\u2069]*\\u2069|${ONE_NAME}(?: ${ONE_NAME})*`, "gu");

export function isolated(text) {
  return String(text).replace(NAMES_TO_ISOLATE, (name) => (name[0] === "\u2068" ? name : `\u2068${name}\u2069`));
}

// The nodes of a text in which a tag such as B-PER does not break at its hyphen, nor a number before its unit.
const WHOLE = /(\p{Lu}-\p{Lu}[\p{L}\p{N}_-]*|[\d.,\u202f]+ (?:%|Mio\.|Mrd\.|million|billion))/u;

export function unbroken(text) {
  const parts = text.split(WHOLE);
  return parts.map((part, i) => (i % 2 ? html("span", { class: "unbroken" }, null, part) : new Text(part)));
}

// A text of words.md with its {holes} filled.
export function filledText(text, holes) {
  return text.replace(/\{(\w+)\}/g, (_, name) => holes[name]);
}

// A skeleton's words: of data-word an element consists, by data-title it is explained, by data-label it is called.
export function writeWords(root, words) {
  const named = (kind) =>
    [root, ...root.querySelectorAll(`[data-${kind}]`)].filter((part) => part.dataset[kind] in words);
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

// Calls `look` with the event when a mouse moves on `part` or a finger touches it. A mouse that rests only gets
// "pointerover" from what comes under it. Do not ask for movementX: it is 0 at a browser's first move.
export function whenPointed(part, look) {
  part.onpointerover = (event) => event.pointerType === "touch" && look(event);
  part.onpointermove = look;
}
