// The dashboard: asks the broker every two seconds, and shows what it says.

import { Chart } from "./dashboard-chart.js"
import { Figures, bytes, length, milliseconds, number, time } from "./dashboard-figures.js"
import { Tail, words } from "./dashboard-tail.js"

const INTERVAL = 2000
const STORED = "fanfare.key"
/** How many lines of the tail are kept. */
const TAIL = 200

const find = id => document.getElementById(id)
const address = path => new URL(path, document.baseURI)

let key = sessionStorage.getItem(STORED)
let figures = null
let tail = null
let timer = 0
let isPaused = false
/** Grows with each sign-in, so that an answer of an older one counts for nothing. */
let round = 0

const charts = [
    [new Chart("Changes a second", ["changes"], number), f => [f.rate("changes")]],
    [new Chart("Deliveries a second", ["deliveries"], number), f => [f.rate("deliveries")]],
    [new Chart("Ack", ["p50", "p99"], milliseconds), f => [f.quantile(0.5, "acks"), f.quantile(0.99, "acks")]],
    [new Chart("Delivery", ["p50", "p99"], milliseconds), f => [f.quantile(0.5, "deliveries"), f.quantile(0.99, "deliveries")]],
    [new Chart("Connections", ["connections"], number), f => [f.status.present.connections]],
    [new Chart("Event loops busy", ["busy"], value => number(value) + " %"), f => [f.busy]],
]
find("charts").append(...charts.map(([chart]) => chart.element))

// Asking

const headers = () => key ? { Authorization: "Bearer " + key } : {}

async function call(path, options = {}) {
    const signal = AbortSignal.timeout(15000)
    const answer = await fetch(address(path), { ...options, headers: headers(), signal, cache: "no-store" })
    const body = await answer.json().catch(() => ({}))
    return { status: answer.status, body }
}

async function ask() {
    clearTimeout(timer)
    const mine = round
    try {
        const { status, body } = await call("v1/status")
        if (mine !== round) return
        if (status === 401) return enter(key ? "The broker does not know this key." : "")
        if (status !== 200) throw new Error(body.message ?? `HTTP status ${status}`)
        show(body)
    } catch (error) {
        if (mine !== round) return
        tell(`no answer: ${error.message}${figures ? `; what is shown is of ${time(figures.status.time)}` : ""}`, "bad")
    }
    if (!isPaused && !document.hidden) timer = setTimeout(ask, INTERVAL)
}

/** Asks for a key. */
function enter(refusal) {
    round += 1
    key = null
    figures = null
    sessionStorage.removeItem(STORED)
    unfollow("")
    find("board").hidden = find("buttons").hidden = true
    find("entrance").hidden = false
    find("refusal").textContent = refusal
    find("key").value = ""
    find("key").focus()
    tell("locked", "asking")
}

function tell(text, kind = "") {
    find("state").className = kind
    if (find("state").textContent !== text) find("state").textContent = text
}

// Showing

function show(status) {
    const isFirst = !figures
    figures = figures ? figures.next(status) : new Figures(status)
    find("entrance").hidden = true
    find("board").hidden = find("buttons").hidden = false
    find("forget").hidden = !key
    find("kick-button").disabled = !key
    if (!key) find("kick-state").textContent = "In development mode without a key: to kick, set server_keys."
    const way = !status.serving ? "stopping" : status.store.healthy ? "serving" : status.store.fault
    const mode = key ? "" : " · development mode"
    tell(`${way} · version ${status.version} · up ${length(status.time - status.started_at)}${mode}`, way === "serving" ? "" : "bad")
    // The first answer tells of all the time since the start.
    if (!isFirst) for (const [chart, values] of charts) chart.add(status.time, ...values(figures))
    showTiles(status)
    fill("channels", status.busiest.channels.map(one => [
        one.channel, [number(figures.changes(one))], [number(one.subscriptions)],
        button("Follow", `Follow ${one.channel}`, () => follow(one.channel))]))
    fill("messages", status.busiest.messages.map(one => [one.message || "(the channel)", one.channel, [number(figures.changes(one))]]))
    fill("readers", status.slow_readers.map(one => [
        describe(one), [bytes(one.waiting_bytes)], [length(one.stalled_ms)],
        one.user && key ? button("Kick…", `Kick ${one.user}`, () => sure(one.user)) : ""]))
    showProblems(status.problems)
}

