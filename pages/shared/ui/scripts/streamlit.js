// A figure on a page of Streamlit. Components v2 calls what `hosted` returns in each run, with the data as they are then;
// the figure sees an anywidget's model. What a call returns is called when the figure is gone, and at once where newer data
// have come while the module was loaded: then the figure stays.

// `triggers`: values that are sent once, such as a press; all others stay until they are sent again.
export function hosted(figure, triggers) {
  const models = new WeakMap(); // parentElement -> Model
  return ({ data, parentElement, setStateValue, setTriggerValue }) => {
    const model = models.get(parentElement) ?? new Model();
    models.set(parentElement, model);
    model.say = (name, value) => (triggers.includes(name) ? setTriggerValue : setStateValue)(name, value);
    const isFirst = model.receive(data);
    if (isFirst) figure.render({ model, el: parentElement.querySelector(".crf-figure"), signal: model.signal });
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

  // Whether these are the first data, which draw the figure; later ones are a change.
  receive(data) {
    const isFirst = !("data" in this.values);
    this.values.data = JSON.parse(new TextDecoder().decode(data));
    if (!isFirst) this.dispatchEvent(new Event("change:data"));
    return isFirst;
  }

  get(name) {
    return this.values[name];
  }

  set(name, value) {
    this.values[name] = value;
    this.unsaved.set(name, value);
  }

  save_changes() {
    for (const [name, value] of this.unsaved) this.say(name, value);
    this.unsaved.clear();
  }

  on = this.addEventListener;
  off = this.removeEventListener;
}
