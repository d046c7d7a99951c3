// What happened between two answers of the broker, and how numbers are written.

/** Two answers of `GET /v1/status`, and what happened between; after one alone, since the broker's start. */
export class Figures {
    #counters = {}
    #latency = {}

    constructor(status) {
        this.status = status
        this.seconds = Math.max(0.001, (status.time - status.started_at) / 1000)
    }

    /** Goes on with a newer answer; one of a broker that was started again begins anew. */
    next(status) {
        const next = new Figures(status)
        if (status.started_at !== this.status.started_at || status.time <= this.status.time) return next
        next.#counters = this.status.counters
        next.#latency = this.status.latency
        next.seconds = (status.time - this.status.time) / 1000
        return next
    }

    /** How fast a counter has grown, in ones a second. */
    rate(counter) {
        return Math.max(0, this.status.counters[counter] - (this.#counters[counter] ?? 0)) / this.seconds
    }

    /** The milliseconds that a share of what happened did not take longer than; `null` where nothing happened. */
    quantile(share, times) {
        const bounds = this.status.latency.bounds_us
        const counts = this.status.latency[times].map((count, at) => Math.max(0, count - (this.#latency[times]?.[at] ?? 0)))
        const wanted = share * counts.reduce((sum, count) => sum + count, 0)
        if (!wanted) return null
        let passed = 0
        for (const [at, count] of counts.entries()) {
            if (count && at < bounds.length && passed + count >= wanted) {
                const lower = at ? bounds[at - 1] : 0
                return (lower + (bounds[at] - lower) * (wanted - passed) / count) / 1000
            }
            passed += count
        }
        return bounds.at(-1) / 1000
    }

    /** The share of the event loops' time in which they did something, in percent. */
    get busy() {
        return Math.min(100, this.rate("busy_us") / 1e4 / this.status.loops)
    }

    /** Where most happens: how often a second something changed there. */
    changes(place) {
        return place.changes * 1000 / Math.max(1, this.status.busiest.window_ms)
    }
}

const whole = new Intl.NumberFormat("en")
const short = new Intl.NumberFormat("en", { maximumSignificantDigits: 3 })
const compact = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 })

/** `1,204`, `87.5`, `0.25`, `1.2M`. */
export function number(value) {
    if (value === null) return "–"
    if (value >= 1e6) return compact.format(value)
    if (value >= 100 || Number.isInteger(value)) return whole.format(Math.round(value))
    return value < 0.005 ? "0" : short.format(value)
}

export const milliseconds = value => value === null ? "–" : number(value) + " ms"

/** `1.2 MiB` */
export function bytes(value) {
    for (const unit of ["B", "KiB", "MiB", "GiB"]) {
        if (value < 1024 || unit === "GiB") return `${unit === "B" ? Math.round(value) : value.toFixed(1)} ${unit}`
        value /= 1024
    }
}

/** A length of time: `12 s`, `3 m 10 s`, `5 h 2 m`, `4 d 1 h` */
export function length(value) {
    const seconds = Math.max(0, Math.floor(value / 1000))
    if (seconds < 60) return `${seconds} s`
    if (seconds < 3600) return `${Math.floor(seconds / 60)} m ${seconds % 60} s`
    if (seconds < 86400) return `${Math.floor(seconds / 3600)} h ${Math.floor(seconds % 3600 / 60)} m`
    return `${Math.floor(seconds / 86400)} d ${Math.floor(seconds % 86400 / 3600)} h`
}

export const time = at => new Date(at).toLocaleTimeString("en-GB")
