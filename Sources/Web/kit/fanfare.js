// The browser client of Fanfare.
//
//   import { connect } from "/kit/fanfare.js"
//   const client = connect({ user: "ada" })
//   const channel = client.channel("chat:42")
//   channel.addEventListener("change", ({ detail }) => console.log(channel.view(detail.message)))
//   await channel.toggle("m1", "👍")

import { Channel, FanfareError, newKey } from "./channel.js"
import { claimsOf } from "./claims.js"
import { Hub } from "./hub.js"
import { canShare, Tabs } from "./tabs.js"

export { Channel, FanfareError }

/** Connects to a broker; see `FanfareClient`. */
export function connect(options) {
    return new FanfareClient(options)
}

/** A client of one broker, for one user. Its event "state" tells of each change of `state`. */
export class FanfareClient extends EventTarget {
    #link
    #tab = newKey()
    #shared // what its channels need of it
    #channels = new Map()
    #queries = new Map() // id -> { request, resolve, reject }
    #lastId = 0
    #user
    #warned // of which refusal the console has told
    #events = new AbortController()

    /**
     * - `url`: the broker's address; left out, the one that this file came from.
     * - `token`: a JWT, or a function that gives one or a promise of one, and is asked again before it runs out.
     * - `user`: who this is, where the broker is in development mode.
     * - `share`: whether the tabs of a user share one connection; true where the browser can.
     * - `storage`: keeps changes without an answer over a reload of the page; `sessionStorage`, say.
     * - `now`, `random`: instead of `Date.now` and `Math.random`.
     */
    constructor({ url, user, token, share = canShare(), storage, now = Date.now, random = Math.random } = {}) {
        super()
        const base = baseOf(url)
        const identity = token ? new TokenSource(token) : { user }
        const makeHub = ({ onstate, deliver }) => new Hub(base, identity, { now, random, onstate, deliver })
        const handlers = {
            onstate: () => this.#stateChanged(),
            deliver: (message, scope) => this.#receive(message, scope),
        }
        this.#user = token ? null : user ?? null
        this.#shared = { now, tab: this.#tab, storage: storage && new Drafts(storage, base), ask: (request) => this.#ask(request) }
        this.#link = share ? new Tabs({
            ...handlers, makeHub, tab: this.#tab,
            whose: () => nameOf(base, identity),
            onhub: () => this.#channels.forEach((channel) => channel.subscribe()),
        }) : makeHub(handlers)
        this.#shared.link = this.#link
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

    /** Why the broker closed it for good, or refused it last: `{ code, message }`; undefined while it is connected. */
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
        channel = new Channel(name, options, { ...this.#shared, onclose: () => this.#channels.delete(name) })
        this.#channels.set(name, channel)
        if (this.state === "closed") channel.end(this.error ?? closed)
        else channel.connected(this.state === "connected", this.user)
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

    #receive(message, scope) {
        const query = this.#queries.get(message.id)
        const channel = this.#channels.get(message.channel)
        if (query) {
            this.#queries.delete(message.id)
            if (message.type === "error") query.reject(new FanfareError(message))
            else query.resolve(message)
        } else if (channel) channel.receive(message, scope)
        else if (message.type === "error") for (const one of this.#channels.values()) one.receive(message)
    }

    #stateChanged() {
        const { state, user, error } = this
        const how = state === "closed" ? "closed for good" : "refused, and tried again"
        const warning = error && `fanfare: ${how}: ${error.message} (${error.code})`
        if (warning && warning !== this.#warned) console.warn(warning)
        this.#warned = warning
        for (const channel of this.#channels.values()) channel.connected(state === "connected", user)
        if (state === "connected") for (const { request } of this.#queries.values()) this.#link.send(request)
        if (state === "closed") this.#end(error ?? closed)
        this.dispatchEvent(new CustomEvent("state", { detail: { state, user, error } }))
    }

    #end(error) {
        this.#events.abort()
        for (const channel of this.#channels.values()) channel.end(error)
        for (const { reject } of this.#queries.values()) reject(new FanfareError(error))
        this.#queries.clear()
    }

    /** Timers of a hidden page are slow or stand still, so the browser's events say when to look again. */
    #followBrowser() {
        const { signal } = this.#events
        for (const type of ["online", "pageshow"]) globalThis.addEventListener?.(type, () => this.#link.wake(), { signal })
        globalThis.addEventListener?.("offline", () => this.#link.offline(), { signal })
        globalThis.document?.addEventListener("visibilitychange", () => {
            if (document.visibilityState === "visible") this.#link.wake()
        }, { signal })
    }
}

const tokenWithin = 10_000

const closed = { code: "closed", message: "the client is closed" }

/** A token, or where they come from. */
class TokenSource {
    #source
    #next = null // asked for, and not used yet

    constructor(source) {
        this.isRenewable = typeof source === "function"
        this.#source = this.isRenewable ? source : () => source
    }

    async token() {
        const next = this.peek()
        this.#next = null // whatever comes of it: one that fails or hangs is asked for anew
        const token = await next
        return claimsOf(token).exp * 1000 < Date.now() ? this.#ask() : token // a tab that only followed asked long ago
    }

    /** The token that will be used next. */
    peek() {
        return (this.#next ??= this.#ask())
    }

    async #ask() {
        return (await this.#source()).trim()
    }
}

/**
 * The name of those who may share a connection: who have the same identity, and the same rights. Null where it is not known
 * who this is, or not soon.
 */
async function nameOf(base, identity) {
    try {
        const late = new Promise((resolve) => setTimeout(resolve, tokenWithin))
        const token = await Promise.race([identity.peek?.(), late])
        // What is another in each token of the same is left out.
        const { exp, iat, nbf, jti, ...who } = token ? claimsOf(token) : identity
        return who.user || who.sub ? `fanfare ${base} ${JSON.stringify(who)}` : null
    } catch {
        return null
    }
}

/** Keeps the changes without an answer of a user and a channel. */
class Drafts {
    #storage
    #base

    constructor(storage, base) {
        this.#storage = storage
        this.#base = base
    }

    load(user, channel) {
        try {
            return JSON.parse(this.#storage.getItem(this.#name(user, channel)) ?? "[]").filter((one) => one?.key)
        } catch {
            return [] // it is not there, or was not written by this
        }
    }

    save(user, channel, drafts) {
        try {
            if (drafts.length) this.#storage.setItem(this.#name(user, channel), JSON.stringify(drafts))
            else this.#storage.removeItem(this.#name(user, channel))
        } catch {
            // What finds no room is not kept.
        }
    }

    #name(user, channel) {
        return `fanfare ${this.#base} ${user} ${channel}`
    }
}

/** The broker's address by http or https, with a slash at its end. */
function baseOf(url) {
    const address = url ? new URL(url, globalThis.location?.href) : new URL("..", import.meta.url)
    address.protocol = address.protocol.replace("ws", "http")
    address.pathname = address.pathname.replace(/\/*(v1\/ws)?\/*$/, "/")
    return address.origin + address.pathname
}
