// Elements, made from names and attributes; text is always text.

const SVG = "http://www.w3.org/2000/svg";

function html(name, attributes = {}, parent = null, text = null) {
  return filled(document.createElement(name), attributes, parent, text);
}

function svg(name, attributes = {}, parent = null, text = null) {
  return filled(document.createElementNS(SVG, name), attributes, parent, text);
}

function filled(element, attributes, parent, text) {
  for (const key in attributes) element.setAttribute(key, attributes[key]);
  if (text !== null) element.textContent = text;
  parent?.append(element);
  return element;
}

function clipped(text, room) {
  const letters = [...text];
  return letters.length > room ? letters.slice(0, Math.max(room - 1, 1)).join("") + "…" : text;
}

// How wide a number is, in digits: the exponent is small, and its spaces are drawn narrow.
function digits(label) {
  return [...label].reduce((sum, letter) => sum + (letter === " " ? 0.15 : /[⁰¹²³⁴⁵⁶⁷⁸⁹⁻]/.test(letter) ? 0.65 : 1), 0);
}
