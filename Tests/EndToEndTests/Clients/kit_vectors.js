// Replays Tests/Vectors on the browser client's model of a channel. Words: FOLDER OF THE KIT, FOLDER OF THE VECTORS
//
// A vector is a list of steps, each something done and what is to be seen after it; `views` and what is in them name only
// what matters, all lists are whole. The id of a request is its key; `elapsed` moves the clock, in milliseconds;
// `scope`, beside `receive`, says which messages are watched from then on, and of which of them the state is told.
"use strict"
const fs = require("node:fs")
const path = require("node:path")
const [kit, folder] = process.argv.slice(2)

/** Says where what was found differs from what is expected; undefined where it holds. */
function difference(found, expected, where) {
    if (Array.isArray(expected)) {
        if (!Array.isArray(found) || found.length !== expected.length) {
            return `${where} is ${JSON.stringify(found)}, not ${JSON.stringify(expected)}`
        }
    } else if (expected === null || typeof expected !== "object") {
        return Object.is(found, expected) ? undefined : `${where} is ${JSON.stringify(found)}, not ${JSON.stringify(expected)}`
    }
    for (const [name, value] of Object.entries(expected)) {
        const why = difference(found?.[name], value, `${where}.${name}`)
        if (why) return why
    }
    return undefined
}

class Replay {
    constructor(ChannelState, { user, channel = "chat:42" }) {
        this.state = new ChannelState(channel, user)
        this.now = 0
    }

    do(step) {
        if ("receive" in step) this.state.receive(step.receive, this.now, step.scope)
        else if ("intent" in step) this.state.act(step.intent)
        else if ("sent" in step) this.state.sent(step.sent)
        else if ("connected" in step) this.state.connected(step.connected)
        else if ("retry" in step) this.state.retry(step.retry.message, step.retry.reaction)
        else if ("discard" in step) this.state.discard(step.discard.message, step.discard.reaction)
        else if ("elapsed" in step) this.now += step.elapsed
        else throw new Error(`no step: ${JSON.stringify(step)}`)
    }

    see({ views = {}, outbox, failed }) {
        for (const [message, expected] of Object.entries(views)) {
            const why = difference(this.state.view(message), expected, message)
            if (why) return why
        }
        const failures = this.state.drafts.filter(({ status }) => status === "failed").map(({ message, reaction, error }) => ({ message, reaction, code: error.code }))
        return (outbox && difference(this.state.outbox(this.now), outbox, "outbox"))
            ?? (failed && difference(failures, failed, "failed"))
    }
}

async function main() {
    const { ChannelState } = await import(path.resolve(kit, "state.js"))
    let count = 0
    let failures = 0
    for (const file of fs.readdirSync(folder).filter((name) => name.endsWith(".json")).sort()) {
        const vector = JSON.parse(fs.readFileSync(path.join(folder, file), "utf8"))
        const replay = new Replay(ChannelState, vector)
        let why
        vector.steps.forEach((step, place) => {
            replay.do(step.do)
            why ??= (({ expect }) => expect && replay.see(expect))(step)
                ?.replace(/^/, `step ${place + 1} (${JSON.stringify(step.do)}): `)
        })
        count += 1
        if (why) failures += 1
        console.log(why ? `not ok ${vector.name}: ${why}` : `ok ${vector.name}`)
    }
    console.log(`1..${count}`)
    process.exitCode = failures ? 1 : 0
}

main()
