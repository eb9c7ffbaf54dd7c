async ([host, values, hostile]) => {
  document.body.innerHTML = '<div id=cell style="width: 884px"></div>';
  const style = document.createElement("style");
  style.textContent = hostile;
  document.head.append(style);
  const listeners = [];
  window.told = [];
  const model = {
    get: (name) => values[name],
    set: (...said) => window.told.push(said),
    save_changes() {},
    on: (name, act) => listeners.push([name, act]),
    off() {},
    send() {},
  };
  const url = URL.createObjectURL(new Blob([host], { type: "text/javascript" }));
  const { default: widget } = await import(url);
  const el = document.getElementById("cell");
  await widget.render({ model, el, signal: new AbortController().signal });
  window.change = (data) => {
    values.data = data;
    for (const [name, act] of listeners) if (name === "change:data") act();
  };
};
