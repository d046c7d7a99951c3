// The browser client's connection with a WebSocket and a clock of this test's own: when it comes back, what it obeys, how it
// renews its token, and how it tells silence from loss. Words: FOLDER OF THE KIT
"use strict"
const path = require("node:path")
const { Clock, settled } = require("./kit_clock.js")
const [kit] = process.argv.slice(2)

const sockets = []

class FakeSocket {
    sent = []
    isAlive = false // whether it answers pings by itself, which are not in `sent` then

    constructor(address) {
        this.address = address
        sockets.push(this)
    }

    send(text) {
        const request = JSON.parse(text)
        if (!this.isAlive || request.type !== "ping") this.sent.push(request)
        else queueMicrotask(() => this.say({ type: "pong", id: request.id, time: 0 }))
    }

    close() {
        this.isClosed = true
    }

    say(message) {
        this.onmessage({ data: JSON.stringify(message) })
    }

    end(code = 1006) {
        this.onclose({ code })
    }
}

const checks = []
const test = (name, body) => checks.push({ name, body })
const welcome = (clock, user = "ada") => ({ type: "welcome", connection: "c-1", user, time: clock.now, heartbeat_ms: 25_000, limits: {} })

function equal(found, expected, what = "value") {
    if (JSON.stringify(found) !== JSON.stringify(expected)) {
        throw new Error(`${what} is ${JSON.stringify(found)}, not ${JSON.stringify(expected)}`)
    }
}

/** A connection that was begun, with what it says. */
async function begin(Connection, { identity = { user: "ada" }, random = () => 1 } = {}) {
    sockets.length = 0
    const clock = new Clock()
    clock.install()
    const states = []
    const messages = []
    const connection = new Connection("http://broker.test/", identity, {
        now: () => clock.now, random,
        onstate: () => states.push(connection.state),
        onmessage: (message) => messages.push(message),
    })
    connection.start()
    await settled()
    return { clock, connection, states, messages, socket: () => sockets.at(-1) }
}

const tokens = (...list) => ({ isRenewable: true, token: async () => list.shift() ?? Promise.reject(new Error("none is left")) })

test("it says who it is and is connected with the welcome", async (Connection) => {
    const { clock, connection, states, socket } = await begin(Connection)
    equal(socket().address, "ws://broker.test/v1/ws?user=ada")
    equal(states, ["connecting"])
    socket().say(welcome(clock))
    equal([states, connection.user], [["connecting", "connected"], "ada"])
})

test("without a user and without a token it is closed for good", async (Connection) => {
    const { clock, connection, socket } = await begin(Connection, { identity: {} })
    socket().say(welcome(clock, null))
    equal([connection.state, connection.error.code], ["closed", "unauthorized"])
})

test("the waits double from half a second to twenty seconds", async (Connection) => {
    globalThis.fetch = () => Promise.reject(new Error("no network"))
    const { clock, states, socket } = await begin(Connection)
    const waits = []
    for (let attempt = 0; attempt < 9; attempt += 1) {
        socket().end()
        equal(states.at(-1), "waiting")
        waits.push(clock.next)
        await clock.pass(clock.next)
        if (states.at(-1) === "waiting") throw new Error("no new attempt")
        if (!socket().onclose) throw new Error("no socket")
        // After two refusals it asks first whether there is anybody; nobody answers, so that was an attempt as well.
    }
    equal(waits.every((wait) => wait <= 20_000) && waits[0] === 500 && Math.max(...waits) === 20_000, true, JSON.stringify(waits))
})

test("the wait is drawn evenly below the ceiling", async (Connection) => {
    const { clock, socket } = await begin(Connection, { random: () => 0.25 })
    socket().end()
    equal(clock.next, 125)
})

test("only a connection of five seconds begins the waits anew", async (Connection) => {
    const { clock, socket } = await begin(Connection)
    const live = async (milliseconds) => {
        socket().say(welcome(clock))
        await clock.pass(milliseconds)
        socket().end()
        const wait = clock.next
        await clock.pass(wait)
        return wait
    }
    equal([await live(4_999), await live(4_999), await live(5_000), await live(4_999)], [500, 1_000, 500, 1_000])
})

test("goodbye says when to come back", async (Connection) => {
    const { clock, socket } = await begin(Connection)
    socket().say(welcome(clock))
    await clock.pass(5_000)
    socket().say({ type: "goodbye", code: 1012, reason: "restart", retry_after_ms: 2_300 })
    socket().end(1012)
    equal(clock.next, 2_300)
})

test("a broker that says goodbye at once is not asked again in a tight loop", async (Connection) => {
    const { clock, socket } = await begin(Connection)
    socket().say(welcome(clock))
    socket().say({ type: "goodbye", code: 1013, reason: "full", retry_after_ms: 1 })
    socket().end(1013)
    equal(clock.next, 500)
})

