// What is told in one channel, as it is told: Server-Sent Events, read by hand since EventSource sends no key.

/** The events of one channel until `stop`; a stream that ends is begun again where it ended. */
export class Tail {
    #stopping = new AbortController()
    #last = ""

    /** `hear` gets each message of the broker, `tell` what becomes of the stream. */
    constructor(url, headers, hear, tell) {
        this.#follow(url, headers, hear, tell)
    }

    stop() {
        this.#stopping.abort()
    }

    async #follow(url, headers, hear, tell) {
        while (!this.#stopping.signal.aborted) {
            try {
                const resume = this.#last ? { "Last-Event-ID": this.#last } : {}
                const answer = await fetch(url, { headers: { ...headers, ...resume }, signal: this.#stopping.signal, cache: "no-store" })
                if (!answer.ok) {
                    const refusal = await answer.json().catch(() => ({}))
                    if (answer.status < 500) return tell(refusal.message ?? `HTTP status ${answer.status}`, true)
                    throw new Error(refusal.message ?? `HTTP status ${answer.status}`)
                }
                tell("following", false)
                await this.#read(answer.body.pipeThrough(new TextDecoderStream()).getReader(), hear)
                throw new Error("the stream ended")
            } catch (error) {
                if (this.#stopping.signal.aborted) return
                tell(`${error.message}; trying again`, true)
                await new Promise(resolve => setTimeout(resolve, 2000))
            }
        }
    }

    /** Reads events by the rules of the HTML standard, as far as a broker uses them. */
    async #read(reader, hear) {
        let rest = ""
        let data = []
        let id = null
        for (;;) {
            const { value, done } = await reader.read()
            if (done) return
            const lines = (rest + value).split("\n")
            rest = lines.pop()
            for (const line of lines) {
                if (line.startsWith("data: ")) data.push(line.slice(6))
                else if (line.startsWith("id: ")) id = line.slice(4)
                else if (line === "" && data.length) {
                    if (id !== null) this.#last = id
                    hear(JSON.parse(data.join("\n")))
                    data = []
                    id = null
                }
            }
        }
    }
}

/** A message of the broker in one line. */
export function words(message) {
    const where = message.message === undefined ? "" : message.message === "" ? " on the channel" : ` on ${message.message}`
    const who = message.user ? ` by ${message.user}` : ""
    const count = message.count === undefined ? "" : ` (${message.count})`
    const seq = message.seq === undefined ? "" : `${message.seq} `
    switch (message.type) {
        case "added": case "removed": case "updated": return `${seq}${message.type} ${message.reaction}${where}${who}${count}`
        case "replaced": return `${seq}replaced ${message.previous} → ${message.reaction}${where}${who}${count}`
        case "cleared": return `${seq}cleared ${message.removed}${where} by ${message.by}`
        case "burst": return `burst${where} ${Object.entries(message.reactions).map(([reaction, times]) => `${reaction}×${times}`).join(" ")}`
        case "subscribed": return message.recovered ? `resumed at ${message.seq}` : `begun at ${message.seq}, policy ${message.policy}`
        case "lagged": return `missed ${message.from} to ${message.to}`
        case "goodbye": return `goodbye ${message.code}: ${message.reason}`
        case "frozen": return message.frozen ? `frozen by ${message.by}` : `thawed by ${message.by}`
        default: return JSON.stringify(message)
    }
}
