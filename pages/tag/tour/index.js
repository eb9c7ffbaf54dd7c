// A guided first minute: three marks beside what they speak of, one at a time, which the reader starts or ignores.

import { element, fill } from "../../../crf/figures/shared/dom.js";
import { whenData } from "../../../crf/figures/shared/model.js";

const AT = [".ribbon", ".block[tabindex='0'], .block", ".lines"]; // in the flow: what each mark speaks of
const SKELETON = `<p class="offer"></p>
<div class="mark" popover="manual" role="note" aria-live="polite">
  <b class="number"></b><p class="said"></p><button type="button" class="next"></button><button type="button" class="close"></button>
</div>`;

export default {
  render({ model, el, signal }) {
    const root = fill(el, SKELETON);
    const find = (selector) => el.querySelector(selector);
    const mark = find(".mark");
    /** @type {any} */
    let [words, at] = [{}, 0];

    const place = () => {
      const box = target(AT[at])?.getBoundingClientRect();
      if (!mark.matches(":popover-open") || !box) return;
      const top = Math.min(Math.max(box.top + box.height / 2 + 14, 8), innerHeight - mark.offsetHeight - 8);
      const left = Math.min(Math.max(box.left + Math.min(box.width / 2, 240), 8), innerWidth - mark.offsetWidth - 8);
      Object.assign(mark.style, { top: `${top}px`, left: `${left}px` });
    };
    const end = () => {
      if (mark.matches(":popover-open")) mark.hidePopover();
      root.querySelector?.("a")?.focus();
    };
    const show = (number) => {
      at = number;
      find(".number").textContent = at + 1;
      find(".said").textContent = words[at + 1];
      find(".next").hidden = at === AT.length - 1;
      if (!mark.matches(":popover-open")) mark.showPopover();
      target(AT[at])?.scrollIntoView({ block: "nearest" });
      place();
      find(at === AT.length - 1 ? ".close" : ".next").focus();
    };
    whenData(model, signal, (data) => {
      words = data.words;
      const [before, linked, after] = words.offer.split(/\[|\]\(#start\)/);
      const link = element("a", { href: "#start", textContent: linked });
      link.onclick = (event) => {
        event.preventDefault();
        show(0);
      };
      find(".offer").replaceChildren(before, link, after);
      find(".next").textContent = words.next;
      find(".close").textContent = words.close;
    });
    find(".next").onclick = () => show(at + 1);
    find(".close").onclick = end;
    mark.onkeydown = (event) => event.key === "Escape" && end();
    window.addEventListener("scroll", place, { capture: true, signal });
    window.addEventListener("resize", place, { signal });
    signal.addEventListener("abort", end);
  },
};

// A part of the flow on this page.
function target(selector) {
  const hosts = Array.from(document.querySelectorAll("[data-crf-host]"), ({ shadowRoot }) => shadowRoot);
  return hosts.map((root) => root?.querySelector("[data-figure=flow]")?.querySelector(selector)).find(Boolean);
}
