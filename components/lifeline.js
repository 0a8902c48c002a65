// Says on the page itself when the server does not answer, and takes the page up when it does again.
// The page passes: run, another one each time it runs, and what to say: gone, here. It hears: back,
// when the line stands again.

const WAIT_MS = 2000 // a page that is only being opened says nothing

// state: "up", "lost", "asked" for a run by whatever server answers, "drawn" by it but not to the end
export default function ({ data, parentElement, setTriggerValue }) {
  // Kept at the element: the script of a later version takes over what this one began.
  const line = (parentElement.lifeline ??= { state: "up", look: () => watch(line) })
  line.takeUp = () => setTriggerValue("back", Date.now())
  if (line.state === "asked" && line.run !== data.run) line.state = "drawn"
  line.run = data.run
  line.words = data
  line.look()
  return () => {
    if (parentElement.isConnected) return // Streamlit also ends a call that another overtook
    line.watch?.disconnect()
    delete parentElement.lifeline
    settle(line)
  }
}

function watch(line) {
  const app = document.querySelector('[data-testid="stApp"]')
  if (!app) return
  line.look = () => look(line, app.dataset)
  line.watch = new MutationObserver(line.look)
  line.watch.observe(app, {
    attributeFilter: ["data-test-connection-state", "data-test-script-state"],
  })
  line.look()
}

// A new server knows nothing of the page, and what is pressed before it has run the page to its end
// is lost: until then nothing can be pressed.
function look(line, app) {
  if (app.testConnectionState !== "CONNECTED") {
    line.state = "lost"
    line.timer ??= setTimeout(() => tell(line), WAIT_MS)
  } else if (line.state === "lost") {
    line.state = "asked"
    line.takeUp()
  } else if (line.state === "drawn" && app.testScriptState === "notRunning") {
    settle(line)
  }
  document.body.inert = line.state === "asked" || line.state === "drawn"
  if (line.banner) tell(line)
}

function settle(line) {
  line.state = "up"
  clearTimeout(line.timer)
  line.banner?.remove()
  line.timer = line.banner = null
  document.body.inert = false
}

function tell(line) {
  if (!line.banner) {
    line.banner = document.createElement("div")
    line.banner.className = "w-gone"
    line.banner.setAttribute("role", "alert")
    document.body.append(line.banner)
  }
  line.banner.textContent = line.state === "lost" ? line.words.gone : line.words.here
}
