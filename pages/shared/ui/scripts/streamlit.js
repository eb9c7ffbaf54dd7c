// A figure on a page of Streamlit. Components v2 calls what `hosted` returns in each run, with the data as they are then;
// the figure sees an anywidget's model. What a call returns is called when the figure is gone, and at once where newer data
// have come while the module was loaded: then the figure stays.

import { askOffer, sayStep } from "./ask.js";
import { saveWhole } from "./file.js";
import { isPacked, unpacked } from "./packed.js";

// `folder`: where the figure lies. `triggers`: values that are sent once, such as a press; all others stay until they are sent again.
export function hosted(figure, [folder, ...triggers]) {
  const models = new WeakMap(); // parentElement -> Model
  return ({ data, parentElement, setStateValue, setTriggerValue }) => {
    const model = models.get(parentElement) ?? new Model();
    models.set(parentElement, model);
    model.say = (name, value) => (triggers.includes(name) ? setTriggerValue : setStateValue)(name, value);
    model.receive(data, () => {
      const el = parentElement.querySelector(".crf-figure");
      parentElement.getRootNode().host?.setAttribute("data-crf-host", ""); // for who looks for figures
      el.dataset.saves = "html";
      el.crfFigure = { folder, model }; // for who saves a page's figures
      el.addEventListener("crf:save", ({ detail }) => saveWhole(detail, folder, model), { signal: model.signal });
      figure.render({ model, el, signal: model.signal });
    });
    return () => {
      if (parentElement.isConnected) return;
      model.end.abort();
      models.delete(parentElement);
    };
  };
}

class Model extends EventTarget {
  values = {};
  unsaved = new Map();
  end = new AbortController();
  signal = this.end.signal;
  say;

  // The first data draw the figure, later ones are a change. Packed ones take a moment.
  async receive(data, draw) {
    const received = isPacked(data) ? await unpacked(this, data) : JSON.parse(new TextDecoder().decode(data));
    if (received === null || this.signal.aborted) return;
    const isFirst = !("data" in this.values);
    this.values.data = received;
    if (isFirst) draw();
    else this.dispatchEvent(new Event("change:data"));
  }

  get live() {
    return this.values.data?.beside?.live; // where Python answers beside the runs of the page
  }

  get(name) {
    return this.values[name];
  }

  set(name, value) {
    this.values[name] = value;
    this.unsaved.set(name, value);
  }

  save_changes() {
    for (const [name, value] of this.unsaved) {
      if (name === "at" && this.live) sayStep(this.live, value);
      else this.say(name, value);
    }
    this.unsaved.clear();
  }

  on = this.addEventListener;
  off = this.removeEventListener;

  async ask(question) {
    return this.live ? askOffer(this.live, question) : null;
  }
}
