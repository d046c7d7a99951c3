// The browser client's model of a channel against a plain broker and a plain person: random changes, answers that are late
// or lost, connections that break, snapshots and replays. Words: FOLDER OF THE KIT, ROUNDS. FANFARE_SEED brings
// the same lots again.
//
// The plain broker keeps who has what and a log of events. Whenever all is answered and delivered, what the model shows has to
// be what the broker has; at every moment, it has to be what the broker has told, plus what the person did since.
"use strict"
const path = require("node:path")
const { generator, seed } = require("./lots.js")
const [kit, rounds] = process.argv.slice(2)
const channel = "chat:42"
const messages = ["m1", "m2", "m3"]
const emoji = ["👍", "❤️", "😂"]
const others = ["bob", "cy"]

/** Who has what, in the plainest way: a list of { message, reaction, user, count } in order of their coming. */
class PlainBroker {
    constructor(policy) {
        this.policy = policy
        this.seq = 0
        this.has = []
        this.events = []
        this.answers = new Map()
    }

    of(message, test = () => true) {
        return this.has.filter((one) => one.message === message && test(one))
    }

    own(message, user) {
        return this.of(message, (one) => one.user === user)
    }

    count(message, reaction) {
        return this.of(message, (one) => one.reaction === reaction).reduce((sum, one) => sum + one.count, 0)
    }

    total(message) {
        return this.of(message).reduce((sum, one) => sum + one.count, 0)
    }

    users(message, reaction) {
        return this.of(message, (one) => one.reaction === reaction).length
    }

    tell(type, user, message, reaction, more = {}) {
        this.seq += 1
        this.events.push({
            type, channel, seq: this.seq, message, reaction, user, count: this.count(message, reaction),
            users: this.users(message, reaction), total: this.total(message), at: 0, ...more,
        })
    }

    add(user, message, reaction, count = 1) {
        const there = this.own(message, user).find((one) => one.reaction === reaction)
        if (there && this.policy !== "multiple") return "unchanged"
        if (there) there.count += count
        else if (this.policy === "unique" && this.own(message, user).length) {
            const [{ reaction: previous }] = this.own(message, user)
            this.has = this.has.filter((one) => one.message !== message || one.user !== user)
            this.has.push({ message, reaction, user, count })
            const more = { previous, previous_count: this.count(message, previous), previous_users: this.users(message, previous) }
            this.tell("replaced", user, message, reaction, more)
            return "replaced"
        } else this.has.push({ message, reaction, user, count })
        this.tell("added", user, message, reaction, this.policy === "multiple" ? { by_count: count } : {})
        return "added"
    }

    remove(user, message, reaction) {
        const there = this.own(message, user).find((one) => one.reaction === reaction)
        if (!there) return "unchanged"
        this.has = this.has.filter((one) => one !== there)
        this.tell("removed", user, message, reaction, this.policy === "multiple" ? { by_count: there.count } : {})
        return "removed"
    }

    set(user, message, reactions) {
        const before = this.seq
        for (const { reaction } of this.own(message, user)) {
            if (!reactions.includes(reaction)) this.remove(user, message, reaction)
        }
        for (const reaction of reactions) this.add(user, message, reaction)
        return this.seq > before ? "changed" : "unchanged"
    }

    clear(message, user) {
        const groups = [...new Set(this.of(message, (one) => !user || one.user === user).map((one) => one.reaction))]
        if (!groups.length) return
        this.has = this.has.filter((one) => one.message !== message || (user && one.user !== user))
        const after = groups.map((reaction) => ({ reaction, count: this.count(message, reaction), users: this.users(message, reaction) }))
        this.tell("cleared", user, message, undefined, { groups: after, count: undefined, users: undefined, by: "mod" })
    }

    /** Does a request of ada's, once for each key, and gives the ack. */
    request({ type, message, reaction, reactions, count, key }) {
        const known = this.answers.get(key)
        if (known) return { ...known, duplicate: true }
        const had = this.own(message, "ada").some((one) => one.reaction === reaction)
        const result = type === "set" ? this.set("ada", message, reactions)
            : type === "remove" || (type === "toggle" && had) ? this.remove("ada", message, reaction)
                : this.add("ada", message, reaction, count)
        const answer = { type: "ack", id: key, result, channel, message, reaction, seq: this.seq, ...this.ownFields(message) }
        this.answers.set(key, answer)
        return answer
    }

    ownFields(message) {
        const own = this.own(message, "ada")
        const counts = Object.fromEntries(own.map(({ reaction, count }) => [reaction, count]))
        return { own: own.map(({ reaction }) => reaction), ...(this.policy === "multiple" && { own_counts: counts }) }
    }

    summary(message) {
        const reactions = [...new Set(this.of(message).map((one) => one.reaction))].map((reaction) => ({
            reaction, count: this.count(message, reaction), users: this.users(message, reaction), first: 0, last: 0, latest: [],
        }))
        return { message, total: this.total(message), reactions, ...this.ownFields(message) }
    }

    subscribed(since) {
        const isRecovered = since !== undefined
        const state = isRecovered ? {} : { messages: messages.filter((one) => this.of(one).length).map((one) => this.summary(one)), more: null }
        return {
            type: "subscribed", channel, epoch: "e1", seq: since?.seq ?? this.seq, mode: "events", policy: this.policy, interval_ms: 100,
            allowed: null, limits: { kinds: 20, per_user: 10 }, frozen: false, recovered: isRecovered, ...state,
        }
    }
}

/** What the person sees of a message, and what there is, in one form. */
const shape = (reactions) => JSON.stringify(reactions.filter(({ count }) => count > 0)
    .map(({ reaction, count, users, ownCount }) => [reaction, count, users, ownCount]).sort())

