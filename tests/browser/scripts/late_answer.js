() => {
  window.answer = () => {
    content.firstChild.textContent = 'Other';
    content.style.height = '590px';
    let size = content.style.zoom;
    const draw = () => { content.style.height = '590px'; };
    whenStyled(() => {
      if (content.style.zoom === size) return;
      size = content.style.zoom;
      content.style.height = '200px';
      setTimeout(draw, 400);
    });
  };
  content.style.height = '300px';
}