test("a broker that says goodbye and does not close is left", async (Connection) => {
    const { clock, states, socket } = await begin(Connection)
    socket().say(welcome(clock))
    socket().say({ type: "goodbye", code: 1012, reason: "restart", retry_after_ms: 2_300 })
    await clock.pass(5_000)
    equal([states.at(-1), socket().isClosed], ["waiting", true])
})

for (const end of ["the close code 4003", "a goodbye without a way back"]) {
    test(`${end} is the end`, async (Connection) => {
        const { clock, connection, socket } = await begin(Connection)
        socket().say(welcome(clock))
        if (end.startsWith("a goodbye")) socket().say({ type: "goodbye", code: 4003, reason: "revoked", retry_after_ms: null })
        socket().end(4003)
        equal([connection.state, connection.error.code, clock.next], ["closed", "forbidden", Infinity])
    })
}

test("a token goes as the first message, and another before it runs out", async (Connection) => {
    const { clock, states, socket } = await begin(Connection, { identity: tokens("t1", "t2") })
    socket().say(welcome(clock, null))
    equal(socket().sent, [{ type: "auth", id: "auth", token: "t1" }])
    equal(states, ["connecting"])
    // The broker's clock is an hour ahead.
    socket().say({ ...welcome(clock, null), time: clock.now + 3_600_000 })
    socket().say({ type: "ack", id: "auth", user: "ada", expires: clock.now + 3_600_000 + 600_000 })
    equal(states, ["connecting", "connected"])
    socket().isAlive = true
    await clock.pass(569_999)
    equal(socket().sent.length, 2)
    await clock.pass(1)
    equal(socket().sent.at(-1), { type: "auth", id: "auth", token: "t2" })
})

test("a callback that gives the same token again is not asked in a tight loop", async (Connection) => {
    let asked = 0
    const token = async () => `t${(asked += 1)}`
    const { clock, socket } = await begin(Connection, { identity: { isRenewable: true, token } })
    const expires = clock.now + 60_000
    socket().say(welcome(clock, null))
    for (let answered = 0; clock.now < expires + 1_000; ) {
        for (; answered < asked; answered += 1) socket().say({ type: "ack", id: "auth", user: "ada", expires })
        await clock.pass(100)
    }
    if (asked > 10) throw new Error(`it was asked ${asked} times in a minute`)
})

test("the close code 4001 means a new token, or the end where there is none", async (Connection) => {
    const renewable = await begin(Connection, { identity: tokens("t1", "t2") })
    renewable.socket().say(welcome(renewable.clock, null))
    renewable.socket().end(4001)
    await renewable.clock.pass(renewable.clock.next)
    renewable.socket().say(welcome(renewable.clock, null))
    equal(renewable.socket().sent, [{ type: "auth", id: "auth", token: "t2" }])
    const fixed = await begin(Connection, { identity: { isRenewable: false, token: async () => "t1" } })
    fixed.socket().say(welcome(fixed.clock, null))
    fixed.socket().end(4001)
    equal([fixed.connection.state, fixed.connection.error.code], ["closed", "unauthorized"])
})

test("a goodbye says it where no close code comes", async (Connection) => {
    const { clock, connection, socket } = await begin(Connection, { identity: { isRenewable: false, token: async () => "t1" } })
    socket().say(welcome(clock, null))
    socket().say({ type: "goodbye", code: 4001, reason: "the token ran out", retry_after_ms: 0 })
    socket().end(1006)
    equal([connection.state, connection.error.code], ["closed", "unauthorized"])
})

test("a token that does not come is waited for like a broker", async (Connection) => {
    const { clock, states, socket } = await begin(Connection, { identity: tokens() })
    equal([states.at(-1), socket()], ["waiting", undefined])
    equal(clock.next, 500)
})

test("a silence longer than the heartbeat is asked about, and is no loss where an answer comes", async (Connection) => {
    const { clock, connection, socket } = await begin(Connection)
    socket().say(welcome(clock))
    await clock.pass(35_000)
    equal(socket().sent, [])
    for (let time = 1; time <= 100; time += 1) {
        await clock.pass(time === 1 ? 1 : 35_001)
        equal(socket().sent.length, time)
        socket().say({ type: "pong", id: "alive", time: clock.now })
    }
    equal([connection.state, socket().sent.at(-1), sockets.length], ["connected", { type: "ping", id: "alive" }, 1])
})

test("a connection on which something is said is not asked about", async (Connection) => {
    const { clock, connection, socket } = await begin(Connection)
    socket().say(welcome(clock))
    for (let time = 1; time <= 100; time += 1) {
        await clock.pass(30_000)
        socket().say({ type: "burst", channel: "burst:1" })
    }
    equal([connection.state, socket().sent, sockets.length], ["connected", [], 1])
})

test("who only looks on learns of a connection that is dead without a word", async (Connection) => {
    const { clock, connection, states, socket } = await begin(Connection)
    socket().say(welcome(clock))
    await clock.pass(45_000)
    equal([connection.state, socket().isClosed], ["connected", undefined])
    await clock.pass(1)
    equal([connection.state, sockets[0].isClosed], ["waiting", true])
})

