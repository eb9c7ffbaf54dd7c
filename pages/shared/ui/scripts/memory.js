// What this window remembers until it is closed; where the browser keeps nothing, until it is loaded anew.

const here = new Map();

export function remembered(name) {
  if (here.has(name)) return here.get(name);
  try {
    return JSON.parse(sessionStorage.getItem(name));
  } catch {
    return null;
  }
}

export function remember(name, value) {
  try {
    sessionStorage.setItem(name, JSON.stringify(value));
    here.delete(name);
  } catch {
    here.set(name, value);
  }
}
