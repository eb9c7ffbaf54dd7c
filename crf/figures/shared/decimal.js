// Numbers that are formatted here, as the reader's language writes them.

let point = "."; // of a number below 1: the mark, and a 0 before it where the language has one

// A host's words name it, where they do.
export function writeDecimalsWith(words) {
  point = words["decimal-point"] ?? ".";
}

// A number's text with the mark in place of the point.
export const decimal = (text) => (point === "." ? text : text.replace(/(?<!\d)\./, "0.").replace(".", point.at(-1)));

// A whole number with its digits in groups; with narrow blanks where a comma is the decimal mark.
export const grouped = (n) => n.toLocaleString("en").replaceAll(",", point.at(-1) === "," ? "\u202f" : ",");