function showTiles({ present, store, nats, counters }) {
    const tiles = [
        ["connections", number(present.connections), `of ${number(present.connections_limit)}`, present.connections >= present.connections_limit * 0.9],
        ["subscriptions", number(present.subscriptions), `${number(present.channels)} channels`],
        ["requests", number(figures.rate("requests")) + "/s", `${number(figures.rate("refusals"))}/s refused`],
        ["sent", bytes(figures.rate("bytes_sent")) + "/s", `${bytes(figures.rate("bytes_received"))}/s received`],
        ["waiting to be sent", bytes(present.outbound_bytes), `${number(present.blocked_connections)} blocked, ${number(figures.rate("lagged"))}/s lagged`],
        ["store", store.kind, store.healthy ? `takes changes, ${number(store.waiting_records)} wait` : store.fault, !store.healthy],
        ["commit", milliseconds(figures.quantile(0.99, "commits")), `p99, ${number(present.waiting_requests)} requests wait`],
        ...(nats ? [["NATS", nats.connected ? "connected" : "lost", "", !nats.connected]] : []),
        ["processor", number(figures.rate("processor_ms") / 10) + " %", `${number(figures.busy)} % of the loops' time`],
        ["memory", bytes(present.memory_bytes), `${number(present.memory_used_ratio * 100)} % of ${bytes(present.memory_limit_bytes)} (${present.memory_limit_by.replace("_", " ")})`, present.memory_used_ratio > 0.8],
        ["descriptors", number(present.descriptors), `of ${number(present.descriptors_limit)}`, present.descriptors >= present.descriptors_limit * 0.9],
        ["server errors", number(counters.server_errors), `${number(counters.commit_failures)} failed commits`, counters.commit_failures > 0 && !store.healthy],
    ]
    find("tiles").replaceChildren(...tiles.map(([name, value, more, isBad]) => {
        const tile = make("div", "", make("dt", "", name), make("dd", "", value + " ", make("small", "", more)))
        if (isBad) tile.className = "bad"
        return tile
    }))
}

function describe(reader) {
    const more = [reader.user, reader.address, reader.behind ? `${reader.behind} of ${reader.subscriptions} behind` : ""]
    return [reader.connection, make("small", "", more.filter(Boolean).join(" · "))]
}

/** Fills a table: each cell a text, an element, or for numbers a list of one. */
function fill(id, rows) {
    const body = find(id).tBodies[0]
    const focused = document.activeElement?.getAttribute("aria-label")
    const isInside = body.contains(document.activeElement)
    body.replaceChildren(...rows.map(cells => make("tr", "", ...cells.map(cell => {
        const isNumber = Array.isArray(cell) && cell.length === 1
        return make("td", isNumber ? "number" : "", ...[cell].flat())
    }))))
    find(id).hidden = !rows.length
    find(id).nextElementSibling.hidden = rows.length > 0
    // Who is at a button stays there while it is in the table.
    if (isInside) [...body.querySelectorAll("button")].find(one => one.getAttribute("aria-label") === focused)?.focus()
}

function showProblems(problems) {
    const list = find("problems")
    list.nextElementSibling.hidden = problems.length > 0
    const newest = problems.at(-1)
    const mark = newest ? `${problems.length} ${newest.at} ${newest.line}` : ""
    if (list.dataset.mark === mark) return
    list.dataset.mark = mark
    list.replaceChildren(...problems.toReversed().map(one => make(
        "li", "", stamp(one.at), make("span", one.level === "error" ? "bad" : "", `${one.level}: ${one.line}`))))
}

