// Many parts, one stop of Tab: Tab comes to one of them, the arrow keys go on from it.

const LEADS = /^(Arrow(Left|Right|Up|Down)|Home|End)$/;
const ASIDE = 3; // how much more a distance to the side counts than one along the way

export class Roving {
  root;
  parts;
  next;
  press;
  yields;
  at = null; // the part that Tab comes to
  byKeys = true; // whether keys have led to it, not a mouse

  // `root`: an element around the parts; `parts`: their selector;
  // `next(part, key)`: where an arrow key, Home or End leads, undefined: nowhere, null: those around it decide; `press(part)`:
  // Enter or Space; `yields`: after a press of the mouse the keys to the left and right are the page's.
  constructor(root, { next, press = undefined, yields = false, parts = "[tabindex]" }) {
    Object.assign(this, { root, next, press, yields, parts });
    // Chromium lets a part of an SVG that listens for the focus take it. A drawing in another one has its stop from that.
    if (root instanceof HTMLElement) root.addEventListener("focusin", ({ target }) => this.reach(this.partOf(target)));
    root.addEventListener("keydown", (event) => this.key(event));
  }

  partOf(element) {
    const part = element.closest(this.parts);
    return part && part !== this.root && this.root.contains(part) ? part : null;
  }

  reach(part) {
    if (!part) return;
    this.stop(part);
    this.byKeys = part.matches(":focus-visible");
  }

  // Let Tab come to a part.
  stop(part) {
    if (this.at !== part) this.at?.setAttribute("tabindex", -1);
    this.at = part ?? null;
    if (part && part.getAttribute("tabindex") !== "0") part.setAttribute("tabindex", 0);
  }

  // After the parts have changed: the one with the focus keeps it; if it is gone, `preferred` gets it. Where none has the focus,
  // Tab comes to `preferred`.
  settle(preferred) {
    const focused = /** @type {any} */ (this.root.getRootNode()).activeElement;
    const part = focused && this.root.contains(focused) ? this.partOf(focused) : null;
    if (part && isSeen(part)) return this.stop(part);
    this.stop(preferred);
    if (part) preferred?.focus({ preventScroll: true });
  }

  key(event) {
    const part = this.partOf(event.target);
    if (!part || event.defaultPrevented || event.altKey || event.ctrlKey || event.metaKey) return;
    if (LEADS.test(event.key)) {
      if (event.shiftKey || (this.yields && !this.byKeys && !/Up|Down/.test(event.key))) return;
      const next = this.next(part, event.key);
      if (next === null) return;
      next?.focus({ preventScroll: true });
      next?.scrollIntoView?.({ block: "nearest", inline: "nearest" });
    } else if (this.press && (event.key === "Enter" || event.key === " ")) this.press(part);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }
}

// Of parts that are seen, the one that a key leads to from another: the nearest on that side, or the first or last.
export function nearest(parts, from, key) {
  const seen = parts.filter(isSeen);
  if (key === "Home") return seen[0];
  if (key === "End") return seen.at(-1);
  const [dx, dy] = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[key];
  const [x, y] = middle(from);
  let [found, least] = [undefined, Infinity];
  for (const part of seen) {
    const [right, down] = [middle(part)[0] - x, middle(part)[1] - y];
    const [along, aside] = [right * dx + down * dy, Math.abs(right * dy) + Math.abs(down * dx)];
    if (along < 1 || along + ASIDE * aside >= least) continue;
    [found, least] = [part, along + ASIDE * aside];
  }
  return found;
}

// In Chromium checkVisibility is true of an SVG's part that has the attribute display="none".
export function isSeen(part) {
  return part.checkVisibility({ visibilityProperty: true }) && part.getBoundingClientRect().width > 0;
}

function middle(part) {
  const { left, top, width, height } = part.getBoundingClientRect();
  return [left + width / 2, top + height / 2];
}