test("a page that is seen again after a silence asks, and without an answer it is lost", async (Connection) => {
    const { clock, connection, socket } = await begin(Connection)
    socket().say(welcome(clock))
    clock.skip(35_000)
    connection.wake()
    equal(socket().sent, [])
    clock.skip(1)
    connection.wake()
    equal(socket().sent, [{ type: "ping", id: "alive" }])
    socket().say({ type: "pong", id: "alive", time: clock.now })
    await clock.pass(30_000)
    equal(connection.state, "connected")
    clock.skip(5_001)
    connection.wake()
    equal(socket().sent.length, 2)
    await clock.pass(10_000)
    equal(connection.state, "waiting")
})

test("a request that nothing is said after is the end of the connection", async (Connection) => {
    const { clock, connection, socket } = await begin(Connection)
    socket().say(welcome(clock))
    connection.send({ type: "add", id: 1 })
    await clock.pass(9_999)
    equal(connection.state, "connected")
    await clock.pass(1)
    equal(connection.state, "waiting")
})

test("a page that was stopped meanwhile asks once more", async (Connection) => {
    const { clock, connection, socket } = await begin(Connection)
    socket().say(welcome(clock))
    connection.send({ type: "add", id: 1 })
    clock.skip(60_000)
    await clock.pass(0)
    equal([connection.state, socket().sent.at(-1)], ["connected", { type: "ping", id: "alive" }])
    await clock.pass(10_000)
    equal(connection.state, "waiting")
})

test("without a network it waits for the browser's word", async (Connection) => {
    Object.defineProperty(globalThis, "navigator", { value: { onLine: false }, configurable: true })
    try {
        const { clock, connection, socket } = await begin(Connection)
        socket().end()
        equal([connection.state, clock.next], ["offline", Infinity])
        connection.wake()
        equal(connection.state, "connecting")
    } finally {
        delete globalThis.navigator
    }
})

test("what cannot be read ends the connection, because nobody knows what it was", async (Connection) => {
    const { clock, connection, socket } = await begin(Connection)
    socket().say(welcome(clock))
    socket().onmessage({ data: "{\"type\":" })
    equal([connection.state, socket().isClosed], ["waiting", true])
})

test("where WebSockets were found to be blocked, each attempt goes over HTTP when the WebSocket has failed", async (Connection) => {
    const { fetch } = globalThis
    const lost = []
    globalThis.fetch = async (address) => {
        if (address.href.endsWith("/healthz")) return new Response("")
        return new Promise((_, reject) => lost.push(() => reject(new Error("lost"))))
    }
    const until = async (holds) => {
        while (!holds()) await new Promise(setImmediate)
    }
    try {
        const { clock, connection, states, socket } = await begin(Connection)
        for (let attempt = 1; attempt <= 3; attempt += 1) {
            if (attempt > 1) await clock.pass(clock.next)
            await until(() => sockets.length === attempt)
            socket().end()
        }
        await until(() => connection.state === "connected")
        connection.send({ type: "list", id: 1, channel: "chat:1" })
        lost.pop()()
        await until(() => connection.state === "waiting")
        await clock.pass(clock.next)
        await until(() => sockets.length === 4)
        socket().end()
        await until(() => connection.state !== "connecting")
        equal([states.slice(-3), sockets.length], [["waiting", "connecting", "connected"], 4])
    } finally {
        globalThis.fetch = fetch
    }
})

test("a WebSocket that comes to nothing without an end is one that is blocked", async (Connection) => {
    const { fetch } = globalThis
    globalThis.fetch = async () => new Response("")
    const until = async (holds) => {
        while (!holds()) await new Promise(setImmediate)
    }
    try {
        const { clock, connection, socket } = await begin(Connection)
        for (let attempt = 1; attempt <= 2; attempt += 1) {
            await clock.pass(20_000)
            equal(connection.state, "waiting")
            await clock.pass(clock.next)
            await until(() => sockets.length === attempt + 1)
        }
        await clock.pass(5_000)
        await until(() => connection.state === "connected")
        equal(socket().isClosed, true)
        socket().end()
        equal(connection.state, "connected")
    } finally {
        globalThis.fetch = fetch
    }
})

test("what comes late of an old connection is not heard", async (Connection) => {
    const { clock, connection, messages, socket } = await begin(Connection)
    const old = socket()
    old.say(welcome(clock))
    connection.send({ type: "add", id: 1 })
    await clock.pass(10_000)
    old.say({ type: "ack", id: 1 })
    old.end(4003)
    equal([messages, connection.state], [[], "waiting"])
})

async function main() {
    const { Connection } = await import(path.resolve(kit, "connection.js"))
    globalThis.WebSocket = FakeSocket
    let failures = 0
    for (const { name, body } of checks) {
        try {
            await body(Connection)
            console.log(`ok ${name}`)
        } catch (error) {
            failures += 1
            console.log(`not ok ${name}: ${error.message}`)
        }
    }
    console.log(`1..${checks.length}`)
    process.exitCode = failures ? 1 : 0
}

main()
