// Keeps a text of ours in this browser, under `data.name`, and tells Python when another tab has changed it.

const done = (window.crfKept ??= {}); // name -> the last write that was done; outlives this component

export default function ({ data, setStateValue }) {
  const { name, write, serial } = data;
  const tell = () => {
    let text = "";
    try {
      text = localStorage.getItem(name) ?? "";
    } catch {
      // a browser that keeps nothing: the session has it
    }
    setStateValue("kept", [Date.now(), text]);
  };
  if (write !== null && serial > (done[name] ?? 0)) {
    done[name] = serial;
    try {
      localStorage.setItem(name, write);
    } catch {
      setStateValue("full", serial);
    }
  } else if (!done[name]) {
    done[name] = 0.5; // below every serial number
    tell();
  }
  const changed = (event) => event.key === name && tell();
  window.addEventListener("storage", changed);
  return () => window.removeEventListener("storage", changed);
}
