// Keys: the figure's own; anywhere on the page those of a presenter's remote. Escape or a click elsewhere closes the menu.

const KEYS = {
  ArrowLeft: "previous",
  ArrowUp: "previous",
  ArrowRight: "next",
  ArrowDown: "next",
  Home: "first",
  End: "last",
  PageUp: "columnBack",
  PageDown: "columnOn",
  " ": "play",
  s: "surprise",
};
const PRESENTER = { ArrowLeft: "previous", ArrowRight: "next", PageUp: "previous", PageDown: "next", " ": "next" };

export class Keys {
  constructor(stepper, signal) {
    this.stepper = stepper;
    this.more = stepper.find(".more");
    this.isClicked = false; // something on the page
    stepper.root.onkeydown = (event) => this.key(event);
    document.addEventListener("keydown", (event) => this.keyAnywhere(event), { signal });
    document.addEventListener("pointerdown", (event) => this.closeMore(event), { signal, capture: true });
  }

  closeMore(event) {
    this.isClicked = true;
    if (this.more.open && !event.composedPath().includes(this.more)) this.more.open = false;
  }

  key(event) {
    const { stepper, more } = this;
    if (event.key === "Escape" && more.open) {
      more.open = false;
      return more.querySelector("summary").focus();
    }
    if (
      !stepper.data ||
      event.altKey ||
      event.ctrlKey ||
      event.metaKey ||
      event.target.closest("select, details, input:not([type=range])")
    )
      return;
    if ((event.key === " " || event.key === "Enter") && event.target.closest("button")) return;
    if (!KEYS[event.key]) return;
    event.preventDefault();
    stepper.act(KEYS[event.key]);
  }

  // A presenter's remote steps, wherever the focus is.
  keyAnywhere(event) {
    const { root, data } = this.stepper;
    if (!data || !root.isConnected || event.defaultPrevented) return;
    const target = event.composedPath()[0];
    const writes = target.closest?.("input:not([type=range]), textarea, select, [contenteditable=true]");
    const here = event.composedPath().includes(root);
    // Where nothing is chosen arrows do; a remote's keys, too, until something is clicked: from then on they scroll.
    const isFree = target === document.body && (event.key.startsWith("Arrow") || !this.isClicked);
    if (!isFree || here || writes || event.ctrlKey || event.metaKey || event.altKey || !PRESENTER[event.key]) return;
    if (event.key === " " && target.closest?.("button, a, summary, [role=button]")) return;
    event.preventDefault();
    this.stepper.act(PRESENTER[event.key]);
  }
}
