// One channel of a client: its state, the promises of those who changed something, and what is watched.

import { longestTimer } from "./connection.js"
import { ChannelState } from "./state.js"

/** Why a request was refused: one of the broker's codes, and words for a person. */
export class FanfareError extends Error {
    constructor({ code, message }) {
        super(message)
        this.name = "FanfareError"
        this.code = code
    }
}

export class Channel extends EventTarget {
    #client // what it has of its client: { link, tab, now, storage, ask, onclose }
    #state
    #subscription // { mode, occupancy }
    #isWhole // whether all messages are wanted, not only the watched ones
    #isHeard = false // whether the page listens to the changes of all
    #watched = new Map() // message -> how many watch it
    #waiting = new Map() // key -> { promise, resolve, reject }
    #ready = withResolvers()
    #observer = null
    #observed = new Map() // element -> { message, isWatched }
    #subscribing = null
    #flush = null
    #isReady = false
    #isClosed = false
    #error

    /** Made by `client.channel`. */
    constructor(name, { mode = "events", messages, occupancy = false } = {}, client) {
        super()
        this.name = name
        this.#client = client
        this.#state = new ChannelState(name)
        this.#subscription = { mode, occupancy }
        this.#isWhole = !messages
        for (const message of messages ?? []) this.#watched.set(message, 1)
        this.#subscribeSoon()
    }

    /** A promise of the first snapshot; it is broken where the broker refuses the subscription. */
    get ready() {
        return this.#ready.promise
    }

    /** Who this is, as far as is known; null otherwise. */
    get user() {
        return this.#state.user
    }

    get policy() {
        return this.#state.policy
    }

    /** The reactions that may be used; null: all that the namespace accepts. */
    get allowed() {
        return this.#state.allowed
    }

    get limits() {
        return this.#state.limits
    }

    /** Why nothing is told of the channel, `{ code, message }`; undefined while something is. */
    get error() {
        return this.#error
    }

    get frozen() {
        return this.#state.isFrozen
    }

    get epoch() {
        return this.#state.epoch
    }

    get seq() {
        return this.#state.seq
    }

    /** A message as it is shown, with the changes that have no answer yet; the same object until it changes. */
    view(message) {
        return this.#state.view(message)
    }

    // MARK: changing

    add(message, reaction, options) {
        return this.#act({ ...options, op: "add", message, reaction })
    }

    remove(message, reaction, options) {
        return this.#act({ ...options, op: "remove", message, reaction })
    }

    toggle(message, reaction, { data } = {}) {
        return this.#act({ op: "toggle", message, reaction, data })
    }

    /** Makes the user's reactions on a message exactly these. */
    set(message, reactions) {
        return this.#act({ op: "set", message, reactions })
    }

    /** Sends a change that has failed again. */
    retry(message, reaction) {
        const change = this.#state.retry(message, reaction)
        if (!change) return Promise.reject(new FanfareError({ code: "not_found", message: "nothing has failed here" }))
        return this.#expect(change)
    }

    /** Gives up a change that has failed. */
    discard(message, reaction) {
        if (!this.#state.discard(message, reaction)) return
        this.#save()
        this.#changed([message])
    }

    #act(intent) {
        // As it is now, and as it can be sent: what cannot throws before anything has changed.
        const words = JSON.parse(JSON.stringify({ ...intent, key: newKey() }))
        const change = this.#isClosed ? null : this.#state.act(words)
        if (change) return this.#expect(change)
        const why = this.#isClosed ? closed : { code: "too_many_pending", message: "too many changes wait for an answer" }
        return Promise.reject(new FanfareError(why))
    }

