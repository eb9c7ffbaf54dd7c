// The menu of a word: all its tags with bars as long as they are probable. What is chosen is reported like a block.

import { html } from "../shared/dom.js";

export class Menu {
  menu;
  choose;
  root;

  constructor(root, menu, choose) {
    Object.assign(this, { root, menu, choose });
    menu.onkeydown = (event) => this.key(event);
    root.addEventListener("focusout", (event) => {
      if (!menu.hidden && menu.contains(event.target) && !menu.contains(event.relatedTarget)) this.close(false);
    });
  }

  // `choices`: { name, colour, about, p, text, held } of each tag.
  open(opener, token, choices, label) {
    this.opener = opener;
    this.menu.setAttribute("aria-label", label);
    const items = choices.map(({ name, colour, about, p, text, held }) => {
      const item = html("button", { type: "button", role: "menuitemradio", tabindex: -1, "aria-checked": held });
      html("b", {}, item, name);
      const bar = html("i", { "aria-hidden": true }, html("span", { class: "room" }, item));
      bar.style.width = `${Math.max(100 * p, p > 0 ? 1 : 0)}%`;
      bar.style.background = `rgb(${colour})`;
      html("small", {}, item, text);
      if (about) item.title = about;
      item.onfocus = () => items.forEach((other) => other.setAttribute("tabindex", other === item ? 0 : -1));
      item.onclick = () => {
        this.close(true);
        this.choose(token, name);
      };
      return item;
    });
    this.menu.replaceChildren(...items);
    this.menu.hidden = false;
    const [box, frame] = [opener.getBoundingClientRect(), this.root.getBoundingClientRect()];
    const left = Math.min(Math.max(box.left - frame.left, 0), Math.max(0, frame.width - this.menu.offsetWidth));
    Object.assign(this.menu.style, { left: `${left}px`, top: `${box.bottom - frame.top + 2}px` });
    (items.find((item) => item.ariaChecked === "true") ?? items[0])?.focus({ preventScroll: true });
  }

  close(back) {
    this.menu.hidden = true;
    if (back) this.opener?.focus({ preventScroll: true });
  }

  key(event) {
    const items = [...this.menu.children];
    const at = items.indexOf(event.target);
    const next = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: items.length - 1 }[event.key];
    if (event.key === "Escape") this.close(true);
    else if (next !== undefined) items[(next + items.length) % items.length]?.focus();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }
}
