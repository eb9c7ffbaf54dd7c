// What a browser keeps for these pages, as JSON: in "sessionStorage" or "localStorage". A browser that keeps nothing has null.

/** @returns {any} */
export function recall(store, key) {
  try {
    return JSON.parse(storage(store).getItem(key));
  } catch {
    return null;
  }
}

export function remember(store, key, value) {
  try {
    if (value === null) storage(store).removeItem(key);
    else storage(store).setItem(key, JSON.stringify(value));
  } catch {
    // it is gone with the page
  }
}

const LETTERS = "crf.letters"; // in localStorage: false where the reader has turned the letters off

// Whether a letter alone is a key outside of a presentation: speech input and screen readers have letters of their own.
export const lettersAct = () => recall("localStorage", LETTERS) !== false;

export const letLettersAct = (act) => remember("localStorage", LETTERS, act ? null : false);

function storage(store) {
  return store === "localStorage" ? localStorage : sessionStorage;
}
