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
  zone.find("input").accept = (data.formats.length ? [...data.formats, "zip"] : []).map((name) => "." + name.split(".").pop()).join(",")
  zone.find("input").multiple = true
  zone.find(".zone").classList.toggle("small", data.staysOpen)
  return () => {
    if (parentElement.isConnected) return // Streamlit also ends a call that another overtook
    stop(zone)
    zones.delete(parentElement)
  }
}

function openZone(root) {
  const zone = { request: null, isSending: false, isStopped: false, find: (selector) => root.querySelector(selector) }
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
    if (event.dataTransfer.files.length) send(zone, event.dataTransfer.files)
  }
  zone.find(".cancel").onclick = () => stop(zone)
  return zone
}

function stop(zone) {
  zone.isStopped = true
  if (zone.request) zone.request.abort()
}

// Sends files one after another; what is wrong with one does not hold up the others. Files that come
// meanwhile, also while archives are unpacked, are not taken.
async function send(zone, files) {
  if (zone.isSending) return
  zone.isSending = true
  zone.isStopped = false
  const arrived = []
  const faults = []
  show(zone, "busy")
  const wanted = await unpackAll(zone, [...files], faults) // a copy: the input is emptied
  for (const [place, file] of wanted.entries()) {
    if (zone.isStopped) break
    const name = wanted.length > 1 ? say(zone, "oneOf", { number: place + 1, count: wanted.length, file: file.name }) : file.name
    const fault = findFault(zone, file) || (await sendOne(zone, file, name, arrived))
    if (fault) faults.push({ ...fault, file: wanted.length > 1 ? file.name : "" })
  }
  zone.request = null
  zone.isSending = false
  if (faults.length) complain(zone, faults)
  else zone.find(".figures").textContent = say(zone, "arrived")
  if (arrived.length) zone.report(arrived.join(" "))
  const isUsedAgain = zone.isStopped || zone.data.staysOpen || arrived.length > 1 // the page stays
  if (isUsedAgain && !faults.length) show(zone, "idle")
  if (zone.isStopped) zone.find(".drop").focus()
}

// Returns the lists with those in ZIP archives, as newsletter services export them, in the archives' place.
// An archive of people not to mail is the server's to read: of such an export it takes no subscribers.
async function unpackAll(zone, files, faults) {
  const found = []
  for (const file of files) {
    if (!zone.data.formats.length || !file.name.toLowerCase().endsWith(".zip")) found.push(file)
    else {
      zone.find(".name").textContent = file.name
      try {
        const left = []
        const inside = await unpack(zone, file, left)
        if (left.length) {
          const names = left.slice(0, 5).join(", ") + (left.length > 5 ? ", …" : "")
          faults.push({ problem: say(zone, "leftOut", { file: file.name, names }), hint: "", file: file.name })
        }
        if (!inside.length) throw new Error("none of its files is a list")
        found.push(...inside)
      } catch {
        faults.push({ problem: say(zone, "archive", { file: file.name }), hint: say(zone, "archiveHint"), file: file.name })
      }
    }
  }
  return found
}

// Reads an archive by its central directory (APPNOTE.TXT 4.3.12, 4.3.16); more than 4 GB, passwords and
// methods other than deflate raise an error.
async function unpack(zone, file, left) {
  const tailStart = Math.max(0, file.size - 65557) // an end record with the longest comment
  const tail = new DataView(await file.slice(tailStart).arrayBuffer())
  let end = tail.byteLength - 22
  while (end >= 0 && tail.getUint32(end, true) !== 0x06054b50) end -= 1
  const directory = new DataView(await file.slice(tail.getUint32(end + 16, true), tailStart + end).arrayBuffer())
  const found = []
  let room = zone.data.limitBytes
  for (let at = 0, count = tail.getUint16(end + 10, true); count > 0; count -= 1) {
    const [packed, size] = [directory.getUint32(at + 20, true), directory.getUint32(at + 24, true)]
    const nameEnd = at + 46 + directory.getUint16(at + 28, true)
    const path = new TextDecoder().decode(directory.buffer.slice(at + 46, nameEnd))
    const start = directory.getUint32(at + 42, true)
    const [flags, method] = [directory.getUint16(at + 8, true), directory.getUint16(at + 10, true)]
    at = nameEnd + directory.getUint16(at + 30, true) + directory.getUint16(at + 32, true)
    const name = path.split("/").pop()
    if (!name || name.startsWith(".") || path.startsWith("__MACOSX/")) continue
    if (!zone.data.formats.some((one) => name.toLowerCase().endsWith("." + one))) {
      left.push(name)
      continue
    }
    room -= size
    if (flags & 1 || room < 0) throw new Error("locked, or too large")
    const head = new DataView(await file.slice(start, start + 30).arrayBuffer())
    const from = start + 30 + head.getUint16(26, true) + head.getUint16(28, true)
    const body = file.slice(from, from + packed)
    const stream = method === 8 ? body.stream().pipeThrough(new DecompressionStream("deflate-raw")) : body.stream()
    const blob = await new Response(stream).blob()
    if (blob.size !== size || ![0, 8].includes(method)) throw new Error("damaged")
    found.push(new File([blob], name))
  }
  return found
}

function findFault(zone, file) {
  const name = file.name.toLowerCase()
  if (zone.data.formats.length && !zone.data.formats.some((one) => name.endsWith("." + one))) {
    return { problem: say(zone, "format", { file: file.name }), hint: say(zone, "formatHint") }
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
    request.onabort = () => resolve(null)
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
  const power = Math.min(3, Math.floor(Math.log10(Math.max(bytes, 1)) / 3))
  const unit = ["byte", "kilobyte", "megabyte", "gigabyte"][power]
  const options = { style: "unit", unit, unitDisplay: power ? "short" : "long", maximumSignificantDigits: 3 }
  return new Intl.NumberFormat(zone.data.language, options).format(bytes / 1000 ** power)
}
