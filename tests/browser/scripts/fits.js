async (source) => {
  const real = window.setTimeout;
  window.setTimeout = (then, ms) => real(then, ms / 4);
  document.body.innerHTML = '<div><div class=st-key-page><p>Guess</p></div></div>';
  document.body.style.margin = 0;
  window.content = document.querySelector('p').parentElement;
  window.sizes = [];
  window.whenStyled = (then) =>
    new MutationObserver(then).observe(content, { attributeFilter: ['style'] });
  whenStyled(() => sizes.push(content.style.zoom));
  (await import('data:text/javascript,' + encodeURIComponent(source))).default.render();
}
