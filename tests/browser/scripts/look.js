() => {
  const NO_LETTERS = 'style, title, sub, sup, option, [data-testid=stIconMaterial]';
  const stage = [...document.querySelectorAll('[data-testid=stBidiComponentIsolated]')]
    .map((host) => host.shadowRoot).find((root) => root?.querySelector('iframe.here'));
  const frame = stage?.querySelector('iframe.here');
  const page = frame?.contentDocument;
  const content = page?.querySelector('.st-key-page');
  const { fitted, fitting } = page?.documentElement?.dataset ?? {};
  const comes = stage?.querySelector('.where').textContent[0] === '…';
  if (!content || !fitted || fitting || comes) return null;
  const all = (root) => [...root.querySelectorAll('*')]
    .flatMap((part) => [part, ...(part.shadowRoot ? all(part.shadowRoot) : [])]);
  const texts = all(content).flatMap((part) => {
    const own = [...part.childNodes].find((node) => node.nodeType === 3 && node.data.trim());
    if (!own || part.matches(NO_LETTERS) || part.clientWidth === 1) return [];
    if (!part.checkVisibility({ visibilityProperty: true, opacityProperty: true })) return [];
    const range = page.createRange();
    range.selectNodeContents(own);
    const box = range.getBoundingClientRect();
    if (box.width < 2 || box.height < 2 || part.closest('[class*=st-key-turn-]')) return [];
    const scale = part.ownerSVGElement ? Math.hypot(part.getScreenCTM().a, part.getScreenCTM().b)
      : part.currentCSSZoom;
    const px = parseFloat(getComputedStyle(part).fontSize) * scale;
    return [{ px, box, text: own.data.trim() }];
  });
  if (!texts.length) return null;
  const least = texts.reduce((a, b) => (a.px <= b.px ? a : b));
  const beyond = Math.max(0, ...texts.map(({ box }) => box.bottom - frame.clientHeight));
  const tools = [...stage.querySelectorAll('.tools button')]
    .map((one) => one.getBoundingClientRect());
  const rows = new Set(tools.map(({ top }) => Math.round(top)));
  const covers = frame.getBoundingClientRect().bottom - Math.min(...tools.map(({ top }) => top));
  return [least.px, least.text, beyond, covers, rows.size, page.location.pathname.slice(1)];
}
