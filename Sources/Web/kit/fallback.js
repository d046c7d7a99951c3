// Where WebSockets are blocked: what they would carry, by Server-Sent Events (a stream for each channel) and HTTP requests.

import { claimsOf } from "./claims.js"

// Browsers open six connections to a host by HTTP/1.1; two are left for requests.
const maxStreams = 4
const heartbeat = 25_000

/**
 * Carries messages by HTTP: `send` takes what a WebSocket takes, `onmessage` hears what one would say, `onclose` also of a
 * refusal, `{ code, message }`.
 */
export function openStreams(base, user, handlers) {
    const wire = new Streams(base, user, handlers)
    wire.greet()
    return wire
}

class Streams {
    room = 6_500 // of the 8,000 bytes that brokers and proxies take as an address
    #base
    #user
    #handlers // { token, onmessage, onclose }
    #token
    #isClosed = false
    #streams = new Map() // channel -> AbortController

    constructor(base, user, handlers) {
        this.#base = base
        this.#user = user
        this.#handlers = handlers
        this.#token = handlers.token
    }

    /** Greets as a broker would, once this one has answered who asks. */
    async greet() {
        try {
            const refusal = await this.#refusal(this.#token)
            if (refusal) return this.#lose(refusal.code === "unauthorized" ? 4001 : undefined, refusal)
            this.#hear({ type: "welcome", user: this.#user ?? null, time: Date.now(), heartbeat_ms: heartbeat })
        } catch {
            this.#lose()
        }
    }

    close() {
        this.#isClosed = true
        for (const stream of this.#streams.values()) stream.abort()
        this.#streams.clear()
    }

    send(request) {
        switch (request.type) {
        case "auth": return this.#authenticate(request)
        case "subscribe": case "watch": return this.#follow(request)
        case "unsubscribe":
            this.#streams.get(request.channel)?.abort()
            this.#streams.delete(request.channel)
            return this.#hear({ type: "unsubscribed", id: request.id, channel: request.channel })
        case "ping": return this.#ask(request, "GET", "healthz")
        default: return this.#ask(request, ...httpForm(request))
        }
    }

    #hear(message) {
        if (!this.#isClosed) this.#handlers.onmessage(message)
    }

    #lose(code, refusal) {
        if (this.#isClosed) return
        this.close()
        this.#handlers.onclose(code, refusal)
    }

    /** Takes a token into use, where the broker takes it. */
    async #authenticate({ id, token }) {
        try {
            // The first one is that which the broker has answered already.
            const refusal = token === this.#token ? null : await this.#refusal(token)
            if (refusal) return this.#hear({ ...refusal, type: "error", id })
            this.#token = token
            const { sub: user, exp } = claimsOf(token)
            this.#hear({ type: "ack", id, user, expires: exp && exp * 1000 })
        } catch {
            this.#lose()
        }
    }

    /** Why the broker takes nothing from this page, or not with this token: `{ code, message }`; null where it does. */
    async #refusal(token) {
        let response
        try {
            response = await this.#fetch("GET", "v1/channels/-/messages/-", { token }) // what there is does not matter
        } catch (error) {
            const origin = globalThis.location?.origin
            if (origin === new URL(this.#base).origin) throw error
            // The browser does not let a page read an answer that is not for its origin; that there is one, it does.
            await fetch(new URL("healthz", this.#base), { mode: "no-cors", cache: "no-store" })
            return { code: "forbidden", message: `pages of ${origin} may not connect; the broker's setting 'origins' says who may` }
        }
        return response.status === 401 ? response.json() : null
    }

    #fetch(method, path, { headers = {}, token = this.#token, ...options } = {}) {
        const address = new URL(path, this.#base)
        if (token) headers.Authorization = `Bearer ${token}`
        else if (this.#user) address.searchParams.set("user", this.#user)
        return fetch(address, { method, headers, cache: "no-store", ...options })
    }

    async #ask(request, method, path, options) {
        try {
            const response = await this.#fetch(method, path, options)
            if (request.type === "ping") this.#hear({ type: "pong", id: request.id })
            else this.#answer(request, response, await response.json())
        } catch {
            this.#lose()
        }
    }

    #answer({ id }, response, body) {
        if (response.ok) return this.#hear({ ...body, id })
        if (response.status === 401) return this.#lose(4001, body)
        const seconds = Number(response.headers.get("Retry-After")) || undefined
        this.#hear({ type: "error", id, ...body, retry_after_ms: body.retry_after_ms ?? (seconds && seconds * 1000) })
    }

    /** Opens the stream of a channel, in the place of the one that there was. */
    async #follow(request) {
        const { id, channel, since } = request
        this.#streams.get(channel)?.abort()
        if (!this.#streams.has(channel) && this.#streams.size >= maxStreams) {
            return this.#hear({ type: "error", id, code: "too_many_subscriptions", message: `without WebSockets there are ${maxStreams} channels at most` })
        }
        const stream = new AbortController()
        this.#streams.set(channel, stream)
        const headers = since ? { "Last-Event-ID": `${since.epoch}/${since.seq}` } : {}
        try {
            const response = await this.#fetch("GET", streamPath(request), { headers, signal: stream.signal })
            if (!response.ok) {
                this.#streams.delete(channel)
                return this.#answer(request, response, await response.json())
            }
            for await (const message of eventsOf(response.body)) {
                if (stream.signal.aborted) return
                this.#hear(message.type === "subscribed" ? { ...message, id } : message)
            }
        } catch {
            // An interrupted stream ends like one that the broker ends.
        }
        if (!stream.signal.aborted) this.#lose()
    }
}

function streamPath({ channel, mode = "events", messages }) {
    // A stream without messages is one of the whole channel; the channel's own reactions stand for none.
    const names = messages && (messages.length ? messages.map((name) => name || "-") : ["-"])
    const query = new URLSearchParams([["mode", mode], ...(names ?? []).map((name) => ["messages", name])])
    return `v1/channels/${encodeURIComponent(channel)}/stream?${query}`
}

/** A request as `[method, path, options]`. */
function httpForm({ type, channel, message, messages, reaction, reactions, key, data, count, limit, after }) {
    const encode = encodeURIComponent
    const list = `v1/channels/${encode(channel)}/messages`
    const one = `${list}/${encode(message || "-")}`
    const headers = key ? { "Idempotency-Key": key } : {}
    const json = (body) => ({ headers: { ...headers, "Content-Type": "application/json" }, body: JSON.stringify(body) })
    const query = (fields) => new URLSearchParams(Object.entries(fields).filter(([, value]) => value != null))
    switch (type) {
    case "add": return ["PUT", `${one}/reactions/${encode(reaction)}`, json({ data, count })]
    case "remove": return ["DELETE", `${one}/reactions/${encode(reaction)}?${query({ count })}`, { headers }]
    case "toggle": return ["POST", `${one}/reactions/${encode(reaction)}/toggle`, json({ data })]
    case "set": return ["PUT", `${one}/reactions`, json({ reactions })]
    case "reactors": return ["GET", `${one}/reactors?${query({ reaction, limit, after })}`]
    default: return ["GET", `${list}?${query({ limit, after })}`]
    }
}

/** The messages of a stream of Server-Sent Events, as they come. */
async function* eventsOf(body) {
    const reader = body.pipeThrough(new TextDecoderStream()).getReader()
    let rest = ""
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
        const lines = (rest + part.value).split("\n")
        rest = lines.pop()
        for (const line of lines) if (line.startsWith("data:")) yield JSON.parse(line.slice(5))
    }
}
