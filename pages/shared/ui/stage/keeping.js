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

function storage(store) {
  return store === "localStorage" ? localStorage : sessionStorage;
}
