async (root) => {
  const [offer, follow] = [URL.createObjectURL, HTMLAnchorElement.prototype.click];
  let file = null;
  URL.createObjectURL = (blob) => ((file = blob), "#");
  HTMLAnchorElement.prototype.click = () => {};
  const names = [".stepper [data-way=svg]", ".save", ".save-figure"];
  names
    .map((name) => document.querySelector(name))
    .find(Boolean)
    .click();
  document.querySelector(".ways:popover-open [data-way=svg]")?.click();
  for (let k = 0; k < 9 && !file; k += 1) await new Promise(requestAnimationFrame);
  const text = await file.text();
  URL.createObjectURL = offer;
  HTMLAnchorElement.prototype.click = follow;
  const host = document.createElement("div");
  host.style = "position: absolute; left: 0; top: 0";
  document.body.append(host);
  const saved = host.attachShadow({ mode: "open" }); // no style of ours comes in
  saved.innerHTML = text;
  const seen = (e) => e.checkVisibility({ opacityProperty: true, visibilityProperty: true });
  const words = (e) =>
    [...e.childNodes]
      .filter((node) => node.nodeName !== "title")
      .map((node) => node.textContent)
      .join(""); // without its tooltip
  const texts = (picture) =>
    [...picture.querySelectorAll("text")]
      .filter((e) => words(e).trim() && seen(e))
      .map((e) => {
        const box = e.getBoundingClientRect();
        const { fill, stroke, paintOrder } = getComputedStyle(e);
        const halo = paintOrder.startsWith("stroke") && stroke !== "none";
        return {
          text: words(e),
          x: (box.left + box.right) / 2,
          y: (box.top + box.bottom) / 2,
          wide: box.width,
          halo,
          fill,
          stroke,
        };
      });
  const said = []; // outside of an SVG
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const parent = node.parentElement;
    if (!node.data.trim() || !seen(parent) || parent.closest("svg, [data-export=no]")) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    const [box, ...more] = range.getClientRects();
    if (more.length === 0)
      said.push({
        text: node.data.trim(),
        x: (box.left + box.right) / 2,
        y: (box.top + box.bottom) / 2,
        wide: box.width,
        halo: false,
      });
  }
  const inPicture = root.closest(".flow, .stepper"); // what they save is the SVG alone
  const frames = [...saved.querySelectorAll("rect, line")].map((e) => {
    const { x, y, width, height } = e.getBoundingClientRect();
    return [[e.getAttribute("stroke"), e.getAttribute("stroke-dasharray")], x, y, width, height];
  });
  const found = {
    text,
    shown: [...texts(root), ...(inPicture ? [] : said)],
    saved: texts(saved),
    frames,
    wide: saved.firstChild.clientWidth,
    high: saved.firstChild.clientHeight,
  };
  host.remove();
  return found;
};
