// The changes of one channel that a person made and the broker has not answered: in which order they are sent, which
// takes the place of which, and what the person would have if all of them were done.

const maxChanges = 1_000
const maxCount = 1_000

/**
 * A change: `{ key, op, message, reaction, reactions, data, count, replaces, status, isTried, isInFlight, error }`.
 * `status` is "sending" or "failed"; `replaces` are the keys of earlier changes that it took the place of.
 */
export class Changes {
    #list = []

    get all() {
        return this.#list
    }

    of(message) {
        return this.#list.filter((change) => change.message === message)
    }

    find(key) {
        return this.#list.find((change) => change.key === key)
    }

    failed(message, reaction) {
        return this.#list.find((change) =>
            change.status === "failed" && change.message === message && touches(change, reaction))
    }

    /** Adds a change, which takes the place of those that it makes pointless; false: there are too many. */
    add(change, policy) {
        const [kept, replaced] = [[], []]
        for (const earlier of this.#list) (isReplaced(earlier, change, policy) ? replaced : kept).push(earlier)
        if (kept.length >= maxChanges) return false
        for (const earlier of replaced) {
            if (earlier.status === "failed") continue
            change.replaces.push(earlier.key, ...earlier.replaces)
            if (policy === "multiple" && change.op === "add") change.count = (change.count ?? 1) + (earlier.count ?? 1)
        }
        this.#list = [...kept, change]
        return true
    }

    /** Takes out a change that was answered or discarded. */
    take(key) {
        const change = this.find(key)
        this.#list = this.#list.filter((other) => other !== change)
        return change
    }

    /** What was on its way has to be sent again; of what was asked for meanwhile only the last counts. */
    interrupt(policy) {
        for (const change of this.#list) change.isInFlight = false
        this.rebuild(policy)
    }

    /** Adds all of them anew, because the policy or what is in flight has changed. */
    rebuild(policy) {
        const list = this.#list
        this.#list = []
        for (const change of list) {
            if (change.status === "failed" || policy === "ephemeral") this.#list.push(change)
            else this.add(change, policy)
        }
    }

    /** The changes to send now. One of a message waits for the one before it, so that their order is kept. */
    due(policy) {
        const busy = new Set()
        return this.#list.filter((change) => {
            if (change.status === "failed" || busy.has(change.message)) return false
            if (policy !== "ephemeral") busy.add(change.message)
            return !change.isInFlight
        })
    }
}

/** Whether a later change makes an earlier one, which is not on its way just now, pointless. */
function isReplaced(earlier, later, policy) {
    if (earlier.message !== later.message || earlier.isInFlight) return false
    if (later.op === "set") return true
    const isSameReaction = earlier.reaction === later.reaction
    if (!policy && earlier.status !== "failed") return false // what is one more, only the policy tells
    if (policy === "multiple" && earlier.status !== "failed") {
        if (!isSameReaction) return false
        if (later.op === "remove") return !later.count
        return later.op === "add" && earlier.op === "add" && !earlier.isTried && !later.isTried
            && !earlier.data && !later.data && (earlier.count ?? 1) + (later.count ?? 1) <= maxCount
    }
    if (later.op === "toggle") return isSameReaction && earlier.status === "failed"
    if (policy === "unique" && later.op === "add") return true
    if (policy === "unique") return isSameReaction && (earlier.op === "remove" || earlier.status === "failed")
    return isSameReaction
}

/** Whether a change is about a reaction. */
export function touches(change, reaction) {
    return change.op === "set" ? change.reactions.includes(reaction) : change.reaction === reaction
}

/** What a user has after a change, by Map(reaction -> count). */
export function ownAfter(own, change, policy) {
    if (policy === "ephemeral") return own
    if (change.op === "set") return new Map(setOrder(own, change.reactions).map((reaction) => [reaction, 1]))
    const { reaction, count } = change
    const had = own.get(reaction) ?? 0
    const isRemoval = change.op === "remove" || (change.op === "toggle" && had > 0)
    const after = new Map(policy === "unique" && !isRemoval ? [] : own)
    if (!isRemoval) after.set(reaction, policy === "multiple" ? had + (count ?? 1) : 1)
    else if (count && count < had) after.set(reaction, had - count)
    else after.delete(reaction)
    return after
}

/** Those kept first, in their old order, then the new. */
function setOrder(own, reactions) {
    return [...[...own.keys()].filter((reaction) => reactions.includes(reaction)), ...reactions]
}