function run(ChannelState, random, policy) {
    const pick = (list) => list[Math.floor(random() * list.length)]
    const broker = new PlainBroker(policy)
    const state = new ChannelState(channel, "ada")
    let wire = null // { toClient, toBroker, told }: what is under way on the connection; null without one
    let keys = 0
    const asked = new Map() // key -> the body that was sent with it first

    const connect = () => {
        const since = random() < 0.5 ? state.position : undefined
        wire = { toClient: [broker.subscribed(since)], toBroker: [], told: since?.seq ?? broker.seq }
        state.connected(true)
        flush()
    }
    const flush = () => {
        for (const request of wire ? state.outbox(0) : []) {
            const body = JSON.stringify(request)
            if ((asked.get(request.key) ?? body) !== body) throw new Error(`the key ${request.key} with another body`)
            asked.set(request.key, body)
            wire.toBroker.push(request)
            state.sent(request.key)
        }
    }
    /** The broker tells the events that the connection has not been told. */
    const tell = () => {
        wire.toClient.push(...broker.events.filter(({ seq }) => seq > wire.told))
        wire.told = broker.seq
    }
    const serve = () => {
        tell()
        const request = wire.toBroker.shift()
        if (!request) return
        const answer = broker.request(request)
        wire.toClient.push(answer)
        tell()
    }
    const hear = () => {
        const message = wire.toClient.shift()
        if (message) state.receive(message, 0)
        flush()
    }
    const act = () => {
        const message = pick(messages)
        const key = `k${++keys}`
        const kinds = policy === "multiple" ? ["add", "add", "remove"] : ["toggle", "toggle", "add", "remove", "set"]
        const op = pick(kinds)
        const seen = state.view(message)
        const limit = policy === "unique" ? 1 : 3
        const intent = op === "set"
            ? { op, message, key, reactions: emoji.filter(() => random() < 0.5).slice(0, limit) }
            : { op, message, key, reaction: pick(emoji), ...(policy === "multiple" && op === "add" && random() < 0.5 && { count: 3 }) }
        state.act(intent)
        // What the person did is seen at once.
        const has = state.view(message).own
        const wanted = op === "set" ? intent.reactions.length === has.length && intent.reactions.every((one) => has.includes(one))
            : has.includes(intent.reaction) === (op === "add" || (op === "toggle" && !seen.own.includes(intent.reaction)))
        if (!wanted) throw new Error(`${JSON.stringify(intent)} is not seen: ${JSON.stringify(has)}`)
        flush()
    }
    const actOther = () => {
        const message = pick(messages)
        if (random() < 0.1) broker.clear(message, pick([undefined, "ada", "bob"]))
        else if (random() < 0.7) broker.add(pick(others), message, pick(emoji))
        else broker.remove(pick(others), message, pick(emoji))
    }
    /** Until all is answered and told; then both have to have the same. */
    const settle = () => {
        if (!wire) connect()
        for (let turn = 0; wire.toBroker.length || wire.toClient.length || wire.told < broker.seq; turn += 1) {
            if (turn > 10_000) throw new Error("does not come to rest")
            serve()
            hear()
        }
        if (state.outbox(0).length || state.drafts.length) throw new Error(`left over: ${JSON.stringify(state.drafts)}`)
        for (const message of messages) {
            const { reactions } = broker.summary(message)
            const own = new Map(broker.own(message, "ada").map(({ reaction, count }) => [reaction, count]))
            const there = shape(reactions.map((group) => ({ ...group, ownCount: own.get(group.reaction) ?? 0 })))
            const view = state.view(message)
            if (shape(view.reactions) !== there) throw new Error(`${message} shows ${shape(view.reactions)}, there is ${there}`)
            if (view.total !== broker.total(message)) throw new Error(`the total of ${message} is ${view.total}`)
            if (view.reactions.some(({ status }) => status !== "sent")) throw new Error(`${message} is not at rest`)
        }
        if (state.seq !== broker.seq) throw new Error(`seq is ${state.seq}, not ${broker.seq}`)
    }

    for (let step = 0; step < 200; step += 1) {
        const dice = random()
        if (dice < 0.3) act()
        else if (dice < 0.5) actOther()
        else if (!wire) dice < 0.7 && connect()
        else if (dice < 0.7) serve()
        else if (dice < 0.92) hear()
        else if (dice < 0.96) {
            // What is under way is lost; what the broker has read takes effect.
            while (random() < 0.5 && wire.toBroker.length) serve()
            wire = null
            state.connected(false)
        } else settle()
        for (const message of messages) {
            const { reactions, total } = state.view(message)
            const sum = reactions.reduce((all, { count }) => all + count, 0)
            if (sum !== total || total < 0) throw new Error(`${message}: the total ${total} is not the sum ${sum}`)
        }
    }
    settle()
}

async function main() {
    const { ChannelState } = await import(path.resolve(kit, "state.js"))
    const policies = ["distinct", "unique", "multiple"]
    console.log(`# seed ${seed}`)
    let failures = 0
    for (const policy of policies) {
        let why
        for (let round = 0; round < Number(rounds) && !why; round += 1) {
            try {
                run(ChannelState, generator(seed + round), policy)
            } catch (error) {
                why = `seed ${seed + round}: ${error.message}`
            }
        }
        if (why) failures += 1
        console.log(why ? `not ok the model under ${policy}: ${why}` : `ok the model under ${policy} shows what the broker has`)
    }
    console.log(`1..${policies.length}`)
    process.exitCode = failures ? 1 : 0
}

main()
