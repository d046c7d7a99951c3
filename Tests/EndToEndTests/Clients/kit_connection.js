// The browser client's connection with a WebSocket and a clock of this test's own: when it comes back, what it obeys, and
// how it tells silence from loss. Words: FOLDER OF THE KIT
"use strict"
const { begin, equal, run, sockets, test, welcome } = require("./kit_socket.js")

// What is asked of a broker by HTTP before it greets.
const greeted = "/v1/channels/-/messages/-?user=ada"

test("it says who it is and is connected with the welcome", async (Connection) => {
    const { clock, connection, states, socket } = await begin(Connection)
    equal(socket().address, "ws://broker.test/v1/ws?user=ada")
    equal(states, ["connecting"])
    socket().say(welcome(clock))
    equal([states, connection.user], [["connecting", "connected"], "ada"])
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
        if (address.href.endsWith(greeted)) return new Response("{}")
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
    globalThis.fetch = async () => new Response("{}")
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

run(process.argv[2])
