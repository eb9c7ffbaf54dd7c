// Browsers give pages on plain http, as in a class, no clipboard: buttons that copy take the older way then.

import { element } from "../../../../../crf/figures/shared/dom.js";

export function lendClipboard() {
  if (navigator.clipboard) return;
  const writeText = async (text) => {
    const field = element("textarea", { value: text, readOnly: true });
    field.style.cssText = "position: fixed; opacity: 0";
    const before = document.activeElement;
    document.body.append(field);
    field.select();
    const done = document.execCommand("copy");
    field.remove();
    before?.focus();
    if (!done) throw new Error("The browser did not copy.");
  };
  Object.defineProperty(navigator, "clipboard", { value: { writeText }, configurable: true });
}
