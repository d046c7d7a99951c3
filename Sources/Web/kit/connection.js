// One connection to a broker, kept up: it comes back with jitter, obeys the broker's goodbye, renews its token, and goes
// over plain HTTP where WebSockets are blocked. What is asked and answered over it is hub.js's business.

import { claimsOf } from "./claims.js"

const firstDelay = 500
const lastDelay = 20_000
export const longestTimer = 2_147_483_647 // what a browser's timer can count, 24 days
const stableAfter = 5_000
const welcomeWithin = 20_000
const answerWithin = 10_000
const probeWithin = 10_000
const silenceGrace = 10_000
const farewellWithin = 5_000
const renewBefore = 30_000
const leastRenewal = 1_000 // a callback that gives the same token again is not asked in a tight loop
const refusalsBeforeFallback = 2
const fallBackAfter = 5_000

export class Connection {
    /** "connecting", "connected", "waiting" (to try again), "offline" (until the browser has a network), "closed". */
    state = "connecting"
    /** Who the broker says this is. */
    user = null
    /** Why it is closed, or was refused last, `{ code, message }`; undefined where closing was asked for. */
    error = undefined

    #base // the broker's address, by http or https
    #identity // { user }, or { token, isRenewable }: a function that gives a promise of a token, of a new one each time
    #options // { now, random, onstate, onmessage }
    #wire = null // what carries messages now: { send, close }
    #attempt = 0
    #failures = 0 // attempts since the last stable connection
    #refusals = 0 // attempts in a row in which no WebSocket came about
    #isWelcomed = false
    #connectedAt = 0
    #heardAt = 0
    #silenceAllowed = Infinity
    #skew = 0 // what to add to this machine's time for the broker's
    #goodbye = null
    #timers = new Map()

    constructor(base, identity, options) {
        this.#base = base
        this.#identity = identity
        this.#options = options
    }

    /** How many characters the messages that one request names may have, percent-encoded. */
    get room() {
        return this.#wire.room
    }

    /** Sends a request, which is lost where the connection is not up. */
    send(request) {
        if (this.state !== "connected") return
        this.#wire.send(request)
        this.#expectAnswer()
    }

    /** Time may have passed unseen, or a network come back: the page was hidden, say. */
    wake() {
        if (this.state === "waiting" || this.state === "offline") this.start()
        else if (this.state === "connected") this.#listen()
    }

    /** The browser says that it has no network. */
    offline() {
        if (this.state === "waiting") this.#rest()
        else if (this.state === "connected") this.#ask()
    }

    close() {
        this.#finish(undefined)
    }

    // MARK: opening

    async start() {
        const attempt = this.#drop()
        this.#become("connecting")
        this.#timer("welcome", welcomeWithin, () => this.#lost())
        let token, hasFallback
        try {
            token = await this.#identity.token?.()
            hasFallback = this.#refusals >= refusalsBeforeFallback && await isReachable(this.#base)
        } catch (error) {
            if (attempt === this.#attempt) this.#lost(undefined, { code: "no_token", message: error.message })
            return
        }
        if (attempt !== this.#attempt) return
        // What lies between may let an upgrade hang as well as refuse it.
        if (hasFallback) this.#timer("welcome", fallBackAfter, () => this.#fallBack(token))
        this.#begin(openSocket, token, hasFallback)
    }

    /** Begins to talk over a wire; by HTTP where that works, and no WebSocket comes about. */
    #begin(openWire, token, hasFallback) {
        const attempt = this.#attempt
        // A broker in development mode believes the name, and takes the token only of the same one.
        this.#wire = openWire(this.#base, token ? claimsOf(token).sub : this.#identity.user, {
            token,
            onmessage: (message) => {
                if (attempt !== this.#attempt) return
                if (openWire === openSocket) this.#refusals = 0
                this.#receive(message, token)
            },
            onclose: (code, error) => {
                if (attempt !== this.#attempt) return
                if (hasFallback && !this.#isWelcomed) this.#fallBack(token)
                else this.#lost(code, error)
            },
        })
    }

    async #fallBack(token) {
        const attempt = this.#drop()
        this.#timer("welcome", welcomeWithin, () => this.#lost())
        try {
            const { openStreams } = await import("./fallback.js")
            if (attempt === this.#attempt) this.#begin(openStreams, token)
        } catch {
            if (attempt === this.#attempt) this.#lost()
        }
    }

    /** Hears no more of what there was, and gives the number of the attempt that may follow. */
    #drop() {
        for (const name of [...this.#timers.keys()]) this.#stop(name)
        this.#goodbye = null
        this.#isWelcomed = false
        this.#attempt += 1
        this.#wire?.close()
        this.#wire = null
        return this.#attempt
    }

    // MARK: what the broker says

    #receive(message, token) {
        this.#heardAt = this.#options.now()
        this.#stop("answer")
        if (message.type === "welcome") this.#welcomed(message, token)
        else if (message.type === "goodbye") {
            this.#goodbye = message
            this.#timer("farewell", farewellWithin, () => this.#lost(message.code))
        } else if (message.id === "auth") this.#identified(message)
        else if (message.id !== "alive") this.#options.onmessage(message)
    }

    #welcomed(message, token) {
        this.#isWelcomed = true
        this.#silenceAllowed = message.heartbeat_ms + silenceGrace
        this.#skew = message.time - this.#heardAt
        if (token) this.#wire.send({ type: "auth", id: "auth", token })
        else if (message.user) this.#connected(message.user)
        else this.#finish({ code: "unauthorized", message: "this broker wants a token" })
    }

    #connected(user) {
        this.#stop("welcome")
        this.#connectedAt = this.#options.now()
        this.user = user
        this.error = undefined
        this.#listen()
        this.#become("connected")
    }

    /** The answer to `auth`, the first one or a renewal. */
    #identified({ type, user, expires, code, message }) {
        if (type === "ack") {
            if (this.state === "connecting") this.#connected(user)
            if (expires) this.#renewBefore(expires - this.#skew)
        } else if (this.state === "connecting") this.#lost(4001, { code, message })
        else console.warn(`fanfare: the token is not renewed: ${message} (${code})`)
    }

