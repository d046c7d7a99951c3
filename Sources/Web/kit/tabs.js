// Several tabs of one user share one connection: Web Locks elect the tab whose hub it is, a BroadcastChannel carries what
// the others want and what the broker says. When the leader ends, by whatever cause, its lock goes to the next tab, which
// hears from all the others what they want, and goes on. A leader that the browser stops in the background, without its
// connection and its timers, gives the lead away; one that does not answer loses its lock to a tab that asks.

const answerWithin = 5_000
const askAfter = 20_000

/** Has the interface of a `Hub`, which lies in this tab or in another. */
export class Tabs {
    state = "connecting"
    user = null
    error = undefined

    #options // { tab, whose, makeHub, onstate, onhub, deliver }
    #name = null
    #port = null
    #hub = null // while this tab leads
    #leader = null // the tab that leads
    #known = new Set() // tabs that this leader serves
    #isInLine = false
    #isStopped = false // by the browser, in the background
    #release = null // gives the lead away
    #patience // the timer of an answer that the leader owes
    #nextLook // the timer of the next question whether it lives
    #end = new AbortController()

    /**
     * `whose()` gives a promise of the name that those have in common who may share; null: alone.
     * `makeHub({ onstate, deliver })` makes a hub. `onhub()` is called when one has begun that knows nothing of this tab.
     */
    constructor(options) {
        this.#options = options
    }

    async start() {
        this.#name = await this.#options.whose()
        if (this.#end.signal.aborted) return
        if (this.#name === null) return this.#lead()
        try {
            this.#port = new BroadcastChannel(this.#name)
        } catch {
            return this.#lead() // a browser that lets the page keep nothing may deny it this as well
        }
        this.#port.onmessage = ({ data }) => this.#hear(data)
        this.#hold(lifeOf(this.#name, this.#options.tab), () => this.#queue()).catch(() => this.#goAlone())
        const { signal } = this.#end
        globalThis.document?.addEventListener("freeze", () => this.#stop(), { signal })
        globalThis.document?.addEventListener("resume", () => this.#goOn(), { signal })
    }

    subscribe(tab, channel, want) {
        this.#call("subscribe", channel, want)
    }

    unsubscribe(tab, channel) {
        this.#call("unsubscribe", channel)
    }

    send(request) {
        this.#call("send", request)
    }

    wake() {
        this.#call("wake")
    }

    offline() {
        this.#hub?.offline()
    }

    close() {
        if (this.#end.signal.aborted) return
        this.#call("leave")
        this.#finish({ state: "closed", error: undefined })
    }

    // MARK: every tab

    /** Takes a lock as soon as it is free, and holds it to the end; gives a promise that is broken where it is taken away. */
    #hold(name, granted, options) {
        const { signal } = this.#end
        return navigator.locks.request(name, options || { signal }, () => signal.aborted || new Promise((release) => {
            signal.addEventListener("abort", release)
            granted(release)
        }))
    }

    /** Stands in line for the lead, or takes it. */
    #queue({ steal = false } = {}) {
        this.#call("hello")
        if (this.#isInLine && !steal) return
        this.#isInLine ||= !steal
        const granted = (release) => {
            this.#isInLine &&= steal
            if (this.#isStopped) return release()
            this.#release = release
            this.#lead()
        }
        this.#hold(this.#name, granted, steal && { steal }).catch(() => {
            this.#stepDown()
            this.#queue()
        })
    }

    /** A page without an origin, of a file say, may have no locks. */
    #goAlone() {
        if (this.#end.signal.aborted) return
        this.#port.close()
        this.#port = null
        this.#lead()
    }

    /** Leads no more: the lead was taken away, or is given away. */
    #stepDown() {
        const hub = this.#hub
        if (!hub) return
        this.#hub = this.#leader = null
        hub.close()
        this.#become({ state: "connecting" })
    }

    #stop() {
        if (!this.#port) return
        this.#isStopped = true
        this.#stepDown()
        this.#release?.()
    }

    #goOn() {
        if (!this.#isStopped) return
        this.#isStopped = false
        this.#queue()
    }

    /** Does something with the hub, wherever it lies. A leader gives a sign for each call. */
    #call(name, ...words) {
        if (this.#hub) return this.#serve(this.#options.tab, name, words)
        if (!this.#port || this.#end.signal.aborted) return
        this.#port.postMessage({ tab: this.#options.tab, name, words })
        this.#patience ??= setTimeout(() => {
            this.#patience = undefined
            this.#queue({ steal: true })
        }, answerWithin)
    }

    /** The leader lives; whether it still does is asked after a while, because a tab may only look on. */
    #answered() {
        this.#rest()
        this.#nextLook = setTimeout(() => this.#call("hello"), askAfter)
    }

