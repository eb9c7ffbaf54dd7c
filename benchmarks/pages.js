// Walks the page through its shadow roots. A figure says that it is one (data-figure); of older ones
// a large drawing or heat map counts.
() => {
  const main = document.querySelector("[data-testid=stMain]");
  const shown = (node) => {
    if (!node.checkVisibility({ checkOpacity: true, checkVisibilityCSS: true })) return false;
    const { width, height } = node.getBoundingClientRect();
    return width > 1 && height > 1;
  };
  const inView = ({ left, top, right, bottom }) =>
    bottom > 4 && top < innerHeight - 4 && right > 4 && left < innerWidth - 4;
  const isFigure = (node) => {
    if (node.dataset?.figure !== undefined) return true;
    const { width, height } = node.getBoundingClientRect();
    const drawn = node.matches("svg, canvas, .js-plotly-plot, .stage, table.crf-grid");
    return drawn && width > 150 && height > 80;
  };
  const CONTROL =
    "button, input, textarea, select, summary, a[href], [role=button]," +
    "[role=radio], [role=tab], [role=slider], [role=combobox], [role=switch]";
  let words = 0,
    figures = [],
    controls = [];
  const walk = (node, inFigure) => {
    if (node.nodeType === Node.TEXT_NODE) {
      if (!inFigure) words += (node.data.match(/[\p{L}\p{N}][^\s]*/gu) ?? []).length;
      return;
    }
    if (![Node.ELEMENT_NODE, Node.DOCUMENT_FRAGMENT_NODE].includes(node.nodeType)) return;
    if (node.nodeType === Node.ELEMENT_NODE) {
      if (node.matches("script, style, footer, option")) return;
      if (node.tagName === "DETAILS" && !node.open) {
        const summary = node.querySelector(":scope > summary");
        if (summary) walk(summary, inFigure);
        return;
      }
      const box = getComputedStyle(node).display === "contents";
      if (!box && !shown(node)) return;
      if (!inFigure && isFigure(node)) {
        inFigure = true;
        figures.push(node.getBoundingClientRect());
      }
      const onItsOwn = node.closest("[data-testid=stPageLink]");
      const inText = node.matches("p a[href], li a[href]") && !onItsOwn;
      const isOption = node.matches("label:has(input[type=radio], input[type=checkbox])");
      if (!inFigure && (node.matches(CONTROL) || isOption) && !inText) {
        const place = node;
        const box = place.getBoundingClientRect();
        const inner = controls.some(([other]) => other.contains(place) || place.contains(other));
        if (!inner && box.width > 1 && inView(box)) controls.push([place, node]);
      }
    }
    for (const child of node.childNodes) walk(child, inFigure);
    if (node.shadowRoot) walk(node.shadowRoot, inFigure);
  };
  walk(main, false);
  // Area of the union of the figures' boxes on the first screen, on a grid of 4 pixels.
  let covered = 0,
    all = 0;
  const at = figures.filter(inView);
  for (let y = 2; y < innerHeight; y += 4)
    for (let x = 2; x < innerWidth; x += 4) {
      all++;
      if (at.some((b) => x >= b.left && x < b.right && y >= b.top && y < b.bottom)) covered++;
    }
  const named = ([place, node]) =>
    (node.getAttribute("aria-label") || place.innerText || node.type || "").trim().replace(/\s+/g, " ").slice(0, 40);
  const picture = Math.round((100 * covered) / all);
  return { words, controls: controls.length, picture, named: controls.map(named) };
};
