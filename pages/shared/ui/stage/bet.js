// A bet: a question with its options; those that are words stand under their columns. The answer comes after one has chosen.

import { html } from "../../../../crf/figures/shared/dom.js";

export class Bet {
  root;
  question;
  options;
  answer;
  places;
  bet;
  at;

  // `places(name)`: the reader has bet.
  constructor(root, places) {
    Object.assign(this, { root, places });
    this.question = html("p", { class: "ask" }, root);
    this.answer = html("p", { class: "answer" }, root);
    this.options = html("div", { class: "options", role: "group" }, root);
  }

  // `segments(list)` makes nodes.
  show(bet, words, segments) {
    this.root.hidden = !bet;
    this.root.toggleAttribute("data-question", Boolean(bet));
    this.bet = bet;
    if (!bet) return;
    this.question.replaceChildren(...segments(bet.question));
    this.answer.replaceChildren(...segments(bet.answer ?? []));
    this.root.classList.toggle("revealed", bet.revealed);
    const shape = JSON.stringify(bet.options);
    if (this.options.dataset.shape !== shape) this.build(bet, words);
    this.options.dataset.shape = shape;
    const field = this.options.querySelector("input");
    const asks = this.question.textContent;
    if (field && field.getAttribute("aria-label") !== asks) field.value = ""; // of another cell
    field?.setAttribute("aria-label", asks);
    field?.setAttribute("aria-invalid", String(Boolean(bet.answer && !bet.revealed && !bet.tried))); // it is no number
    this.options.querySelector(".yours").textContent =
      words[bet.revealed && !bet.chosen.trim().replace(".", "") ? "answer" : "your-bet"];
    for (const option of this.options.querySelectorAll("[data-option]")) {
      const name = option.dataset.option;
      option.disabled = bet.revealed && !bet.number;
      if (!bet.number) option.setAttribute("aria-pressed", String(name === bet.chosen));
      option.classList.toggle("right", bet.revealed && name === bet.right);
    }
    this.place(this.at);
    if (bet.answer && !bet.revealed) field?.select();
  }

  build(bet, words) {
    this.options.setAttribute("aria-label", words["your-bet"]);
    this.options.replaceChildren(html("span", { class: "yours" }, null, words["your-bet"]));
    if (bet.number) return this.buildField(words);
    for (const { name, label } of bet.options) {
      const option = html("button", { type: "button", "data-option": name }, this.options, label);
      option.onclick = () => this.places(name);
    }
  }

  // A number to be typed.
  buildField(words) {
    const field = html(
      "input",
      { "data-option": "number", inputmode: "decimal", autocomplete: "off", placeholder: words["type-number"] },
      this.options,
    );
    const place = () => field.value.trim() && this.places(field.value.trim());
    field.onkeydown = (event) => {
      if (event.key !== "Enter") return;
      event.preventDefault(); // else it also presses what has the focus once the answer is there
      place();
    };
    html("button", { type: "button", class: "check" }, this.options, words["check-number"]).onclick = place;
  }

  // Under the columns, where there is room for that.
  place(at) {
    this.at = at;
    const under = at && !at.phone && !at.windowed && this.bet?.options?.some(({ token }) => token !== null);
    this.options.classList.toggle("under", Boolean(under));
    const buttons = [...this.options.querySelectorAll("[data-option]")];
    buttons.forEach((button, i) => {
      const token = this.bet?.options?.[i]?.token ?? null;
      button.style.left = under ? `${token === null ? Math.min(at.whole - 10, at.width - 84) : at.x(token)}px` : "";
    });
  }
}
