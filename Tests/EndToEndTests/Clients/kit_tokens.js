// The browser client's connection and its token: how it is sent and renewed, and what is told where it is refused.
// Words: FOLDER OF THE KIT
"use strict"
const { begin, equal, run, test, tokens, welcome } = require("./kit_socket.js")

test("without a user and without a token it is closed for good", async (Connection) => {
    const { clock, connection, socket } = await begin(Connection, { identity: {} })
    socket().say(welcome(clock, null))
    equal([connection.state, connection.error.code], ["closed", "unauthorized"])
})

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

test("what the broker says against a token is told, until one is taken", async (Connection) => {
    const { clock, connection, states, socket } = await begin(Connection, { identity: tokens("t1", "t2", "t3") })
    for (const wait of [500, 1_000]) {
        socket().say(welcome(clock, null))
        socket().say({ type: "error", id: "auth", code: "unauthorized", message: "the token is forged" })
        equal([connection.state, connection.error], ["waiting", { code: "unauthorized", message: "the token is forged" }])
        equal(clock.next, wait)
        await clock.pass(wait)
    }
    socket().say(welcome(clock, null))
    socket().say({ type: "ack", id: "auth", user: "ada" })
    equal([connection.state, connection.error ?? null], ["connected", null])
    equal(states, ["connecting", "waiting", "connecting", "waiting", "connecting", "connected"])
})

test("a fixed token that is refused is the end, with the broker's words", async (Connection) => {
    const { clock, connection, socket } = await begin(Connection, { identity: { isRenewable: false, token: async () => "t1" } })
    socket().say(welcome(clock, null))
    socket().say({ type: "error", id: "auth", code: "unauthorized", message: "the token is forged" })
    equal([connection.state, connection.error], ["closed", { code: "unauthorized", message: "the token is forged" }])
})

test("a renewal that is refused is told, and the connection goes on as long as it may", async (Connection) => {
    const { clock, connection, socket } = await begin(Connection, { identity: tokens("t1", "t2") })
    socket().say(welcome(clock, null))
    socket().say({ type: "ack", id: "auth", user: "ada", expires: clock.now + 60_000 })
    await clock.pass(30_000)
    const { warn } = console
    const warnings = []
    console.warn = (text) => warnings.push(text)
    socket().say({ type: "error", id: "auth", code: "forbidden", message: "a renewal must be for the same user" })
    console.warn = warn
    equal(warnings, ["fanfare: the token is not renewed: a renewal must be for the same user (forbidden)"])
    equal(connection.state, "connected")
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

run(process.argv[2])
