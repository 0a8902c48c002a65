// A drop zone that sends a file straight to the server's own route, in one stream.
// The page passes: url, token, limitBytes, formats, language, and words, each text that people read with
// {names} for what is put in here. It hears: uploaded {upload_id}.

const zones = new WeakMap()

export default function ({ data, parentElement, setTriggerValue }) {
  let zone = zones.get(parentElement)
  if (!zone) {
    zone = openZone(parentElement)
    zones.set(parentElement, zone)
  }
  zone.data = data
  zone.report = (value) => setTriggerValue("uploaded", value)
  zone.find(".limit").textContent = data.words.limit
  for (const one of parentElement.querySelectorAll("[data-word]")) one.textContent = data.words[one.dataset.word]
  for (const one of parentElement.querySelectorAll("[data-label]")) {
    one.setAttribute("aria-label", data.words[one.dataset.label])
  }
  // Of two extensions, as in .csv.gz, browsers know the last.
  zone.find("input").accept = data.formats.map((name) => "." + name.split(".").pop()).join(",")
  return () => {
    if (parentElement.isConnected) return // Streamlit also ends a call that another overtook
    if (zone.request) zone.request.abort()
    zones.delete(parentElement)
  }
}

function openZone(root) {
  const zone = { request: null, find: (selector) => root.querySelector(selector) }
  const drop = zone.find(".drop")
  const input = zone.find("input")
  drop.onclick = () => input.click()
  input.onchange = () => {
    if (input.files.length) send(zone, input.files)
    input.value = ""
  }
  let depth = 0
  const area = zone.find(".zone")
  area.ondragenter = (event) => {
    event.preventDefault()
    depth += 1
    area.classList.add("over")
  }
  area.ondragover = (event) => event.preventDefault()
  area.ondragleave = () => {
    depth -= 1
    if (depth <= 0) area.classList.remove("over")
  }
  area.ondrop = (event) => {
    event.preventDefault()
    depth = 0
    area.classList.remove("over")
    if (!zone.request && event.dataTransfer.files.length) send(zone, event.dataTransfer.files)
  }
  zone.find(".cancel").onclick = () => {
    if (zone.request) zone.request.abort()
  }
  return zone
}

function send(zone, files) {
  const file = files[0]
  const name = file.name.toLowerCase()
  if (files.length > 1) {
    return complain(zone, say(zone, "several"), say(zone, "severalHint"))
  }
  if (!zone.data.formats.some((one) => name.endsWith("." + one))) {
    const packed = /\.(gz|zst)$/.exec(name)
    return complain(
      zone,
      say(zone, "format", { file: file.name }),
      packed ? say(zone, "packedHint", { ending: packed[0] }) : say(zone, "formatHint"),
    )
  }
  if (file.size === 0) {
    return complain(zone, say(zone, "empty", { file: file.name }), say(zone, "emptyHint"))
  }
  if (file.size > zone.data.limitBytes) {
    const sizes = { size: sizeText(zone, file.size), free: sizeText(zone, zone.data.limitBytes) }
    return complain(zone, say(zone, "large", { file: file.name, ...sizes }), say(zone, "largeHint"))
  }
  const request = new XMLHttpRequest()
  zone.request = request
  const started = performance.now()
  show(zone, "busy")
  zone.find(".name").textContent = file.name
  paint(zone, 0, file.size, started)
  request.upload.onprogress = (event) => paint(zone, event.loaded, file.size, started)
  request.onload = () => {
    const answer = parse(request.responseText)
    if (request.status >= 200 && request.status < 300 && answer.upload_id) {
      zone.find(".figures").textContent = say(zone, "arrived")
      zone.request = null
      zone.report(answer.upload_id)
    } else {
      complain(
        zone,
        answer.detail || say(zone, "refused", { status: request.status }),
        answer.hint || say(zone, "refusedHint"),
      )
    }
  }
  request.onerror = () =>
    complain(zone, say(zone, "broken"), say(zone, "brokenHint"))
  request.onabort = () => complain(zone, say(zone, "cancelled"), say(zone, "cancelledHint"), true)
  request.open("POST", zone.data.url)
  request.setRequestHeader("X-Upload-Token", zone.data.token)
  request.setRequestHeader("X-File-Name", encodeURIComponent(file.name))
  request.setRequestHeader("Content-Type", "application/octet-stream")
  request.send(file)
}

function paint(zone, done, total, started) {
  const bar = zone.find("[role=progressbar]")
  const percent = Math.floor((100 * done) / total)
  bar.firstElementChild.style.width = percent + "%"
  bar.setAttribute("aria-valuenow", String(percent))
  const seconds = (performance.now() - started) / 1000
  const sizes = { done: sizeText(zone, done), size: sizeText(zone, total) }
  zone.find(".figures").textContent =
    seconds > 0.5
      ? say(zone, "rate", { ...sizes, rate: sizeText(zone, done / seconds) })
      : say(zone, "done", sizes)
}

function complain(zone, problem, hint, isWanted = false) {
  zone.request = null
  show(zone, "idle")
  zone.find(".problem").textContent = problem
  zone.find(".hint").textContent = hint
  zone.find(".fault").classList.toggle("wanted", isWanted)
  zone.find(".fault").hidden = false
  zone.find(".drop").focus()
}

function show(zone, state) {
  zone.find(".zone").dataset.state = state
  zone.find(".fault").hidden = true
}

function parse(text) {
  try {
    return JSON.parse(text) || {}
  } catch {
    return {}
  }
}

function say(zone, word, fields = {}) {
  return zone.data.words[word].replace(/\{(\w+)\}/g, (whole, name) => (name in fields ? fields[name] : whole))
}

function sizeText(zone, bytes) {
  const units = [zone.data.words.bytes, "kB", "MB", "GB"]
  let unit = 0
  let size = bytes
  while (size >= 1000 && unit < units.length - 1) {
    size /= 1000
    unit += 1
  }
  const digits = unit === 0 || size >= 100 ? 0 : 1
  const shown = size.toLocaleString(zone.data.language, { minimumFractionDigits: digits, maximumFractionDigits: digits })
  return `${shown} ${units[unit]}`
}
