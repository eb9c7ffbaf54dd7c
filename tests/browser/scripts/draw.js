async ({ script, html, css, bytes, width }) => {
  const [style, host] = [document.createElement("style"), document.createElement("div")];
  style.textContent = css;
  host.style.width = `${width}px`;
  host.innerHTML = html;
  document.body.replaceChildren(style, host);
  window.said = [];
  const say = (name, value) => window.said.push([name, value]);
  const module = URL.createObjectURL(new Blob([script], { type: "text/javascript" }));
  const { default: draw } = await import(module);
  window.redraw = ({ bytes }) =>
    draw({
      data: Uint8Array.from(atob(bytes), (c) => c.charCodeAt(0)),
      parentElement: host,
      setStateValue: say,
      setTriggerValue: say,
    });
  window.redraw({ bytes });
  for (let k = 0; k < 2; k += 1) await new Promise(requestAnimationFrame);
};
