() => {
  const root = [...document.querySelectorAll('[data-testid=stBidiComponentIsolated]')]
    .map((host) => host.shadowRoot).find((inside) => inside?.querySelector('.trellis'));
  const context = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true });
  const light = (colour, under) => {
    context.clearRect(0, 0, 1, 1);
    for (const layer of [under, colour]) {
      context.fillStyle = layer;
      context.fillRect(0, 0, 1, 1);
    }
    const [r, g, b] = [...context.getImageData(0, 0, 1, 1).data].slice(0, 3).map((c) => c / 255)
      .map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const page = getComputedStyle(document.querySelector('.stApp')).backgroundColor;
  const ratio = (a, b) => {
    const [x, y] = [light(a, page), light(b, page)].sort((p, q) => q - p);
    return (x + 0.05) / (y + 0.05);
  };
  const found = [];
  for (const cell of root.querySelectorAll('.cell.on:not(.band-1)')) {
    const [rect, text] = [cell.querySelector('rect'), cell.querySelector('text:last-child')];
    const pair = [getComputedStyle(text).fill, getComputedStyle(rect).fill];
    found.push(['text', cell.getAttribute('class'), ratio(...pair)]);
  }
  const texts = ['.say .now', '.equation .now span', '.note', '.terms th', '.terms td', '.band',
    '.key', '.count', '.head text', '.name'];
  for (const text of root.querySelectorAll(texts.join())) {
    const style = getComputedStyle(text);
    const colour = text.namespaceURI.endsWith('svg') ? style.fill : style.color;
    found.push(['text', text.getAttribute('class'), ratio(colour, style.backgroundColor)]);
  }
  const lines = ['.back.on', '.incoming path[d]', '.greedy.on', '.frame', '.rings .outer.on'];
  for (const line of root.querySelectorAll(lines.join()))
    found.push(['line', line.getAttribute('class'), ratio(getComputedStyle(line).stroke, page)]);
  return found;
}
