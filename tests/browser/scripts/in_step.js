(pages) => {
  window.outOfStep = [];
  setInterval(() => {
    const stage = [...document.querySelectorAll('[data-testid=stBidiComponentIsolated]')]
      .map((host) => host.shadowRoot).find((root) => root?.querySelector('iframe.here'));
    const said = stage?.querySelector('.where').textContent;
    const shown = stage?.querySelector('iframe.here').contentWindow.location.pathname.slice(1);
    const page = pages[parseInt(said.split('· ').at(-1).replace('…', ''), 10) - 1];
    const comes = stage?.querySelector('.comes').checkVisibility();
    if (shown !== page && !comes) window.outOfStep.push([said, shown]);
  }, 50);
}
