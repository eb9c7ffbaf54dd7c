// The tagged sentence. Python sends every string; the choice that goes back is checked there.
export default function ({ data, parentElement, setTriggerValue }) {
  // Two repaints in quick succession may arrive in the wrong order while this module loads.
  if (data.serial < parentElement.newest) return
  parentElement.newest = data.serial
  const list = parentElement.querySelector("ol")
  const focused = parentElement.activeElement?.dataset?.token // a repaint keeps the place
  list.setAttribute("aria-label", data.label)
  list.replaceChildren(...data.words.map((word, token) => {
    const item = element("li", { className: word.fixed ? "fixed" : "" })
    const text = element("bdi", { textContent: word.text, title: word.title })
    text.classList.toggle("unknown", word.unknown)
    const tag = element("div", { className: "tag", title: word.hint })
    tag.style.setProperty("--tag", word.colour)
    const label = element("span", { textContent: word.tag, ariaHidden: "true" })
    const select = element("select", { ariaLabel: word.name })
    select.dataset.token = token
    select.append(...word.options.map(([value, name]) => element("option", { value, textContent: name })))
    select.value = word.value
    select.onchange = () => setTriggerValue("choice", { token, tag: Number(select.value) })
    tag.append(label, select)
    item.append(text, tag, element("small", { textContent: word.probability }))
    return item
  }))
  if (focused !== undefined) list.querySelectorAll("select")[focused]?.focus()
}
