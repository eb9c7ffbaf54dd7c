// What this window remembers until it is closed.

// Null: nothing, or the browser keeps nothing.
export function remembered(name) {
  try {
    return JSON.parse(sessionStorage.getItem(name));
  } catch {
    return null;
  }
}

export function remember(name, value) {
  try {
    sessionStorage.setItem(name, JSON.stringify(value));
  } catch {
    return; // there is no more room
  }
}
