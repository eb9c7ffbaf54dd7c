// The sentence chooses: one's own words, or an example.

import { html } from "../../../../crf/figures/shared/dom.js";

export class Chooser {
  root;
  opener;
  chooses;
  field;
  examples;
  typed;

  constructor(root, opener, chooses) {
    Object.assign(this, { root, opener, chooses });
    this.field = html(
      "input",
      {
        type: "text",
        "data-headline": "",
        autocomplete: "off",
        autocapitalize: "off",
        spellcheck: "false",
        dir: "auto",
        enterkeyhint: "go",
      },
      root,
    );
    this.examples = html("div", { class: "offers" }, root);
    opener.onclick = () => this.open(root.hidden);
    root.onkeydown = (event) => {
      if (event.key === "Escape") this.open(false);
      else if (event.key === "Enter" && event.target === this.field)
        this.take({ fix: "", edit: "", ...this.typed, sentence: this.field.value.trim() });
    };
    root.addEventListener(
      "focusout",
      ({ relatedTarget }) =>
        relatedTarget && !root.contains(relatedTarget) && relatedTarget !== opener && this.open(false),
    );
  }

  show({ headline, words }, live) {
    this.opener.hidden = !live;
    this.opener.querySelector(".chooses").textContent = words.choose;
    this.opener.setAttribute("aria-label", words.choose);
    this.field.setAttribute("aria-label", words.choose);
    this.field.value = headline.text;
    this.typed = headline.typed;
    this.examples.replaceChildren();
    for (const { label, set } of headline.examples)
      html("button", { type: "button" }, this.examples, label).onclick = () => this.take(set);
  }

  take(changes) {
    this.open(false);
    this.chooses(changes);
  }

  open(open) {
    this.root.hidden = !open;
    this.opener.setAttribute("aria-expanded", String(open));
    if (open) this.field.focus();
    else if (this.root.contains(/** @type {any} */ (this.root.getRootNode()).activeElement)) this.opener.focus();
  }
}
