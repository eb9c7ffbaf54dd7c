// The keys of a lesson: they act on the whole page, unless the focus is in a field.

import { lettersAct } from "./keeping.js";

export function press(lesson, event) {
  const undoes =
    (event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "z" && !event.shiftKey && !event.altKey;
  const target = event.composedPath()[0];
  if (
    event.defaultPrevented ||
    !lesson.root.checkVisibility() ||
    !lesson.takes(event) ||
    /^(INPUT|TEXTAREA|SELECT)$/.test(target.nodeName) ||
    target.isContentEditable
  )
    return;
  if (undoes && lesson.undone.length) {
    event.preventDefault();
    return lesson.undo();
  }
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const single = event.shiftKey && lesson.now.stops && !lesson.trellis; // where → and ← take several steps at once
  const act = {
    ArrowRight: () =>
      single ? lesson.go(lesson.at + 1) : event.shiftKey ? lesson.go(lesson.endOfColumn) : lesson.step(1),
    ArrowLeft: () => (single ? lesson.go(lesson.at - 1) : lesson.step(-1)),
    PageDown: () => lesson.page(1),
    PageUp: () => lesson.page(-1),
    End: () => lesson.go(lesson.now.of - 1),
    Home: () => lesson.go(lesson.now.first),
    n: () => lesson.turn(1),
    N: () => lesson.turn(-1),
    ...(lesson.trellis && { h: () => lesson.trellis.heat(), H: () => lesson.trellis.heat() }),
    " ": () => target.nodeName !== "BUTTON" && target.nodeName !== "A" && lesson.player.toggle(),
  }[event.key];
  if (/^[a-z]$/i.test(event.key) && !lesson.root.closest("[data-presenting]") && !lettersAct()) return;
  if (!act || (event.key === " " && /^(BUTTON|A)$/.test(target.nodeName))) return;
  event.preventDefault();
  if (event.key !== " ") lesson.player.stop();
  act();
}
