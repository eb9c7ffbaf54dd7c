// Something new is on screen: whoever presents it is told.

export const SHOWN = "crf:shown";

export function tellShown(root) {
  root.dispatchEvent(new CustomEvent(SHOWN, { bubbles: true, composed: true }));
}
