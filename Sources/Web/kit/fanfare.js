// The browser client of Fanfare.
//
//   import { connect } from "/kit/fanfare.js"
//   const client = connect({ user: "ada" })
//   const channel = client.channel("chat:42")
//   channel.addEventListener("change", ({ detail }) => console.log(channel.view(detail.message)))
//   await channel.toggle("m1", "👍")

import { Channel, FanfareError } from "./channel.js"
import { Hub } from "./hub.js"

export { Channel, FanfareError }

/** Connects to a broker; see `FanfareClient`. */
export function connect(options) {
    return new FanfareClient(options)
}

/** A client of one broker, for one user. Its event "state" tells of each change of `state`. */
export class FanfareClient extends EventTarget {
    #link
    #tab = crypto.getRandomValues(new Uint32Array(2)).join("-")
    #now
    #channels = new Map()
    #queries = new Map() // id -> { request, resolve, reject }
    #lastId = 0
    #user
    #events = new AbortController()

    /**
     * - `url`: the broker's address; left out, the one that this file came from.
     * - `token`: a JWT, or a function that gives one or a promise of one, and is asked again before it runs out.
     * - `user`: who this is, where the broker is in development mode.
     * - `now`, `random`: instead of `Date.now` and `Math.random`.
     */
    constructor({ url, user = null, token, now = Date.now, random = Math.random } = {}) {
        super()
        this.#user = token ? null : user
        this.#now = now
        const identity = token ? { token: async () => typeof token === "function" ? token() : token, isRenewable: typeof token === "function" } : { user }
        this.#link = new Hub(baseOf(url), identity, {
            now, random,
            onstate: () => this.#stateChanged(),
            deliver: (message, covers) => this.#receive(message, covers),
        })
        this.#followBrowser()
        this.#link.start()
    }

    /** "connecting", "connected", "waiting" (to try again), "offline" (until the browser has a network) or "closed". */
    get state() {
        return this.#link.state
    }

    /** Who this is, as far as is known. */
    get user() {
        return this.#link.user ?? this.#user
    }

    /** Why the broker closed it for good: `{ code, message }`. */
    get error() {
        return this.#link.error
    }

    /**
     * A channel: `{ mode: "events" | "summary", messages, occupancy }`. Asked for again it is the same object, with the
     * options that it had first.
     */
    channel(name, options) {
        let channel = this.#channels.get(name)
        if (channel) return channel
        channel = new Channel(name, options, {
            link: this.#link,
            tab: this.#tab,
            now: this.#now,
            ask: (request) => this.#ask(request),
            onclose: () => this.#channels.delete(name),
        })
        this.#channels.set(name, channel)
        channel.connectionChanged(this.state === "connected", this.user)
        return channel
    }

    /** Closes the connection and all channels. */
    close() {
        this.#link.close()
    }

    /** Sends what only asks, again on each new connection until it is answered. */
    #ask(request) {
        const id = `${this.#tab}-${++this.#lastId}`
        return new Promise((resolve, reject) => {
            if (this.state === "closed") return reject(new FanfareError(closed))
            this.#queries.set(id, { request: { ...request, id }, resolve, reject })
            this.#link.send({ ...request, id })
        })
    }

    #receive(message, covers) {
        const query = this.#queries.get(message.id)
        const channel = this.#channels.get(message.channel)
        if (query) {
            this.#queries.delete(message.id)
            if (message.type === "error") query.reject(new FanfareError(message))
            else query.resolve(message)
        } else if (channel) channel.receive(message, covers)
        else if (message.type === "error") for (const one of this.#channels.values()) one.receive(message)
    }

    #stateChanged() {
        for (const channel of this.#channels.values()) channel.connectionChanged(this.state === "connected", this.user)
        if (this.state === "connected") for (const { request } of this.#queries.values()) this.#link.send(request)
        if (this.state === "closed") this.#end()
        this.dispatchEvent(new CustomEvent("state", { detail: { state: this.state, user: this.user, error: this.error } }))
    }

    #end() {
        this.#events.abort()
        const error = this.error ?? closed
        for (const channel of this.#channels.values()) channel.end(error)
        for (const { reject } of this.#queries.values()) reject(new FanfareError(error))
        this.#queries.clear()
    }

    /** Timers of a hidden page are slow or stand still, so the browser's events say when to look again. */
    #followBrowser() {
        const { signal } = this.#events
        globalThis.addEventListener?.("online", () => this.#link.wake(), { signal })
        globalThis.addEventListener?.("offline", () => this.#link.offline(), { signal })
        globalThis.addEventListener?.("pageshow", () => this.#link.wake(), { signal })
        globalThis.document?.addEventListener("visibilitychange", () => {
            if (document.visibilityState === "visible") this.#link.wake()
        }, { signal })
    }
}

const closed = { code: "closed", message: "the client is closed" }

/** The broker's address by http or https, with a slash at its end. */
function baseOf(url) {
    const address = url ? new URL(url, globalThis.location?.href) : new URL("..", import.meta.url)
    address.protocol = address.protocol.replace("ws", "http")
    address.pathname = address.pathname.replace(/(v1\/ws)?\/?$/, "/").replace("//", "/")
    return address.origin + address.pathname
}
