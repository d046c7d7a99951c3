// The state of one channel as a person sees it: what the broker has said, with the person's own changes that it has not
// answered yet laid over. Pure: no socket, no clock, no randomness; Tests/Vectors tells its rules by example.

import { bare, MessageState, noGroup, ownOf } from "./message.js"
import { Changes, ownAfter, touches } from "./changes.js"

const maxMessages = 5_000
const retryDelay = 1_000

/** Errors after which the same request may succeed. */
const isTransient = (code) => code === "rate_limited" || code === "unavailable"

export class ChannelState {
    #messages = new Map() // message -> MessageState, newest change last
    #changes = new Changes()
    #views = new Map()
    #isComplete = false // whether messages that are not listed are bare
    #floor = 0 // the last snapshot's seq; of a message that is not listed nothing up to it is news
    #isContinuous = false // whether nothing was missed since the last snapshot
    #isConnected = false
    #isRefused = false
    heldUntil = 0 // when there may be more to send, in milliseconds of the clock that `outbox` and `receive` are given
    epoch = null
    seq = 0
    policy = null
    allowed = null
    limits = null
    isFrozen = false

    constructor(channel, user = null) {
        this.channel = channel
        this.user = user
    }

    /** The position up to which what is known is right; undefined before the first snapshot. */
    get position() {
        return this.epoch === null ? undefined : { epoch: this.epoch, seq: this.seq }
    }

