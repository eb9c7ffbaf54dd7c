() => {
  const frame = [...document.querySelectorAll('[data-testid=stBidiComponentIsolated]')]
    .map((host) => host.shadowRoot?.querySelector('iframe.here')).find(Boolean);
  const page = frame?.contentDocument;
  const content = page?.querySelector('.st-key-page');
  const { fitted, fitting } = page?.documentElement?.dataset ?? {};
  if (!fitted || fitting || !content) return null;
  const box = content.getBoundingClientRect();
  return [box.bottom - frame.clientHeight, box.right - frame.clientWidth].map(Math.round);
}
