// Links among the app's pages. One that is pressed keeps what the address says now under the names in its `data-keeps`; "*":
// under all. It is an address for a new tab; in this one no document is loaded: the stage draws the page, and Python goes there.

const plain = new WeakMap(); // link → its address without what is kept

export function keep(event) {
  const link = event.composedPath().find((part) => part.dataset?.keeps);
  if (!link) return;
  if (!plain.has(link)) plain.set(link, link.href);
  const to = new URL(plain.get(link));
  const names = link.dataset.keeps.split(" ");
  for (const [name, text] of new URLSearchParams(location.search)) {
    if ((names.includes("*") || names.includes(name)) && !to.searchParams.has(name)) to.searchParams.set(name, text);
  }
  if (names.includes("*")) to.hash = location.hash;
  link.href = to.href;
}

// The way that a press takes to another page of the app: `ways` has the pages by their paths. Streamlit's own links have
// been followed by now.
export function wayOf(event, ways) {
  const { defaultPrevented, button, ctrlKey, metaKey, shiftKey, altKey } = event;
  if (defaultPrevented || button || ctrlKey || metaKey || shiftKey || altKey) return null;
  const link = event.composedPath().find((part) => part.localName === "a" && part.href);
  if (!link || link.download || link.target === "_blank" || link.origin !== location.origin) return null;
  if (link.dataset.keeps === "*") return null; // the same page in another language
  const { pathname: path, searchParams } = new URL(link.href);
  if (!ways[path]) return null;
  searchParams.delete("lang"); // the session speaks it
  return { path, draws: ways[path].lesson ? ways[path] : null, query: searchParams.toString() };
}
