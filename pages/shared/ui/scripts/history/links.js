// A link that is pressed keeps what the address says now under the names in its `data-keeps`; "*": under all.

const plain = new WeakMap(); // link → its address without that

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
