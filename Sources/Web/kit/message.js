// What the broker has said about one message: its groups, and what this user has on it. No rule about pending changes
// stands here; see changes.js.

const maxLatest = 5

/** A reaction's key for comparing: its form without variation selectors. */
export const bare = (reaction) => reaction.replace(/[\ufe0e\ufe0f]/g, "")

/** The state of one message as of a seq. */
export class MessageState {
    isDeleted = false
    total = 0
    groups = new Map() // reaction -> { reaction, count, users, latest }, first use first

    /** Makes a message without reactions of which nothing up to `seq` is news. */
    constructor(message, seq = 0, isKnown = false) {
        this.message = message
        this.seq = seq
        this.isKnown = isKnown // whether `own` and all groups are known, not only what has changed since
        // What the user had, by seq: Map(reaction -> count). The first is what `groups` count; the last is the newest.
        this.owns = [{ seq, own: new Map() }]
    }

    /** Makes the state that a SUMMARY shows as of a seq. */
    static from(summary, seq) {
        const state = new MessageState(summary.message, seq, true)
        state.isDeleted = summary.deleted === true
        state.total = summary.total
        for (const { reaction, count, users, latest } of summary.reactions) state.groups.set(reaction, { reaction, count, users, latest })
        state.owns = [{ seq, own: ownOf(summary) }]
        return state
    }

    /** What the user has on it, as far as the broker has said. */
    get own() {
        return this.owns.at(-1).own
    }

    /** The part of `own` that the groups' counts contain. */
    get countedOwn() {
        return this.owns[0].own
    }

    /** Takes an `added`, `removed`, `updated`, `replaced` or `cleared`; says whether it was news. */
    applyEvent(event, user) {
        if (event.seq <= this.seq) return false
        this.seq = event.seq
        this.total = event.total
        if (event.type === "cleared") this.#clear(event)
        else {
            this.#setGroup(event.reaction, event.count, event.users, event)
            if (event.previous) this.#setGroup(event.previous, event.previous_count, event.previous_users, event)
        }
        this.#moveOwn(event, user !== null && event.user === user)
        return true
    }

    /** Takes a message's part of a `summary`; says whether it was news. */
    applySummary(delta, seq) {
        if (seq <= this.seq) return false
        this.seq = seq
        this.total = delta.total
        if (delta.deleted) this.#delete()
        for (const { reaction, count, users } of delta.reactions) this.#setGroup(reaction, count, users)
        this.#forgetOldOwns()
        return true
    }

    /** Takes all that the user has as of a seq, from an ack or an `own`; says whether it was news. */
    noteOwn(own, seq) {
        const last = this.owns.at(-1)
        if (seq < last.seq || isSame(own, last.own)) return false
        if (seq === last.seq) last.own = own
        else this.owns.push({ seq, own })
        this.#forgetOldOwns()
        return true
    }

    /** Takes what an event says of what the user has, unless that was told already, as of this event's seq or later. */
    #moveOwn(event, isMine) {
        this.#forgetOldOwns()
        const [counted] = this.owns
        if (counted.seq >= event.seq || (!isMine && event.type !== "cleared")) return
        this.owns[0] = { seq: event.seq, own: ownAfter(event, counted.own, isMine) }
    }

    /** Keeps the newest own that the counts contain, and what is newer. */
    #forgetOldOwns() {
        while (this.owns.length > 1 && this.owns[1].seq <= this.seq) this.owns.shift()
    }

    #clear({ groups, user, reason }) {
        if (reason === "deleted") return this.#delete()
        for (const { reaction, count, users } of groups) this.#setGroup(reaction, count, users, { type: "removed", user })
    }

    #delete() {
        this.isDeleted = true
        this.total = 0
        this.groups.clear()
        this.owns = [{ seq: this.seq, own: new Map() }]
    }

    /** Sets a group's numbers; `event` tells who moved, and is absent where that is not known. */
    #setGroup(reaction, count, users, event) {
        const old = this.groups.get(reaction) ?? noGroup(reaction)
        if (count > 0) this.groups.set(reaction, { reaction, count, users, latest: latestAfter(event, old, users) })
        else this.groups.delete(reaction)
    }
}

/** A reaction that nobody has given. */
export const noGroup = (reaction) => ({ reaction, count: 0, users: 0, latest: [] })

/** What the user has, from the `own` (and `own_counts`) of a message of the broker. */
export function ownOf({ own = [], own_counts = {} }) {
    return new Map(own.map((reaction) => [reaction, own_counts[reaction] ?? 1]))
}

function latestAfter(event, { reaction, users: usersBefore, latest }, users) {
    if (!event) return users === usersBefore ? latest : [] // a summary does not say who
    if (!event.user || !latest) return undefined // an anonymous namespace
    const others = latest.filter((user) => user !== event.user)
    if (event.type !== "removed" && event.reaction === reaction) return [event.user, ...others].slice(0, maxLatest)
    return users < usersBefore ? others : latest
}

function ownAfter(event, before, isMine) {
    const own = new Map(before)
    if (event.type === "cleared") {
        // A clear that names nobody, or nobody that may be named, took what was mine only where nothing is left.
        for (const { reaction, count } of event.groups ?? []) if (isMine || count === 0) own.delete(reaction)
    } else if (isMine) {
        const { type, reaction, previous, by_count: step = 1 } = event
        const count = own.get(reaction) ?? 0
        if (previous) own.delete(previous)
        if (type === "removed") {
            if (count > step) own.set(reaction, count - step)
            else own.delete(reaction)
        } else if (type === "added" && event.by_count) own.set(reaction, count + step)
        else own.set(reaction, Math.max(count, 1))
    }
    return own
}

function isSame(a, b) {
    const pairs = [...b]
    return a.size === b.size && [...a].every(([reaction, count], place) =>
        pairs[place][0] === reaction && pairs[place][1] === count)
}
