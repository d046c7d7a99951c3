// The browser client's model of a channel: taps before the policy is known, very many reactions.
// Words: FOLDER OF THE KIT
"use strict"
const path = require("node:path")
const { equal } = require("./kit_socket.js")
const [kit] = process.argv.slice(2)

const snapshot = (policy, messages = []) => ({
    type: "subscribed", id: 1, channel: "chat:42", epoch: "e1", seq: 5, mode: "events", policy, interval_ms: 100, allowed: null,
    limits: { kinds: 20, per_user: 10 }, frozen: false, recovered: false, messages, more: null,
})

const checks = {
    "each tap before an ephemeral channel is known is an add of its own": (state) => {
        for (const [place, op] of ["toggle", "toggle", "add", "add"].entries()) {
            state.act({ op, message: "m1", reaction: "🎉", key: `k${place}` })
        }
        state.connected(true)
        state.receive(snapshot("ephemeral"))
        equal(state.outbox().map(({ type, key }) => type + key), ["addk0", "addk1", "addk2", "addk3"])
    },
    "so is each tap after that, and each that was under way when the connection was lost": (state) => {
        state.connected(true)
        state.receive(snapshot("ephemeral"))
        for (const key of ["k1", "k2"]) {
            state.act({ op: "toggle", message: "m1", reaction: "🎉", key })
            state.sent(key)
        }
        state.connected(false)
        state.connected(true)
        equal(state.outbox().map(({ type, key }) => type + key), ["addk1", "addk2"])
    },
    "claps before the policy is known are added up": (state) => {
        for (const key of ["k1", "k2", "k3"]) state.act({ op: "toggle", message: "m1", reaction: "👏", key })
        state.connected(true)
        state.receive(snapshot("multiple"))
        equal(state.outbox().map(({ type, count }) => [type, count]), [["add", 3]])
    },
    "where a reaction is there once, taps before that is known undo each other still": (state) => {
        for (const key of ["k1", "k2"]) state.act({ op: "toggle", message: "m1", reaction: "👍", key })
        state.connected(true)
        state.receive(snapshot("distinct"))
        equal(state.outbox().map(({ type, key }) => type + key), ["removek2"])
    },
    "of many reactions each is found without a look at the others": (state) => {
        const { findIndex } = Array.prototype
        let compared = 0
        Array.prototype.findIndex = function (test) {
            return findIndex.call(this, (...words) => (compared += 1, test(...words)))
        }
        try {
            const reactions = Array.from({ length: 1_000 }, (_, place) => ({ reaction: `r${place}`, count: 1, users: 1 }))
            state.receive(snapshot("distinct"))
            state.receive({ type: "summary", channel: "chat:42", seq: 6, messages: [{ message: "m1", total: 1_000, reactions }] })
        } finally {
            Array.prototype.findIndex = findIndex
        }
        equal([state.view("m1").reactions.length, compared], [1_000, 0])
    },
    "a reaction that was gone comes last, one that goes on keeps its place": (state) => {
        const tell = (seq, counts) => state.receive({
            type: "summary", channel: "chat:42", seq,
            messages: [{ message: "m1", total: 9, reactions: Object.entries(counts).map(([reaction, count]) => ({ reaction, count, users: count })) }],
        })
        state.receive(snapshot("distinct"))
        tell(6, { a: 1, b: 1, c: 1 })
        tell(7, { a: 0, b: 2 })
        tell(8, { a: 1 })
        equal(state.view("m1").reactions.map(({ reaction, count }) => reaction + count), ["b2", "c1", "a1"])
    },
}

async function main() {
    const { ChannelState } = await import(path.resolve(kit, "state.js"))
    let failures = 0
    for (const [name, check] of Object.entries(checks)) {
        try {
            check(new ChannelState("chat:42", "ada"))
            console.log(`ok ${name}`)
        } catch (error) {
            failures += 1
            console.log(`not ok ${name}: ${error.message}`)
        }
    }
    console.log(`1..${Object.keys(checks).length}`)
    process.exitCode = failures ? 1 : 0
}

main()