    /** Which of these messages are not known. */
    unknown(messages) {
        return messages.filter((message) => !this.#isKnown(message))
    }

    // MARK: what a person does

    /**
     * Takes a change that a person makes: `{ op, message, reaction | reactions, key, data, count }`. A `toggle` becomes an
     * `add` or a `remove` by what the person sees, if that is known. Null: too many are waiting already.
     */
    act({ op, message, reaction, reactions, key, data, count }) {
        const change = { key, op, message, data, count, replaces: [], status: "sending", isTried: false, isInFlight: false }
        if (op === "set") change.reactions = [...new Set(reactions.map((one) => this.#form(message, one)))]
        else change.reaction = this.#form(message, reaction)
        this.#resolve(change, this.#own(message))
        if (!this.#changes.add(change, this.policy)) return null
        this.#touch(message)
        return change
    }

    /** Sends a failed change again, under its old key; the change, or undefined where there is none. */
    retry(message, reaction) {
        const failed = this.#changes.failed(message, this.#form(message, reaction))
        if (!failed) return undefined
        this.#changes.take(failed.key)
        const change = { ...failed, status: "sending", error: undefined, replaces: [] }
        this.#changes.add(change, this.policy)
        this.#touch(message)
        return change
    }

    /** Gives a failed change up; the change, or undefined where there is none. */
    discard(message, reaction) {
        const failed = this.#changes.failed(message, this.#form(message, reaction))
        if (failed) this.#changes.take(failed.key)
        this.#touch(message)
        return failed
    }

    /** Only these messages are watched from now on (null: all): what is known of others does not stay true. */
    watch(messages) {
        if (!messages) return
        const watched = new Set(messages)
        if (this.#isComplete) {
            for (const id of watched) if (!this.#messages.has(id)) this.#put(new MessageState(id, this.#floor, true))
        }
        this.#isComplete = false
        for (const id of [...this.#messages.keys()]) {
            if (watched.has(id)) continue
            this.#messages.delete(id)
            this.#touch(id)
        }
    }

    // MARK: what is sent

    /** The requests to send now, in order; each has its key. */
    outbox(now = 0) {
        if (!this.#isConnected || now < this.heldUntil || (this.policy === null && !this.#isRefused)) return []
        return this.#changes.due(this.policy).map(({ op, message, reaction, reactions, key, data, count }) => {
            const request = { type: op, channel: this.channel, message, key }
            if (op === "set") request.reactions = reactions
            else request.reaction = reaction
            if (data && op !== "remove") request.data = data
            if (count) request.count = count
            return request
        })
    }

    /** A request of the outbox is on its way. */
    sent(key) {
        const change = this.#changes.find(key)
        if (change) change.isTried = change.isInFlight = true
    }

    /** The connection is up (and the subscription asked for), or lost. */
    connected(isConnected) {
        this.#isConnected = isConnected
        if (isConnected) return
        this.#isContinuous = false
        this.heldUntil = 0
        this.#changes.interrupt(this.policy)
    }

    /** The changes without an answer, as JSON values, for `restore` in a later life of the page. */
    get drafts() {
        return this.#changes.all.map(({ isInFlight, ...draft }) => draft)
    }

    /** Takes the drafts of an earlier life. */
    restore(drafts) {
        for (const draft of drafts) {
            this.#changes.add({ ...draft, replaces: [], isInFlight: false }, this.policy)
            this.#touch(draft.message)
        }
    }

    // MARK: what the broker says

    /**
     * Takes one of the broker's messages. The `id` of an ack or an error is the key of the change that it answers.
     * `scope`, beside `subscribed` and `watched`: `watched`, the messages that are watched from then on, and `told`, those
     * whose state it tells; null: the whole channel.
     * Gives `{ changed, answered, error }`: the messages whose view may be another now, the change that was answered, and
     * the error if it has failed.
     */
    receive(message, now = 0, { watched = null, told = watched } = {}) {
        switch (message.type) {
        case "subscribed": return { changed: this.#subscribed(message, watched) }
        case "watched": return { changed: this.#snapshot(message, watched, told ?? watched) }
        case "added": case "removed": case "updated": case "replaced": case "cleared":
            this.seq = Math.max(this.seq, message.seq)
            return this.#changedIf(this.#at(message.message).applyEvent(message, this.user), message.message)
        case "summary": return { changed: this.#summary(message) }
        case "own": return this.#changedIf(this.#noteOwn(message), message.message)
        case "ack": return this.#acked(message)
        case "error": return this.#refused(message, now)
        case "lagged":
            this.#isContinuous = false
            break
        case "frozen":
            this.isFrozen = message.frozen
            break
        }
        return { changed: new Set() }
    }

    /** The subscription was refused; changes are sent nevertheless. */
    refused() {
        this.#isRefused = true
    }

    #subscribed(message, watched) {
        this.policy = message.policy
        this.allowed = message.allowed
        this.limits = message.limits
        this.isFrozen = message.frozen
        let changed = new Set()
        if (!message.recovered) {
            changed = new Set([...this.#messages.keys(), ...this.#changes.all.map((change) => change.message)])
            if (message.epoch !== this.epoch || !this.#isContinuous) this.#messages.clear()
            this.epoch = message.epoch
            this.seq = this.#floor = message.seq
            this.#isComplete = watched === null && message.more === null
            const rest = watched ?? (this.#isComplete ? [...this.#messages.keys()] : [])
            for (const id of this.#snapshot(message, watched, rest)) changed.add(id)
        }
        this.#isContinuous = true
        this.#resolveAll()
        for (const id of changed) this.#touch(id)
        return changed
    }

    /** Takes the state of messages as of a seq, and of those that `rest` names besides: they are bare. */
    #snapshot({ seq, messages }, watched, rest) {
        const changed = new Set(rest)
        for (const id of rest) this.#put(new MessageState(id, seq, true))
        for (const summary of messages) {
            this.#put(MessageState.from(summary, seq))
            changed.add(summary.message)
        }
        this.watch(watched)
        return changed
    }

    #summary({ seq, messages }) {
        this.seq = Math.max(this.seq, seq)
        const news = messages.filter((delta) => this.#at(delta.message).applySummary(delta, seq))
        for (const { message } of news) this.#touch(message)
        return new Set(news.map(({ message }) => message))
    }

    #noteOwn(message) {
        return this.#at(message.message).noteOwn(ownOf(message), message.seq)
    }

    #acked(message) {
        const answered = this.#changes.take(message.id)
        const id = message.message ?? answered?.message
        if (message.own && this.policy !== "ephemeral") this.#at(id).noteOwn(ownOf(message), message.seq)
        if (id === undefined) return { changed: new Set(), answered }
        this.#touch(id)
        return { changed: new Set([id]), answered }
    }

    #refused(error, now) {
        const change = this.#changes.find(error.id)
        if (!change) return { changed: new Set() }
        this.#touch(change.message)
        const changed = new Set([change.message])
        change.isInFlight = false
        if (isTransient(error.code)) {
            this.heldUntil = Math.max(this.heldUntil, now + (error.retry_after_ms ?? retryDelay))
            this.#changes.rebuild(this.policy)
            return { changed }
        }
        change.status = "failed"
        change.error = { code: error.code, message: error.message }
        if (this.policy === "ephemeral") this.#changes.take(change.key)
        return { changed, answered: change, error: change.error }
    }

    #changedIf(isNews, message) {
        if (isNews) this.#touch(message)
        return { changed: new Set(isNews ? [message] : []) }
    }

    // MARK: what is shown

    /** A message as it is shown; the same object until it changes. */
    view(message) {
        let view = this.#views.get(message)
        if (!view) this.#views.set(message, (view = this.#makeView(message)))
        return view
    }

    #makeView(message) {
        const state = this.#messages.get(message) ?? new MessageState(message)
        const own = state.isDeleted ? new Map() : this.#own(message)
        const counted = state.countedOwn
        const groups = new Map(state.groups)
        let total = state.total
        for (const reaction of new Set([...counted.keys(), ...own.keys()])) {
            const group = groups.get(reaction) ?? noGroup(reaction)
            const count = atLeast0(group.count + (own.get(reaction) ?? 0) - (counted.get(reaction) ?? 0))
            const people = own.has(reaction) - counted.has(reaction)
            total += count - group.count
            groups.set(reaction, {
                reaction, count, users: atLeast0(group.users + people), latest: this.#latest(group, people),
            })
        }
        const changes = this.#changes.of(message)
        for (const change of changes) {
            if (change.status !== "failed") continue
            for (const reaction of change.reactions ?? [change.reaction]) {
                if (!groups.has(reaction)) groups.set(reaction, noGroup(reaction))
            }
        }
        const reactions = []
        for (const group of groups.values()) {
            const standing = standingOf(group.reaction, changes, counted)
            if (!group.count && standing.status !== "failed") continue
            const ownCount = own.get(group.reaction) ?? 0
            reactions.push(Object.freeze({ ...group, own: ownCount > 0, ownCount, ...standing }))
        }
        return Object.freeze({
            message, total: atLeast0(total), deleted: state.isDeleted, reactions: Object.freeze(reactions),
            own: Object.freeze([...own.keys()]),
        })
    }

    #latest({ latest }, people) {
        if (!latest || !this.user || people === 0) return latest
        const others = latest.filter((user) => user !== this.user)
        return people > 0 ? [this.user, ...others].slice(0, 5) : others
    }

    /** What the user has on a message once all changes are done. */
    #own(message) {
        const own = this.#messages.get(message)?.own ?? new Map()
        return this.#changes.of(message).reduce(
            (before, change) => change.status === "failed" ? before : ownAfter(before, change, this.policy), own)
    }

    /** Makes an `add` or a `remove` of a `toggle`, where `own`, what the person has before it, is known. */
    #resolve(change, own) {
        if (change.op !== "toggle" || change.isTried) return
        if (this.policy === "multiple" || this.policy === "ephemeral") change.op = "add" // each tap is one more
        else if (this.policy && this.#isKnown(change.message)) change.op = own.has(change.reaction) ? "remove" : "add"
    }

    #resolveAll() {
        const owns = new Map()
        for (const change of this.#changes.all) {
            if (change.status === "failed") continue
            const { message } = change
            const own = owns.get(message) ?? this.#messages.get(message)?.own ?? new Map()
            this.#resolve(change, own)
            owns.set(message, ownAfter(own, change, this.policy))
        }
        this.#changes.rebuild(this.policy)
    }

    #isKnown(message) {
        return this.#messages.get(message)?.isKnown ?? this.#isComplete
    }

    /** The form of a reaction that is in use here: `❤` and `❤️` are one. */
    #form(message, reaction) {
        const known = [
            ...(this.#messages.get(message)?.groups.keys() ?? []),
            ...this.#changes.of(message).flatMap((change) => change.reactions ?? [change.reaction]),
            ...(this.allowed ?? []),
        ]
        return known.find((other) => bare(other) === bare(reaction)) ?? reaction
    }

    /** The state of a message, which is about to change. */
    #at(message) {
        const state = this.#messages.get(message) ?? new MessageState(message, this.#floor, this.#isComplete)
        this.#put(state)
        return state
    }

    #put(state) {
        this.#messages.delete(state.message)
        this.#messages.set(state.message, state)
        this.#touch(state.message)
        if (this.#messages.size <= maxMessages) return
        const [oldest] = this.#messages.keys()
        this.#messages.delete(oldest)
        this.#touch(oldest)
        this.#isComplete = false
    }

    #touch(message) {
        this.#views.delete(message)
    }
}

/** What was counted may be gone already, and the person's own change of it be on its way still. */
const atLeast0 = (count) => Math.max(count, 0)

/** How it stands with a reaction: `{ status }`, and `{ error }` beside "failed". */
function standingOf(reaction, changes, counted) {
    const about = changes.filter((change) =>
        touches(change, reaction) ? change.op !== "set" || !counted.has(reaction) : change.op === "set" && counted.has(reaction))
    if (about.some(({ status }) => status === "sending")) return { status: "sending" }
    const failed = about.find(({ status }) => status === "failed")
    return failed ? { status: "failed", error: failed.error } : { status: "sent" }
}
