// Changes without effect: words slide to other places, padding holds anything, and log Z stays.

import { clipped, html } from "../../../crf/figures/shared/dom.js";

export class Changes {
  host;
  bar;
  array;
  totals;
  boxes = new Map();

  constructor(root, host) {
    this.host = host;
    this.bar = html("div", { class: "changes", role: "group" }, root);
    this.array = html("div", { class: "array", role: "img" }, root);
    this.totals = html("table", { class: "totals" }, root);
    root.classList.add("stacked");
  }

  draw({ lines, before, after, same, changes, words }, { width, k, edge }) {
    this.array.setAttribute("aria-label", words.label);
    this.writeBar(changes, words);
    this.writeTotals(lines, before, after, same, words); // before the array is measured, which gets the rest
    const L = lines[0].cells.length;
    const high = this.array.clientHeight / lines.length;
    const pitch = Math.min((width - 2 * edge) / L, 190 * k);
    const left = (width - L * pitch) / 2;
    const found = new Set();
    lines.forEach(({ row, cells }, line) =>
      cells.forEach(({ word, fill, id }, t) => {
        const key = word ? `${row}.${id}` : `${row}:${cells.slice(0, t).filter((one) => !one.word).length}`;
        found.add(key);
        const box = this.boxes.get(key) ?? this.box(key);
        const size = Math.min(22 * k, pitch * 0.21, high * 0.34);
        box.className = word ? "token" : "blank";
        box.textContent = clipped(word || fill, Math.max(Math.floor((pitch - 10) / (size * 0.54)), 2));
        Object.assign(box.style, {
          width: `${pitch - 6}px`,
          height: `${Math.min(high - 8, 64 * k)}px`,
          fontSize: `${size}px`,
          transform: `translate(${left + t * pitch}px, ${(line + 0.5) * high - Math.min(high - 8, 64 * k) / 2}px)`,
        });
      }),
    );
    for (const [key, box] of this.boxes) {
      if (!found.has(key)) {
        box.remove();
        this.boxes.delete(key);
      }
    }
  }

  box(key) {
    const box = html("span", { "data-key": key }, this.array);
    this.boxes.set(key, box);
    return box;
  }

  writeBar(changes, words) {
    if (this.bar.childElementCount !== changes.length)
      this.bar.replaceChildren(...changes.map(() => html("button", { type: "button" })));
    const chosen = changes.filter(({ on }) => on).map(({ name }) => name);
    this.bar.setAttribute("aria-label", words.label);
    [...this.bar.children].forEach((button, i) => {
      const { name, label, on } = changes[i];
      button.textContent = label;
      button.setAttribute("aria-pressed", String(on));
      button.onclick = () => {
        const next = on ? chosen.filter((one) => one !== name) : [...chosen, name];
        this.host.set("changes", next.join(".") || "none");
      };
    });
  }

  // Before and now, line by line; a tick where they are the same.
  writeTotals(lines, before, after, same, words) {
    this.totals.replaceChildren();
    const heads = html("tr", {}, this.totals);
    for (const head of ["", words.before, words.now, ""]) html("th", {}, heads, head);
    for (const { row, cells } of lines) {
      const line = html("tr", { "data-row": row, "data-same": String(same[row]) }, this.totals);
      html(
        "td",
        { class: "sentence" },
        line,
        cells
          .map(({ word }) => word)
          .filter(Boolean)
          .join(" ") || words["no-word"],
      );
      for (const value of [before[row], after[row]]) html("td", {}, line, value);
      html("td", { class: "mark" }, line, same[row] ? "✓" : "✗");
    }
  }
}
