(root) => {
  const found = root.outerHTML.match(/[^ ]*(NaN|undefined|Infinity)[^ ]*/g) ?? [];
  for (const group of root.querySelectorAll("svg, table")) {
    // what arrow keys go through
    const stops = [...group.querySelectorAll("[tabindex]")].map((e) => e.tabIndex);
    const once = stops.filter((at) => at === 0).length === 1;
    if (stops.includes(-1) && !once) found.push(`Tab: ${stops}`);
  }
  for (const picture of root.querySelectorAll("svg")) {
    const texts = [...picture.querySelectorAll("text")]
      .filter((e) => e.textContent.trim() && e.checkVisibility({ visibilityProperty: true }))
      .map((e) => [e.textContent, e.getBoundingClientRect()]);
    texts.forEach(([text, a], i) =>
      texts.slice(0, i).forEach(([other, b]) => {
        const wide = Math.min(a.right, b.right) - Math.max(a.left, b.left);
        const high = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
        const least = 0.4 * Math.min(a.height, b.height);
        if (wide > 3 && high > least) found.push(`${other} under ${text}`);
      }),
    );
  }
  return found;
};