    #rest() {
        clearTimeout(this.#patience)
        clearTimeout(this.#nextLook)
        this.#patience = undefined
    }

    #hear(data) {
        if (this.#end.signal.aborted) return
        if (data.name) {
            if (this.#hub) this.#serve(data.tab, data.name, data.words)
        } else if (!this.#hub) {
            this.#answered()
            if (data.standing) this.#follow(data.leader, data.standing)
            else if (data.leader === this.#leader) this.#options.deliver(data.message, data.scope)
        }
    }

    /** A leader tells how it stands; one that is new has to hear what this tab wants. */
    #follow(leader, standing) {
        // It was refused, by a token of its own perhaps, and lets go of the lead: the next tab sees for itself.
        if (standing.state === "closed") return
        if (leader !== this.#leader) this.#begin(leader)
        this.#become(standing)
    }

    #begin(leader) {
        this.#leader = leader
        if (this.state === "connected") this.#become({ state: "connecting" })
        this.#options.onhub()
    }

    #become(standing) {
        const isNews = standing.state !== this.state
        Object.assign(this, standing)
        if (isNews) this.#options.onstate()
    }

    #finish(standing) {
        this.#end.abort()
        this.#rest()
        this.#hub?.close()
        this.#port?.close()
        this.#become(standing)
    }

    // MARK: the leader

    #lead() {
        this.#rest()
        const { tab } = this.#options
        const hub = this.#hub = this.#options.makeHub({
            onstate: () => hub === this.#hub && this.#hubChanged(),
            deliver: (message, scope) => {
                this.#port?.postMessage({ leader: tab, message, scope })
                this.#options.deliver(message, scope)
            },
        })
        this.#begin(tab)
        hub.start()
    }

    #hubChanged() {
        if (this.#end.signal.aborted) return
        const standing = this.#tell(this.#hub)
        if (standing.state === "closed") this.#finish(standing)
        else this.#become(standing)
    }

    /** Tells the others how a hub stands, or this, and gives what it told. */
    #tell({ state, user, error }) {
        const standing = { state, user, error }
        this.#port?.postMessage({ leader: this.#options.tab, standing })
        return standing
    }

    #serve(tab, name, words) {
        if (name === "leave") this.#hub.leave(tab)
        else if (name === "send" || name === "wake") this.#hub[name](...words)
        else if (name !== "hello") this.#hub[name](tab, ...words)
        if (tab === this.#options.tab) return
        this.#watchOver(tab)
        this.#tell(this)
    }

    /** Waits for the end of another tab, which may come without a word. */
    #watchOver(tab) {
        if (this.#known.has(tab)) return
        this.#known.add(tab)
        navigator.locks.request(lifeOf(this.#name, tab), { signal: this.#end.signal }, () => {
            this.#known.delete(tab)
            this.#hub?.leave(tab)
        }).catch(() => {}) // this tab ended first
    }
}

/** Whether this browser can share a connection. */
export const canShare = () => globalThis.navigator?.locks !== undefined && globalThis.BroadcastChannel !== undefined

/** The lock that a tab holds as long as it lives. */
const lifeOf = (name, tab) => `${name} ${tab}`
