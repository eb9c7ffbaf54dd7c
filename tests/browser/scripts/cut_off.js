() => {
  const found = [];
  const look = (root) => {
    for (const element of root.querySelectorAll("*")) {
      if (element.shadowRoot) look(element.shadowRoot);
      if (element.tagName !== "svg" || element.closest("button, .js-plotly-plot, .links")) continue;
      const frame = element.getBoundingClientRect();
      if (frame.width < 150) continue; // an icon
      for (const mark of element.querySelectorAll("rect, circle, text, path")) {
        const box = mark.getBoundingClientRect();
        if ((!box.width && !box.height) || mark.closest("defs, .hit")) continue;
        const over = Math.max(
          frame.left - box.left,
          box.right - frame.right,
          frame.top - box.top,
          box.bottom - frame.bottom,
        );
        if (over > 2) found.push(mark.outerHTML);
      }
    }
  };
  look(document);
  return found;
};
