// What the benchmarks of the app do in its pages; on each page it is there before the app.
window.deep = (what, root = document) => [...root.querySelectorAll(what),
  ...[...root.querySelectorAll('*')].flatMap((e) => e.shadowRoot ? deep(what, e.shadowRoot) : [])]
// The time when the next frame is painted.
window.painted = () => new Promise((done) =>
  requestAnimationFrame(() => setTimeout(() => done(performance.now()))))
// The milliseconds until something read from the page has changed and is painted.
const changes = async (read, act) => {
  const before = read(), start = performance.now()
  act()
  while (read() === before || read() === undefined) {
    if (performance.now() - start > 20000) throw Error('nothing changed')
    await new Promise((done) => requestAnimationFrame(done))
  }
  return await painted() - start
}
const probability = () => document.querySelector('.crf-big')?.textContent

window.bench = {
  step: async () => {
    const next = deep('button').find((e) => /next step/i.test(e.ariaLabel ?? e.title))
    const start = performance.now()
    next.click()
    return await painted() - start
  },
  hold: () => changes(probability, () => {
    const blocks = deep('.block.opens').filter((e) => e.dataset.tag !== 'other')
    const held = blocks.find((e) => e.ariaPressed === 'true') // let go; else one off the best path
    const other = blocks.find((e) => e.querySelector('.hit') && !e.querySelector('.outline'))
    ;(held ?? other).dispatchEvent(new MouseEvent('click', { bubbles: true }))
  }),
  retype: (text) => changes(probability, () => {
    const field = document.querySelector('[aria-label="Your sentence"]')
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set.call(field, text)
    field.dispatchEvent(new Event('input', { bubbles: true }))
    const enter = { key: 'Enter', code: 'Enter', bubbles: true }
    field.dispatchEvent(new KeyboardEvent('keydown', enter))
  }),
  // Types a score that is new into a cell, then waits until no run has begun for a while: an edit
  // runs the trellis and then the page. Until the frame after the last run has been painted.
  edit: async (cell) => {
    const app = document.querySelector('[data-testid=stApp]')
    const runs = () => app.dataset.testScriptState === 'running'
    let last
    const watch = new MutationObserver(async () => {
      const now = await painted()
      last = runs() ? undefined : now
    })
    cell.focus()
    cell.value = ((Number(cell.value) || 0) + 0.1).toFixed(1)
    cell.dispatchEvent(new Event('input', { bubbles: true }))
    watch.observe(app, { attributes: true, attributeFilter: ['data-test-script-state'] })
    const start = performance.now()
    cell.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true }))
    while (!last || runs() || performance.now() - last < 400) {
      if (performance.now() - start > 20000) throw Error('nothing ran')
      await new Promise((done) => setTimeout(done, 10))
    }
    watch.disconnect()
    return last - start
  },
  // Notes when a trellis has been painted, and when the pointer was last moved.
  watch: () => {
    window.paints = []
    new MutationObserver(async () => window.paints.push(await painted()))
      .observe(deep('.stepper .scroll')[0], { childList: true })
    const moved = () => (window.moved = performance.now())
    deep('.stepper')[0].addEventListener('pointermove', moved, true)
  },
}