    /** Sends a change, and gives a promise of its answer; nobody has to hear it. */
    #expect({ key, message }) {
        const waiting = withResolvers()
        this.#waiting.set(key, waiting)
        this.#changed([message])
        this.#send()
        this.#save()
        return waiting.promise
    }

    // MARK: reading

    /** Who listens to "change" follows the whole channel, unless messages were named or are watched by `watch`. */
    addEventListener(type, ...rest) {
        this.#isHeard ||= type === "change"
        super.addEventListener(type, ...rest)
    }

    /** Who reacted, newest first: the broker's `reactors`, `limit` at a time. */
    reactors(message, options) {
        return this.#client.ask({ ...options, type: "reactors", channel: this.name, message })
    }

    /** Watches a message, once more; from the first on only watched messages are followed. */
    watch(message) {
        this.#isWhole = false
        this.#watch(message)
    }

    #watch(message) {
        if (!isMessage(message)) console.warn(`fanfare: “${message}” is no message id`)
        this.#watched.set(message, (this.#watched.get(message) ?? 0) + 1)
        this.#subscribeSoon()
    }

    /** Watches a message once less. */
    unwatch(message) {
        const count = this.#watched.get(message) ?? 0
        if (count > 1) this.#watched.set(message, count - 1)
        else this.#watched.delete(message)
        this.#subscribeSoon()
    }

    /** Watches a message while an element of the page is in view, or near; gives a function that ends it. */
    observe(element, message) {
        this.#observer ??= new IntersectionObserver((entries) => this.#scrolled(entries), { rootMargin: "200px" })
        this.#isWhole &&= this.#isHeard
        this.#observed.set(element, { message, isWatched: false })
        this.#observer.observe(element)
        return () => {
            this.#observer.unobserve(element)
            if (this.#observed.get(element)?.isWatched) this.unwatch(message)
            this.#observed.delete(element)
        }
    }

    #scrolled(entries) {
        for (const { target, isIntersecting } of entries) {
            const observed = this.#observed.get(target)
            if (!observed || observed.isWatched === isIntersecting) continue
            observed.isWatched = isIntersecting
            if (isIntersecting) this.#watch(observed.message)
            else this.unwatch(observed.message)
        }
    }

    /** Says what is wanted once for all that happens now: a whole list that scrolls into view, say. */
    #subscribeSoon() {
        this.#subscribing ??= setTimeout(() => this.subscribe())
    }

    /** Ends the subscription, and what waits for an answer. */
    close() {
        if (this.#isClosed) return
        this.end(closed)
        this.#client.link.unsubscribe(this.#client.tab, this.name)
        this.#client.onclose(this)
    }

    // MARK: for the client

    /** The connection is up, for a user, or lost. */
    connected(isConnected, user) {
        if (user && !this.#state.user) {
            this.#state.user = user
            this.#restore()
        }
        this.#state.connected(isConnected)
        this.#isReady &&= isConnected
        this.#send()
    }

    #restore() {
        const drafts = this.#client.storage?.load(this.#state.user, this.name) ?? []
        this.#state.restore(drafts)
        this.#changed(drafts.map(({ message }) => message))
    }

    #save() {
        if (this.#state.user) this.#client.storage?.save(this.#state.user, this.name, this.#state.drafts)
    }

    /** Says what is wanted; to a hub that does not know it yet, say. */
    subscribe() {
        if (this.#isClosed) return
        clearTimeout(this.#subscribing)
        this.#subscribing = null
        const messages = this.#isWhole ? null : [...this.#watched.keys()].filter(isMessage)
        this.#state.watch(messages)
        const unknown = this.#state.unknown(messages ?? [])
        const want = { ...this.#subscription, messages, unknown, since: unknown.length ? undefined : this.#state.position }
        this.#client.link.subscribe(this.#client.tab, this.name, want)
    }

    /** There will be no more: all who wait are told why. */
    end(error) {
        this.#isClosed = true
        this.#error = error
        this.#observer?.disconnect()
        clearTimeout(this.#subscribing)
        clearTimeout(this.#flush)
        for (const waiting of [this.#ready, ...this.#waiting.values()]) waiting.reject(new FanfareError(error))
        this.#waiting.clear()
    }

    /** Takes one of the broker's messages about this channel. */
    receive(message, scope) {
        const wasFrozen = this.frozen
        const { changed, answered, error } = this.#state.receive(message, this.#client.now(), scope)
        if (answered) this.#settle(answered, message, error)
        this.#changed(changed)
        switch (message.type) {
        case "subscribed":
            this.#error = undefined
            this.#ready.resolve(this)
            // Another tab may have asked for something else of the channel that they share.
            if (!this.#isReady) this.#tell("ready")
            this.#isReady = true
            break
        case "refused":
            this.#refused(message)
            break
        case "unsubscribed":
            if (message.reason) this.#refused({ code: message.reason, message: "the subscription was ended" })
            break
        case "burst": case "occupancy":
            this.#tell(message.type, message)
        }
        if (this.frozen !== wasFrozen) this.#tell("frozen", { frozen: this.frozen, by: message.by })
        this.#send()
    }

    #refused({ code, message }) {
        const error = { code, message }
        this.#state.refused()
        this.#isReady = false
        this.#ready.reject(new FanfareError(error))
        if (this.#error?.code !== code) console.warn(`fanfare: nothing comes of ${this.name}: ${message} (${code})`)
        this.#error = error
        this.#tell("error", error)
    }

    #settle({ key, replaces }, message, error) {
        this.#save()
        for (const one of [key, ...replaces]) {
            const waiting = this.#waiting.get(one)
            this.#waiting.delete(one)
            if (error) waiting?.reject(new FanfareError(error))
            else waiting?.resolve(message)
        }
        if (error) this.#tell("error", error)
    }

    #changed(messages) {
        for (const message of messages) for (const type of ["change", `change ${message}`]) this.#tell(type, { message })
    }

    #tell(type, detail) {
        this.dispatchEvent(new CustomEvent(type, { detail }))
    }

    /** Sends what is due, now and when more is. */
    #send() {
        if (this.#isClosed) return
        const { link, now } = this.#client
        for (const request of this.#state.outbox(now())) {
            link.send({ id: request.key, ...request })
            this.#state.sent(request.key)
        }
        clearTimeout(this.#flush)
        const wait = this.#state.heldUntil - now()
        if (wait > 0) this.#flush = setTimeout(() => this.#send(), Math.min(wait, longestTimer))
    }
}

const closed = { code: "closed", message: "the channel is closed" }

/** Whether the broker takes it as a message's id: one that it does not would cost the channel its whole subscription. */
const isMessage = (id) => /^(?!([-*]|\.\.?)$)[!-~]{0,128}$/.test(id)

/** A key that nobody else has: 128 random bits. */
export const newKey = () => crypto.getRandomValues(new Uint32Array(4)).join("-")

/** A promise with the means to settle it; a broken one that nobody hears is no error of the page. */
function withResolvers() {
    const parts = {}
    parts.promise = new Promise((resolve, reject) => Object.assign(parts, { resolve, reject }))
    parts.promise.catch(() => {})
    return parts
}
