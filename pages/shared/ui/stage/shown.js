// Something new is on screen: the presenter is told, and gets the stage.

export const SHOWN = "crf:shown";
export const WHAT = "crf:what"; // somebody who came later asks what is on screen

export function tellShown(stage) {
  stage.root.dispatchEvent(new CustomEvent(SHOWN, { bubbles: true, composed: true, detail: stage }));
}
