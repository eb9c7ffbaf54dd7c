// What a figure asks of its model, which is an anywidget's in every host: `get`, `set`, `save_changes`, `on`, `off`.

// Call `load` with the data, now and whenever they change.
export function whenData(model, signal, load) {
  const changed = () => load(model.get("data"));
  model.on("change:data", changed);
  signal.addEventListener("abort", () => model.off("change:data", changed));
  changed();
}

// Tell Python what the reader has chosen.
export function report(model, name, value) {
  model.set(name, value);
  model.save_changes();
}
