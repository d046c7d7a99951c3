// The browser client's hub with several tabs at random: other wishes, other modes, tabs that come and go, connections that
// break, resumes that the broker can or cannot give. At rest every tab shows what the broker has of what it wants.
// Words: FOLDER OF THE KIT, ROUNDS. FANFARE_SEED brings the same lots again.
"use strict"
const path = require("node:path")
const { generator, seed } = require("./lots.js")
const [kit, rounds] = process.argv.slice(2)
const channel = "chat:42"
const messages = ["m1", "m2", "m3", "m4"]
const users = ["bob", "cy"]
const reaction = "👍"
const heldEvents = 4

/** A broker with one channel and one reaction; what it says on a connection is kept until the test delivers it. */
class PlainBroker {
    constructor() {
        this.seq = 0
        this.has = new Map(messages.map((message) => [message, []]))
        this.events = []
        this.watched = null // of the connection: a list, null for all, undefined without a subscription
        this.said = []
    }

    toggle(message, user) {
        const before = this.has.get(message)
        const isThere = before.includes(user)
        const after = isThere ? before.filter((one) => one !== user) : [...before, user]
        this.has.set(message, after)
        this.seq += 1
        const event = {
            type: isThere ? "removed" : "added", channel, seq: this.seq, message, reaction, user,
            count: after.length, users: after.length, total: after.length, at: 0,
        }
        this.events.push(event)
        if (this.sees(message)) this.said.push(event)
    }

    sees(message) {
        return this.watched !== undefined && (this.watched === null || this.watched.includes(message))
    }

    summaries(wanted) {
        return wanted.filter((message) => this.has.get(message)?.length).map((message) => {
            const people = this.has.get(message)
            const group = { reaction, count: people.length, users: people.length, first: 0, last: 0, latest: [...people].reverse() }
            return { message, total: people.length, reactions: [group], own: [] }
        })
    }

    take({ type, id, messages: wanted, since, mode }) {
        if (type === "subscribe") {
            this.watched = wanted ?? null
            const isRecovered = since !== undefined && since.seq <= this.seq && this.seq - since.seq <= heldEvents
            const state = isRecovered ? {} : { messages: this.summaries(wanted ?? messages), more: null }
            this.said.push({
                type: "subscribed", id, channel, epoch: "e1", seq: isRecovered ? since.seq : this.seq, mode, policy: "distinct",
                interval_ms: 100, allowed: null, limits: { kinds: 20, per_user: 10 }, frozen: false, recovered: isRecovered, ...state,
            })
            if (isRecovered) this.said.push(...this.events.filter((event) => event.seq > since.seq && this.sees(event.message)))
        } else if (type === "watch") {
            const news = wanted.filter((message) => this.watched === null || !this.watched.includes(message))
            this.watched = wanted
            this.said.push({ type: "watched", id, channel, seq: this.seq, messages: this.summaries(news) })
        } else if (type === "unsubscribe") {
            this.watched = undefined
            this.said.push({ type: "unsubscribed", id, channel })
        }
    }
}

async function settled() {
    for (let turn = 0; turn < 20; turn += 1) await Promise.resolve()
}

async function run({ Hub, ChannelState }, random) {
    const pick = (list) => list[Math.floor(random() * list.length)]
    const broker = new PlainBroker()
    let socket = null
    let timers = []
    let asked = [] // requests on their way to the broker
    globalThis.setTimeout = (action) => timers.push(action)
    globalThis.clearTimeout = (id) => { timers[id - 1] = undefined }
    globalThis.WebSocket = class {
        constructor() {
            socket = this
            timers = []
            asked = []
            broker.said = []
            broker.watched = undefined
        }

        send(text) {
            asked.push(JSON.parse(text))
        }

        close() {}
    }

    const tabs = new Map() // tab -> { state, want }
    let isUp = false
    const hub = new Hub("http://broker.test/", { user: "ada" }, {
        now: () => 0, random: () => 0,
        onstate: () => {
            isUp = hub.state === "connected"
            for (const { state } of tabs.values()) state.connected(isUp)
        },
        deliver: (message, scope) => {
            for (const { state } of tabs.values()) state.receive(message, 0, scope)
        },
    })
    hub.start()
    await settled()

    const declare = (tab) => {
        const { state, want } = tabs.get(tab)
        state.watch(want.messages)
        const unknown = state.unknown(want.messages ?? [])
        hub.subscribe(tab, channel, { ...want, unknown, since: unknown.length ? undefined : state.position })
    }
    const wish = () => ({
        mode: "events", occupancy: false,
        messages: random() < 0.2 ? null : messages.filter(() => random() < 0.5),
    })
    const come = () => {
        const tab = `t${random()}`
        const state = new ChannelState(channel, "ada")
        state.connected(isUp)
        tabs.set(tab, { state, want: wish() })
        declare(tab)
    }
    const change = () => {
        if (!tabs.size) return
        const tab = pick([...tabs.keys()])
        const { want } = tabs.get(tab)
        // A tab that watches goes on to watch.
        const { messages: list } = wish()
        tabs.get(tab).want = { ...want, messages: list ?? (want.messages ? [] : null) }
        declare(tab)
    }
    const leave = () => {
        if (!tabs.size) return
        const tab = pick([...tabs.keys()])
        tabs.delete(tab)
        hub.leave(tab)
    }
    const connect = async () => {
        if (hub.state === "waiting") {
            timers.filter(Boolean).at(-1)()
            await settled()
        }
        socket.onmessage({ data: JSON.stringify({ type: "welcome", user: "ada", time: 0, heartbeat_ms: 25_000 }) })
    }
    const cut = () => {
        const { onclose } = socket
        onclose({ code: 1006 })
    }
    const serve = () => asked.length && broker.take(asked.shift())
    const hear = () => {
        const message = broker.said.shift()
        if (message) socket.onmessage({ data: JSON.stringify(message) })
    }
    const rest = async () => {
        if (!isUp) await connect()
        while (asked.length || broker.said.length) {
            serve()
            hear()
        }
        for (const { state, want } of tabs.values()) {
            for (const message of want.messages ?? messages) {
                const { total } = state.view(message)
                const there = broker.has.get(message).length
                if (total !== there) throw new Error(`${message} shows ${total}, there are ${there}; ${JSON.stringify(want)}`)
                if (state.unknown([message]).length) throw new Error(`${message} is not known`)
            }
        }
    }

    for (let step = 0; step < 150; step += 1) {
        const dice = random()
        if (dice < 0.25) broker.toggle(pick(messages), pick(users))
        else if (dice < 0.35) change()
        else if (dice < 0.4) tabs.size < 4 && come()
        else if (dice < 0.43) leave()
        else if (!isUp) dice < 0.6 && await connect()
        else if (dice < 0.65) serve()
        else if (dice < 0.93) hear()
        else if (dice < 0.96) cut()
        else await rest()
    }
    await rest()
}

async function main() {
    const parts = { ...await import(path.resolve(kit, "hub.js")), ...await import(path.resolve(kit, "state.js")) }
    globalThis.fetch = () => Promise.reject(new Error("no HTTP here"))
    console.log(`# seed ${seed}`)
    let why
    for (let round = 0; round < Number(rounds) && !why; round += 1) {
        try {
            await run(parts, generator(seed + round))
        } catch (error) {
            why = `seed ${seed + round}: ${error.message}`
        }
    }
    console.log(why ? `not ok every tab shows what it wants: ${why}` : "ok every tab shows what it wants")
    console.log("1..1")
    process.exitCode = why ? 1 : 0
}

main()
