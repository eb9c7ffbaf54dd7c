async ({ script, html, css, json, bytes, width }) => {
  const [style, host] = [document.createElement('style'), document.createElement('div')]
  style.textContent = css
  host.style.width = `${width}px`
  host.innerHTML = html
  document.body.replaceChildren(style, host)
  window.said = []
  const say = (name, value) => window.said.push([name, value])
  const module = URL.createObjectURL(new Blob([script], { type: 'text/javascript' }))
  const { default: draw } = await import(module)
  window.redraw = ({ json, bytes }) => draw({
    data: bytes ? Uint8Array.from(atob(bytes), (c) => c.charCodeAt(0)) : JSON.parse(json),
    parentElement: host, setStateValue: say, setTriggerValue: say })
  window.redraw({ json, bytes })
  const isThere = () => !bytes || host.querySelector('svg text') // what is packed comes later
  for (let k = 0; k < 2 || (k < 300 && !isThere()); k += 1) await new Promise(requestAnimationFrame)
}
