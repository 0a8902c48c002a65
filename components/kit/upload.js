// A drop zone that sends a file straight to the server's own route, in one stream.
// The page passes: url, token, limitBytes, formats (none: any), staysOpen (it is used again), language,
// and words, each text that people read with {names} for what is put in here. It hears: uploaded,
// the ids of what arrived, parted by blanks.

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
  zone.find("input").multiple = true
  zone.find(".zone").classList.toggle("small", data.staysOpen)
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

// Sends files one after another; what is wrong with one does not hold up the others.
async function send(zone, files) {
  const wanted = [...files]
  const arrived = []
  const faults = []
  show(zone, "busy")
  for (const [place, file] of wanted.entries()) {
    const name = wanted.length > 1 ? say(zone, "oneOf", { number: place + 1, count: wanted.length, file: file.name }) : file.name
    const fault = findFault(zone, file) || (await sendOne(zone, file, name, arrived))
    if (fault) faults.push({ ...fault, file: wanted.length > 1 ? file.name : "" })
    if (fault && fault.isWanted) break
  }
  zone.request = null
  if (faults.length) complain(zone, faults)
  else zone.find(".figures").textContent = say(zone, "arrived")
  if (arrived.length) zone.report(arrived.join(" "))
  const isUsedAgain = zone.data.staysOpen || arrived.length > 1 // of several files the page stays
  if (arrived.length && isUsedAgain && !faults.length) show(zone, "idle")
}

function findFault(zone, file) {
  const name = file.name.toLowerCase()
  if (zone.data.formats.length && !zone.data.formats.some((one) => name.endsWith("." + one))) {
    const packed = /\.(gz|zst)$/.exec(name)
    return {
      problem: say(zone, "format", { file: file.name }),
      hint: packed ? say(zone, "packedHint", { ending: packed[0] }) : say(zone, "formatHint"),
    }
  }
  if (file.size === 0) return { problem: say(zone, "empty", { file: file.name }), hint: say(zone, "emptyHint") }
  if (file.size > zone.data.limitBytes) {
    const sizes = { size: sizeText(zone, file.size), free: sizeText(zone, zone.data.limitBytes) }
    return { problem: say(zone, "large", { file: file.name, ...sizes }), hint: say(zone, "largeHint") }
  }
  return null
}

function sendOne(zone, file, shown, arrived) {
  return new Promise((resolve) => {
    const request = new XMLHttpRequest()
    zone.request = request
    const started = performance.now()
    zone.find(".name").textContent = shown
    paint(zone, 0, file.size, started)
    request.upload.onprogress = (event) => paint(zone, event.loaded, file.size, started)
    request.upload.onload = () => {
      zone.find(".figures").textContent = say(zone, "arrived")
    }
    request.onload = () => {
      const answer = parse(request.responseText)
      const id = answer.upload_id || answer.file_id
      if (request.status >= 200 && request.status < 300 && id) {
        arrived.push(id)
        return resolve(null)
      }
      resolve({
        problem: answer.detail || say(zone, "refused", { status: request.status }),
        hint: answer.hint || say(zone, "refusedHint"),
      })
    }
    request.onerror = () => resolve({ problem: say(zone, "broken"), hint: say(zone, "brokenHint") })
    request.onabort = () =>
      resolve({ problem: say(zone, "cancelled"), hint: say(zone, "cancelledHint"), isWanted: true })
    request.open("POST", zone.data.url)
    request.setRequestHeader("X-Upload-Token", zone.data.token)
    request.setRequestHeader("X-File-Name", encodeURIComponent(file.name))
    request.setRequestHeader("Content-Type", "application/octet-stream")
    request.send(file)
  })
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

function complain(zone, faults) {
  show(zone, "idle")
  const list = zone.find(".fault")
  list.replaceChildren(
    ...faults.map((fault) => {
      const line = document.createElement("p")
      const problem = document.createElement("strong")
      problem.className = "problem"
      const isNamed = !fault.file || fault.problem.includes(fault.file)
      problem.textContent = isNamed ? fault.problem : `${fault.file}: ${fault.problem}`
      const hint = document.createElement("span")
      hint.className = "hint"
      hint.textContent = fault.hint
      line.append(problem, " ", hint)
      return line
    }),
  )
  list.classList.toggle("wanted", faults.every((fault) => fault.isWanted))
  list.hidden = false
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
