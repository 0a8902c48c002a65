// One large field: Enter checks, Shift+Enter starts a new line, a pasted column keeps its lines.

const seen = new WeakMap()

export default function ({ data, parentElement, setTriggerValue }) {
  const field = parentElement.querySelector("textarea")
  parentElement.querySelector("label").textContent = data.words.label
  parentElement.querySelector("button").textContent = data.words.button
  parentElement.querySelector("p").textContent = data.words.help
  field.placeholder = data.words.placeholder
  const submit = () => {
    const text = field.value.trim()
    if (text) setTriggerValue("submitted", { text, at: Date.now() })
    else field.focus()
  }
  if (seen.get(parentElement) !== data.shown) {
    if (!seen.has(parentElement)) setTimeout(() => field.focus({ preventScroll: true }), 50)
    seen.set(parentElement, data.shown)
    field.value = data.text
    fit(field)
  }
  field.oninput = () => fit(field)
  field.onkeydown = (event) => {
    if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
      event.preventDefault()
      submit()
    }
  }
  parentElement.querySelector("button").onclick = submit
}

function fit(field) {
  field.style.height = "auto"
  field.style.height = Math.min(field.scrollHeight + 2, 280) + "px"
}
