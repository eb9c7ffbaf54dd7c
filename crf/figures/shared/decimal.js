// The decimal mark of the reader's language: numbers that are formatted here are written with it.

let mark = ".";

// A host's words name it, where they do.
export function writeDecimalsWith(words) {
  mark = words["decimal-mark"] ?? ".";
}

// A number's text with the mark in place of the point.
export const decimal = (text) => text.replace(".", mark);

// A whole number with its digits in groups; with narrow blanks where a comma is the decimal mark.
export const grouped = (n) => n.toLocaleString("en").replaceAll(",", mark === "," ? "\u202f" : ",");
