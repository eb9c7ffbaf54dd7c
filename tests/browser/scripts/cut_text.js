// What the edge of a picture cuts: a part of a number reads as another number.
(figure) => {
  const cut = [];
  for (const text of figure.querySelectorAll("svg text")) {
    const clip = { left: 0, right: innerWidth };
    for (let svg = text.ownerSVGElement; svg; svg = svg.ownerSVGElement) {
      if (getComputedStyle(svg).overflow === "visible") continue;
      const { left, width } = (svg.ownerSVGElement ?? svg).getBoundingClientRect();
      const x = svg.ownerSVGElement ? svg.x.baseVal.value : 0;
      clip.left = Math.max(clip.left, left + x);
      clip.right = Math.min(clip.right, left + x + (svg.ownerSVGElement ? svg.width.baseVal.value : width));
    }
    const { left, right, width } = text.getBoundingClientRect();
    const seen = Math.min(right, clip.right) - Math.max(left, clip.left);
    if (text.checkVisibility({ opacityProperty: true }) && seen > 1 && seen < width - 2) cut.push(text.textContent);
  }
  return cut;
};