function stamp(at) {
    const made = make("time", "", time(at))
    made.dateTime = new Date(at).toISOString()
    return made
}

function make(name, className, ...children) {
    const made = document.createElement(name)
    if (className) made.className = className
    made.append(...children)
    return made
}

function button(text, label, press) {
    const made = make("button", "", text)
    made.type = "button"
    made.setAttribute("aria-label", label)
    made.addEventListener("click", press)
    return made
}

// The tail

function follow(channel) {
    unfollow("")
    find("channel").value = channel
    find("follow-button").textContent = "Stop"
    find("tail").replaceChildren()
    const url = address(`v1/channels/${encodeURIComponent(channel)}/stream`)
    if (!key) url.searchParams.set("user", "dashboard")
    tail = new Tail(url, headers(), hear, (text, isBad) => {
        find("tail-state").textContent = text === "following" ? `following ${channel}` : `${channel}: ${text}`
        find("tail-state").classList.toggle("bad", isBad)
    })
}

function unfollow(text) {
    tail?.stop()
    tail = null
    find("follow-button").textContent = "Follow"
    find("tail-state").textContent = text
    find("tail-state").classList.remove("bad")
}

function hear(message) {
    const list = find("tail")
    const isAtEnd = list.scrollTop + list.clientHeight >= list.scrollHeight - 8
    list.append(make("li", "", stamp(message.at ?? Date.now()), words(message)))
    while (list.children.length > TAIL) list.firstChild.remove()
    if (isAtEnd) list.scrollTop = list.scrollHeight
}

find("follow").addEventListener("submit", event => {
    event.preventDefault()
    if (tail) unfollow("stopped")
    else follow(find("channel").value.trim())
})

// Kicking

function sure(user) {
    find("sure-user").textContent = user
    find("sure").returnValue = "no"
    find("sure").showModal()
}

find("kick").addEventListener("submit", event => {
    event.preventDefault()
    sure(find("user").value)
})

find("sure").addEventListener("close", async () => {
    if (find("sure").returnValue !== "yes") return
    const user = find("sure-user").textContent
    find("kick-state").textContent = `kicking ${user}…`
    try {
        const { status, body } = await call(`v1/users/${encodeURIComponent(user)}/revoke`, { method: "POST" })
        find("kick-state").textContent = status === 200 ? `${user} is out` : body.message ?? `HTTP status ${status}`
    } catch (error) {
        find("kick-state").textContent = `no answer: ${error.message}`
    }
})

// Settings

async function loadSettings() {
    try {
        const { status, body } = await call("v1/settings")
        if (status !== 200) throw new Error(body.message ?? `HTTP status ${status}`)
        find("rows").tBodies[0].replaceChildren(...body.settings.map(one => make(
            "tr", "", ...[one.name, one.value, one.source].map(text => make("td", "", text)))))
        filterSettings()
    } catch (error) {
        find("settings-state").textContent = `no answer: ${error.message}`
    }
}

function filterSettings() {
    const wanted = find("filter").value.toLowerCase()
    let count = 0
    for (const row of find("rows").tBodies[0].rows) {
        row.hidden = !row.textContent.toLowerCase().includes(wanted)
        if (!row.hidden) count += 1
    }
    find("settings-state").textContent = `${count} ${count === 1 ? "setting" : "settings"}`
}

find("settings").addEventListener("toggle", () => find("settings").open && loadSettings())
find("filter").addEventListener("input", filterSettings)

// The rest

find("entry").addEventListener("submit", event => {
    event.preventDefault()
    key = find("key").value.trim()
    sessionStorage.setItem(STORED, key)
    round += 1
    ask()
})

find("forget").addEventListener("click", () => enter(""))

find("pause").addEventListener("click", () => {
    isPaused = !isPaused
    find("pause").setAttribute("aria-pressed", isPaused)
    clearTimeout(timer)
    if (!isPaused) ask()
})

document.addEventListener("visibilitychange", () => {
    if (!document.hidden && !isPaused && !find("board").hidden) ask()
})

ask()
