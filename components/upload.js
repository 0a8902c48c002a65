// A drop zone that sends a file straight to the server's own route, in one stream.
// The page passes: url, token, limitBytes, limitText, formats, formatWords. It hears: uploaded {upload_id}.

const zones = new WeakMap()

export default function ({ data, parentElement, setTriggerValue }) {
  let zone = zones.get(parentElement)
  if (!zone) {
    zone = openZone(parentElement)
    zones.set(parentElement, zone)
  }
  zone.data = data
  zone.report = (value) => setTriggerValue("uploaded", value)
  zone.find(".limit").textContent = data.limitText
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
    return complain(zone, "One list at a time, please.", "Drop a single file; the others can follow.")
  }
  if (!zone.data.formats.some((one) => name.endsWith("." + one))) {
    const packed = /\.(gz|zst)$/.exec(name)
    return complain(
      zone,
      `${file.name} is not a ${zone.data.formatWords} file.`,
      packed
        ? `Name it by what is inside as well, such as list.csv${packed[0]}, and drop it again.`
        : "Save it as CSV or as an Excel workbook (.xlsx) and drop that file.",
    )
  }
  if (file.size === 0) {
    return complain(zone, `${file.name} is empty.`, "Choose a file with at least one row.")
  }
  if (file.size > zone.data.limitBytes) {
    return complain(
      zone,
      `${file.name} has ${sizeText(file.size)}; ${sizeText(zone.data.limitBytes)} still fit.`,
      "Delete projects that are no longer needed to make room, or split the file.",
    )
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
      zone.find(".figures").textContent = "Arrived. Looking into it."
      zone.request = null
      zone.report(answer.upload_id)
    } else {
      complain(
        zone,
        answer.detail || `The server answered ${request.status}.`,
        answer.hint || "Nothing was kept. Try again.",
      )
    }
  }
  request.onerror = () =>
    complain(zone, "The connection to Winnow broke off.", "Nothing was kept. Is it still running?")
  request.onabort = () => complain(zone, "Upload cancelled.", "Nothing was kept.", true)
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
  const rate = seconds > 0.5 ? `, ${sizeText(done / seconds)}/s` : ""
  zone.find(".figures").textContent = `${sizeText(done)} of ${sizeText(total)}${rate}`
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

function sizeText(bytes) {
  const units = ["bytes", "kB", "MB", "GB"]
  let unit = 0
  let size = bytes
  while (size >= 1000 && unit < units.length - 1) {
    size /= 1000
    unit += 1
  }
  return `${unit === 0 || size >= 100 ? Math.round(size) : size.toFixed(1)} ${units[unit]}`
}
