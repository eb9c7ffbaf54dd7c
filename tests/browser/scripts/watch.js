() => {
  window.seen = [];
  const look = () => {
    const stage = [...document.querySelectorAll('[data-testid=stBidiComponentIsolated]')]
      .map((host) => host.shadowRoot).find((root) => root?.querySelector('iframe.here'));
    const frame = stage?.querySelector('iframe.here');
    const page = frame?.contentDocument;
    const content = page?.querySelector('.st-key-page');
    const hides = (part) => getComputedStyle(part).opacity === '0';
    for (const part of [frame, content]) {  // what is fitted is hidden for 6 s at most: here may be other work
      if (part) part.style.animationDuration = '60s';
    }
    if (!content || hides(frame) || hides(content)) return;
    const roots = [...content.querySelectorAll('[data-testid=stBidiComponentIsolated]')]
      .map((host) => host.shadowRoot).filter(Boolean);
    const parts = [content, ...roots].flatMap((root) => [...root.querySelectorAll('*')])
      .filter((part) => part.checkVisibility({ visibilityProperty: true, opacityProperty: true }));
    const texts = parts.filter((part) => part.clientWidth !== 1 && part.nodeName !== 'title' &&
      [...part.childNodes].some((node) => node.nodeType === 3 && node.data.trim()));
    if (!texts.length) return;
    const beyond = texts.map((part) => part.getBoundingClientRect())
      .filter((box) => box.width > 1 && box.height > 1)
      .map((box) => Math.max(box.bottom - frame.clientHeight, box.right - frame.clientWidth,
        -box.left, -box.top));
    const scrolled = parts.filter((part) => part.matches('.scroll'))
      .map((part) => part.scrollWidth - part.clientWidth);
    const rows = page.documentElement.style.getPropertyValue('--crf-rows');
    const where = stage.querySelector('.where').textContent;
    if (where.startsWith('…')) return;  // the stop before is still on screen
    const { zoom, width } = content.style;
    const size = `${where.split('· ').at(-1)}: ${zoom} ${width} ${rows}`;
    seen.push({ size, beyond: Math.max(0, ...beyond, ...scrolled) });
  };
  setInterval(look, 40);
}
