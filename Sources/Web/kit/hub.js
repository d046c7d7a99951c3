// What several tabs want of one connection, made one: for each channel a single subscription that covers all their wishes,
// asked for again, and resumed, on each new connection. A tab that shares nothing is its hub's only one.

import { Connection, longestTimer } from "./connection.js"

const maxMessages = 1_000
const separator = 10 // characters of what stands between two messages, `&messages=`
const retryDelay = 1_000

export class Hub extends Connection {
    #deliver
    #channels = new Map() // name -> { wants, asked, covered, since }
    #asked = new Map() // id -> { name, wish, told }
    #lastId = 0

    /**
     * `onstate()` is called when the connection's state has changed, `deliver(message, scope)` with what the broker says;
     * for `scope` see `ChannelState.receive`.
     */
    constructor(base, identity, { now, random, onstate, deliver }) {
        super(base, identity, {
            now, random,
            onmessage: (message) => this.#receive(message),
            onstate: () => {
                this.#connectionChanged()
                onstate()
            },
        })
        this.#deliver = deliver
    }

    /**
     * A tab wants a channel, or something else of it: `{ mode, messages, occupancy, unknown, since }`. Without `messages`
     * it wants all of them; `unknown` are those that it does not know; `since`, up to where it knows all that it wants.
     */
    subscribe(tab, name, want) {
        const channel = this.#channels.get(name)
            ?? { wants: new Map(), asked: null, covered: want.messages, since: want.since }
        this.#channels.set(name, channel)
        const { asked } = channel
        const before = channel.wants.get(tab)
        if (!before || !asked) this.#goBackTo(want, channel)
        channel.wants.set(tab, want)
        if (!asked) return this.#ask("subscribe", name, channel, channel.since)
        // A watch tells what is newly watched, and no more; what the tab wanted before is on its way to it.
        const isTold = want.unknown.every((message) =>
            before?.messages?.includes(message) || (asked.messages && !asked.messages.includes(message)))
        if (before && want.messages && isTold) this.#watch(name, channel)
        else this.#ask("subscribe", name, channel)
    }

    /** A tab wants no more of a channel. */
    unsubscribe(tab, name) {
        const channel = this.#channels.get(name)
        if (!channel?.wants.delete(tab)) return
        if (channel.wants.size > 0) return channel.asked && this.#watch(name, channel)
        this.#channels.delete(name)
        this.send({ type: "unsubscribe", id: this.#newId(), channel: name })
    }

    /** A tab is gone. */
    leave(tab) {
        for (const name of [...this.#channels.keys()]) this.unsubscribe(tab, name)
    }

    #connectionChanged() {
        // Who was to be told something has to be told on the next connection.
        for (const { name, told } of this.#asked.values()) {
            if (told?.length !== 0 && this.#channels.has(name)) this.#channels.get(name).since = undefined
        }
        this.#asked.clear()
        for (const [name, channel] of this.#channels) {
            channel.asked = null
            this.#ask("subscribe", name, channel, channel.since)
        }
    }

    #receive(message) {
        const asked = this.#asked.get(message.id)
        this.#asked.delete(message.id)
        const channel = this.#channels.get(message.channel ?? asked?.name)
        if (!channel) return this.#deliver(message)
        switch (message.type) {
        case "subscribed":
            if (!message.recovered) channel.since = { epoch: message.epoch, seq: message.seq }
            // falls through
        case "watched":
            if (asked) channel.covered = asked.wish.messages
            return this.#deliver(message, { watched: channel.covered ?? null, told: asked?.told })
        case "error":
            if (asked) return this.#refused(message, asked, channel)
            break
        default:
            if (message.id === undefined && message.seq > channel.since?.seq && message.type !== "own") {
                channel.since.seq = message.seq
            }
        }
        this.#deliver(message)
    }

    #refused({ code, message, retry_after_ms }, { name, wish }, channel) {
        if (code !== "rate_limited" && code !== "unavailable") {
            return this.#deliver({ type: "refused", channel: name, code, message })
        }
        setTimeout(() => {
            if (channel.asked === wish) this.#ask("subscribe", name, channel)
        }, Math.min(retry_after_ms ?? retryDelay, longestTimer))
    }

    /** A tab that knows less than the others, or what another connection told, has the earliest position. */
    #goBackTo({ messages, since }, channel) {
        if (channel.since?.epoch !== since?.epoch) channel.since = undefined
        else if (channel.since) channel.since.seq = Math.min(channel.since.seq, since.seq)
        channel.covered = union([{ messages: channel.covered }, { messages }]).messages
    }

    #watch(name, channel) {
        const wish = this.#wish(channel)
        const { messages } = channel.asked
        const isSame = wish.messages?.length === messages?.length && wish.messages?.every((one) => messages.includes(one))
        if (wish.messages && !isSame) this.#ask("watch", name, channel)
    }

    #ask(type, name, channel, position) {
        if (this.state !== "connected") return
        const id = this.#newId()
        const wish = this.#wish(channel)
        const isCovered = !channel.covered || wish.messages?.every((one) => channel.covered.includes(one))
        const since = isCovered ? position : undefined
        const news = type === "watch" ? wish.messages.filter((one) => !channel.asked.messages?.includes(one)) : wish.messages
        channel.asked = wish
        this.#asked.set(id, { name, wish, told: since ? [] : news })
        const { mode, messages, occupancy } = wish
        this.send({
            type, id, channel: name, ...(messages && { messages }),
            ...(type === "subscribe" && { mode, ...(occupancy && { occupancy }), ...(since && { since }) }),
        })
    }

    /** What is to be asked for: of more messages than one request can name, the newest. */
    #wish(channel) {
        const wish = union(channel.wants.values())
        let { room } = this
        const start = wish.messages?.findLastIndex((one) => (room -= encodeURIComponent(one).length + separator) < 0) + 1
        return { ...wish, messages: wish.messages?.slice(start).slice(-maxMessages) ?? null }
    }

    #newId() {
        this.#lastId += 1
        return `hub-${this.#lastId}`
    }
}

/** What covers all of these wishes. */
function union(wants) {
    const all = [...wants]
    const isWhole = all.some(({ messages }) => !messages)
    return {
        mode: all.some(({ mode }) => mode === "events") ? "events" : "summary",
        occupancy: all.some(({ occupancy }) => occupancy),
        messages: isWhole ? null : [...new Set(all.flatMap(({ messages }) => messages))],
    }
}
