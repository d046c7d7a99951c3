// A small client for the browser: one connection, kept up; events of channels as they come.
//
//   import { connect } from "./fanfare.js"
//   const fanfare = connect({ user: "ada" })
//   fanfare.subscribe("chat:42", (message) => console.log(message))
//   await fanfare.request({ type: "add", channel: "chat:42", message: "m1", reaction: "👍" })

const minDelay = 500
const maxDelay = 20_000
const stableAfter = 5_000
const replyWithin = 10_000

/**
 * Connects to a broker. `url` is the page's own host by default; `token` or `user` says who it is.
 * `onState(name, user)` hears "connecting", "connected" (with the user that the broker knows, or null), "waiting", "closed".
 */
export function connect({ url, user, token, onState = () => {} } = {}) {
    const address = new URL(url ?? "/v1/ws", location.href.replace(/^http/, "ws"))
    if (token) address.searchParams.set("token", token)
    else if (user) address.searchParams.set("user", user)

    const channels = new Map() // name -> { listener, since }
    const waiting = new Map() // id -> { resolve, reject, timer }
    let socket = null
    let nextId = 1
    let attempts = 0
    let retryAfter = null
    let isClosed = false

    function open() {
        onState("connecting")
        socket = new WebSocket(address, "fanfare.v1.json")
        let stable
        socket.onopen = () => {
            stable = setTimeout(() => (attempts = 0), stableAfter)
            for (const name of channels.keys()) sendSubscribe(name)
        }
        socket.onmessage = (event) => receive(JSON.parse(event.data))
        socket.onclose = (event) => {
            clearTimeout(stable)
            for (const [id, request] of waiting) settle(id, () => request.reject(new Error("the connection was lost")))
            if (isClosed || event.code === 4003) return onState("closed")
            onState("waiting")
            const ceiling = Math.min(maxDelay, minDelay * 2 ** attempts++)
            setTimeout(open, retryAfter ?? Math.random() * ceiling)
            retryAfter = null
        }
    }

    function receive(message) {
        if (message.type === "welcome") onState("connected", message.user)
        if (message.type === "goodbye") {
            if (message.retry_after_ms === null) isClosed = true
            else retryAfter = message.retry_after_ms
        }
        const channel = channels.get(message.channel)
        if (channel) {
            if (message.type === "subscribed") channel.since = { epoch: message.epoch, seq: message.seq }
            else if (message.seq !== undefined && message.id === undefined && channel.since) channel.since.seq = message.seq
            channel.listener(message)
        }
        const request = waiting.get(message.id)
        if (request) settle(message.id, () => (message.type === "error" ? request.reject(message) : request.resolve(message)))
    }

    function settle(id, finish) {
        clearTimeout(waiting.get(id).timer)
        waiting.delete(id)
        finish()
    }

    function request(fields) {
        if (socket?.readyState !== WebSocket.OPEN) return Promise.reject(new Error("not connected"))
        const id = nextId++
        return new Promise((resolve, reject) => {
            const timer = setTimeout(() => settle(id, () => reject(new Error("no answer came"))), replyWithin)
            waiting.set(id, { resolve, reject, timer })
            socket.send(JSON.stringify({ ...fields, id }))
        })
    }

    function sendSubscribe(name) {
        const { since } = channels.get(name)
        request({ type: "subscribe", channel: name, since }).catch((error) => channels.get(name)?.listener(error))
    }

    open()
    return {
        request,
        /** Calls `listener` with every message of a channel: `subscribed`, then its events. */
        subscribe(name, listener) {
            channels.set(name, { listener, since: null })
            if (socket.readyState === WebSocket.OPEN) sendSubscribe(name)
        },
        close() {
            isClosed = true
            socket.close(1000)
        },
    }
}
