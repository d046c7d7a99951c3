// The clock of a test of the browser kit, for its timers.
"use strict"

/** Time that only the test moves. */
class Clock {
    now = 1_000_000
    #timers = new Map()
    #last = 0

    install() {
        globalThis.setTimeout = (action, delay = 0) => {
            this.#timers.set(++this.#last, { action, at: this.now + delay })
            return this.#last
        }
        globalThis.clearTimeout = (id) => this.#timers.delete(id)
    }

    /** How long until the next timer. */
    get next() {
        return Math.min(...[...this.#timers.values()].map(({ at }) => at)) - this.now
    }

    /** Lets time pass, and all that falls due in it happen. */
    async pass(milliseconds) {
        const end = this.now + milliseconds
        for (;;) {
            const [due] = [...this.#timers].filter(([, { at }]) => at <= end).sort(([, a], [, b]) => a.at - b.at)
            if (!due) break
            this.#timers.delete(due[0])
            this.now = Math.max(this.now, due[1].at)
            due[1].action()
            await settled()
        }
        this.now = end
        await settled()
    }

    /** Lets time pass unseen, as on a page that was stopped. */
    skip(milliseconds) {
        this.now += milliseconds
    }
}

/** Lets all promises that can be kept be kept. */
async function settled() {
    for (let turn = 0; turn < 20; turn += 1) await Promise.resolve()
}

module.exports = { Clock, settled }
