// A WebSocket and a clock of a test's own, under the browser client's connection, and what runs such tests.
"use strict"
const path = require("node:path")
const { Clock, settled } = require("./kit_clock.js")

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

/** Runs all tests against the kit in a folder. */
async function run(kit) {
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

module.exports = { begin, equal, run, sockets, test, tokens, welcome }
