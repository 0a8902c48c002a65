// Says on the page itself when the server does not answer, and takes the page up when it does again.

const GONE =
  "The server does not answer. What you see may be old; it goes on by itself once the server is back. If not, reload the page."
const WAIT_MS = 2000 // a page that is only being opened says nothing

const lines = new WeakMap()

export default function ({ parentElement, setTriggerValue }) {
  let line = lines.get(parentElement)
  if (!line) {
    line = { timer: null, isLost: false }
    lines.set(parentElement, line)
    watch(line)
  }
  line.takeUp = () => setTriggerValue("back", Date.now()) // a new server knows nothing of the page
  return () => {
    line.watch?.disconnect()
    clearTimeout(line.timer)
    lines.delete(parentElement)
  }
}

function watch(line) {
  const app = document.querySelector('[data-testid="stApp"]')
  if (!app) return
  const look = () => {
    if (app.dataset.testConnectionState !== "CONNECTED") {
      line.isLost = true
      line.timer ??= setTimeout(tell, WAIT_MS)
      return
    }
    clearTimeout(line.timer)
    line.timer = null
    document.querySelector(".w-gone")?.remove()
    if (line.isLost) line.takeUp()
    line.isLost = false
  }
  line.watch = new MutationObserver(look)
  line.watch.observe(app, { attributes: true, attributeFilter: ["data-test-connection-state"] })
  look()
}

function tell() {
  if (document.querySelector(".w-gone")) return
  const banner = document.createElement("div")
  banner.className = "w-gone"
  banner.setAttribute("role", "alert")
  banner.textContent = GONE
  document.body.append(banner)
}
