// Keeps what has been typed into fields in this browser, under `data.name`: what Python has, and, when the page is left or the phone
// falls asleep, what is in a field that Python has not heard of yet. `data.write`: the fields by key; null: Python has not heard yet.

const placeOf = (key) => `.st-key-${key.trim().replace(/[^a-zA-Z0-9_-]/g, "-")}`;

export default function ({ data, setStateValue }) {
  const { name, write } = data;
  const stored = () => {
    try {
      return localStorage.getItem(name) ?? "{}";
    } catch {
      return "{}"; // a browser that keeps nothing: the session has it
    }
  };
  const store = (text) => {
    try {
      if (text !== stored()) localStorage.setItem(name, text);
    } catch {
      // full, or keeps nothing
    }
  };
  if (write === null) setStateValue("kept", stored());
  else store(JSON.stringify(write));

  const leave = () => {
    if (write === null) return;
    const typed = { ...write };
    for (const key of Object.keys(write)) {
      const field = document.querySelector(`${placeOf(key)} input:not([role=combobox])`);
      if (field) typed[key] = field.value;
    }
    store(JSON.stringify(typed));
  };
  const hidden = () => document.visibilityState === "hidden" && leave();
  document.addEventListener("visibilitychange", hidden);
  window.addEventListener("pagehide", leave);
  return () => {
    document.removeEventListener("visibilitychange", hidden);
    window.removeEventListener("pagehide", leave);
  };
}