    #renewBefore(end) {
        const left = end - this.#options.now()
        this.#timer("renewal", Math.max(leastRenewal, left - Math.min(renewBefore, left / 2)), async () => {
            if (left > longestTimer) return this.#renewBefore(end)
            const attempt = this.#attempt
            try {
                const token = await this.#identity.token()
                if (attempt === this.#attempt) this.send({ type: "auth", id: "auth", token })
            } catch {
                // The broker closes with 4001 when the old one runs out, and a new attempt asks again.
            }
        })
    }

    // MARK: whether it lives

    /** Asks after a silence in which the broker's heartbeat was due, now and when there may be one: who only looks on sends nothing. */
    #listen() {
        const left = this.#heardAt + this.#silenceAllowed - this.#options.now()
        if (left < 0) this.#ask()
        this.#timer("silence", left < 0 ? this.#silenceAllowed : left + 1, () => this.#listen())
    }

    /** Asks the broker for a word: its pings, which a browser does not show, may have come or not. */
    #ask() {
        this.#wire.send({ type: "ping", id: "alive" })
        this.#expectAnswer()
    }

    /** All that is sent is answered, or something else is said meanwhile. */
    #expectAnswer() {
        if (this.#timers.has("answer")) return
        const askedAt = this.#options.now()
        this.#timer("answer", answerWithin, () => {
            // A timer that comes much too late is one of a page that was stopped, whose messages wait as well.
            if (this.#options.now() - askedAt > 2 * answerWithin) this.#ask()
            else this.#lost()
        })
    }

    // MARK: losing it

    /** `error` is the broker's refusal, where it gave one. */
    #lost(closeCode, error) {
        const goodbye = this.#goodbye
        const code = goodbye?.code ?? closeCode
        const wasConnected = this.state === "connected"
        if (!this.#isWelcomed) this.#refusals += 1
        this.#drop()
        if (code === 4003 || goodbye?.retry_after_ms === null) {
            return this.#finish({ code: "forbidden", message: goodbye?.reason ?? "the broker does not want this client" })
        }
        if (code === 4001 && !this.#identity.isRenewable) {
            return this.#finish(error ?? { code: "unauthorized", message: goodbye?.reason ?? "the token is not valid any more" })
        }
        this.error = error
        const isStable = wasConnected && this.#options.now() - this.#connectedAt >= stableAfter
        if (isStable) this.#failures = 0
        const asked = goodbye?.retry_after_ms ?? 0
        // A broker that greets and sends away in one breath must not be asked again in a tight loop.
        this.#rest(isStable && goodbye ? asked : Math.max(asked, this.#delay()))
    }

    /** How long to wait: drawn evenly below a ceiling that doubles, so that those who lost one broker come back scattered. */
    #delay() {
        return this.#options.random() * Math.min(lastDelay, firstDelay * 2 ** this.#failures++)
    }

    /** Waits for the next attempt, or without a network for the browser to tell of one. */
    #rest(delay) {
        this.#stop("retry")
        const hasNetwork = globalThis.navigator?.onLine !== false
        if (hasNetwork) this.#timer("retry", delay, () => this.start())
        this.#become(hasNetwork ? "waiting" : "offline")
    }

    #finish(error) {
        if (this.state === "closed") return
        this.error = error
        this.#drop()
        this.#become("closed")
    }

    #become(state) {
        if (this.state === state && state !== "connecting") return
        this.state = state
        this.#options.onstate()
    }

    #timer(name, delay, action) {
        this.#stop(name)
        this.#timers.set(name, setTimeout(() => {
            this.#timers.delete(name)
            action()
        }, Math.min(delay, longestTimer)))
    }

    #stop(name) {
        clearTimeout(this.#timers.get(name))
        this.#timers.delete(name)
    }
}

/** Carries messages by WebSocket. */
function openSocket(base, user, { onmessage, onclose }) {
    const address = new URL("v1/ws", base)
    address.protocol = address.protocol.replace("http", "ws")
    if (user) address.searchParams.set("user", user)
    const socket = new WebSocket(address.href, "fanfare.v1.json")
    socket.onmessage = ({ data }) => {
        let message
        try {
            message = JSON.parse(data)
        } catch {
            return onclose() // nobody knows what was lost
        }
        onmessage(message)
    }
    socket.onclose = ({ code }) => onclose(code)
    return {
        room: 60_000, // of the 65,536 bytes that a broker takes
        send: (message) => socket.send(JSON.stringify(message)),
        close: () => socket.close(1000),
    }
}

/** Whether the broker answers HTTP. */
export async function isReachable(base) {
    try {
        await fetch(new URL("healthz", base), { mode: "no-cors", cache: "no-store", signal: AbortSignal.timeout(probeWithin) })
        return true
    } catch {
        return false
    }
}
