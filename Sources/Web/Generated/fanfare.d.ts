/** Connects to a broker. */
export function connect(options?: ClientOptions): FanfareClient

export interface ClientOptions {
    /** The broker's address; left out, the one that the module came from. */
    url?: string | URL
    /** Who this is, where the broker is in development mode. */
    user?: string
    /** A JWT, or a function that gives one, which is asked again before it runs out and on each new connection. */
    token?: string | (() => string | Promise<string>)
    /** Whether the tabs of a user share one connection; `true` where the browser can. */
    share?: boolean
    /** Keeps changes without an answer over a reload of the page. */
    storage?: Pick<Storage, "getItem" | "setItem" | "removeItem">
    /** Milliseconds since 1970, in place of `Date.now`. */
    now?: () => number
    /** A number from 0 up to 1, in place of `Math.random`. */
    random?: () => number
}

/** How a client stands: `waiting` is about to try again, `offline` waits for the browser's network, `closed` is for good. */
export type ClientState = "connecting" | "connected" | "waiting" | "offline" | "closed"

/** One of the broker's error codes, `closed` or `too_many_pending`. */
export type ErrorCode =
    | "bad_request" | "unauthorized" | "forbidden" | "key_reused" | "invalid_reaction" | "reaction_not_allowed" | "frozen"
    | "message_deleted" | "too_many_reactions" | "rate_limited" | "not_subscribed" | "too_many_subscriptions"
    | "unknown_cursor" | "unavailable" | "not_found" | "closed" | "too_many_pending"

/** Why something was refused: a code, and words for a person. */
export interface Refusal {
    readonly code: ErrorCode | (string & {})
    readonly message: string
}

/** What broken promises have as their reason. */
export class FanfareError extends Error implements Refusal {
    readonly code: Refusal["code"]
}

interface ClientEvents {
    state: CustomEvent<{ state: ClientState; user: string | null; error?: Refusal }>
}

/** A client of one broker, for one user. */
export class FanfareClient extends EventTarget {
    constructor(options?: ClientOptions)
    readonly state: ClientState
    /** Who this is, as far as is known. */
    readonly user: string | null
    /** Why the broker closed it for good, or refused it last; undefined while it is connected. */
    readonly error?: Refusal
    /** A channel; asked for again it is the same object, with the options that it had first. */
    channel(name: string, options?: ChannelOptions): Channel
    /** Closes the connection and all channels. */
    close(): void
    addEventListener<K extends keyof ClientEvents>(
        type: K, listener: (event: ClientEvents[K]) => void, options?: boolean | AddEventListenerOptions): void
    addEventListener(
        type: string, listener: EventListenerOrEventListenerObject | null, options?: boolean | AddEventListenerOptions): void
}

export interface ChannelOptions {
    /** Each change by itself (the default), or counts merged at most once an interval. */
    mode?: "events" | "summary"
    /**
     * Only these messages. Left out, the whole channel; but where nobody listens to its "change" when an element begins to
     * show a message, or after `watch`, only what is watched: a channel may have more messages than a page wants to hear of.
     */
    messages?: string[]
    /** Whether the number of subscribers is told. */
    occupancy?: boolean
}

/** A reaction on a message, as it is shown. */
export interface ReactionView {
    readonly reaction: string
    /** How many, with the user's own changes that have no answer yet. */
    readonly count: number
    readonly users: number
    /** Up to five who reacted, newest first, as far as is known; left out where nobody is named. */
    readonly latest?: readonly string[]
    /** Whether the user is among them. */
    readonly own: boolean
    /** How many are the user's (policy `multiple`), else 1 or 0. */
    readonly ownCount: number
    readonly status: "sent" | "sending" | "failed"
    /** Why it has failed. */
    readonly error?: Refusal
}

/** A message, as it is shown. */
export interface MessageView {
    readonly message: string
    readonly total: number
    readonly deleted: boolean
    /** In order of first use. */
    readonly reactions: readonly ReactionView[]
    /** What the user has, in the order of giving. */
    readonly own: readonly string[]
}

/** The broker's answer to a change. */
export interface Ack {
    readonly type: "ack"
    readonly result: "added" | "removed" | "replaced" | "updated" | "changed" | "unchanged"
    readonly channel: string
    readonly message: string
    readonly reaction?: string
    readonly previous?: string
    readonly seq: number
    readonly count?: number
    readonly own: readonly string[]
    readonly own_counts?: Readonly<Record<string, number>>
    readonly duplicate?: true
}

/** A page of those who reacted. */
export interface Reactors {
    readonly type: "reactors"
    readonly channel: string
    readonly message: string
    readonly total: number
    readonly reactors: readonly {
        readonly user: string
        readonly reaction: string
        readonly count: number
        readonly at: number
        readonly data?: Readonly<Record<string, unknown>>
    }[]
    /** Where the next page begins; `null` after the last. */
    readonly after: string | null
}

/** What was counted on a message of an ephemeral channel in one window. */
export interface Burst {
    readonly type: "burst"
    readonly channel: string
    readonly message: string
    readonly reactions: Readonly<Record<string, number>>
    readonly window_ms: number
    readonly at: number
}

interface ChannelEvents {
    /** The broker tells of the channel, from the first snapshot on; again on each new connection. */
    ready: CustomEvent<null>
    /** The view of a message may be another now; whoever listens follows all that the channel's `messages` let. */
    change: CustomEvent<{ message: string }>
    burst: CustomEvent<Burst>
    occupancy: CustomEvent<{ type: "occupancy"; channel: string; connections: number; users: number }>
    /** Whether the channel takes changes is another now; `by` whom, where the broker says it. */
    frozen: CustomEvent<{ frozen: boolean; by?: string }>
    /** A change has failed, or the subscription was refused. */
    error: CustomEvent<Refusal>
}

/** One channel of a client; made by `FanfareClient.channel`. */
export class Channel extends EventTarget {
    private constructor()
    readonly name: string
    /** Kept with the first snapshot, broken where the broker refuses the subscription. */
    readonly ready: Promise<Channel>
    /** Who this is, as far as is known. */
    readonly user: string | null
    readonly policy: "unique" | "distinct" | "multiple" | "ephemeral" | null
    /** Why nothing is told of the channel: it was refused, or has ended; `undefined` while something is. */
    readonly error?: Refusal
    /** The reactions that may be used; `null`: all that the namespace accepts. */
    readonly allowed: readonly string[] | null
    readonly limits: { readonly kinds: number; readonly per_user: number } | null
    readonly frozen: boolean
    readonly epoch: string | null
    readonly seq: number
    /** A message as it is shown; the same object until it changes. */
    view(message: string): MessageView
    /** Adds a reaction; seen at once, kept until it is answered. `count` is for the policy `multiple`, 1–1,000. */
    add(message: string, reaction: string, options?: { data?: Record<string, unknown>; count?: number }): Promise<Ack>
    /** Takes a reaction away; all of it without a count. */
    remove(message: string, reaction: string, options?: { count?: number }): Promise<Ack>
    /** Adds a reaction where it is absent, takes it away where it is there; one more under `multiple` and `ephemeral`. */
    toggle(message: string, reaction: string, options?: { data?: Record<string, unknown> }): Promise<Ack>
    /** Makes the user's reactions on a message exactly these. */
    set(message: string, reactions: string[]): Promise<Ack>
    /** Sends a change that has failed again. */
    retry(message: string, reaction: string): Promise<Ack>
    /** Gives up a change that has failed. */
    discard(message: string, reaction: string): void
    /** Who reacted, newest first; `limit` 1–100. */
    reactors(message: string, options?: { reaction?: string; after?: string | null; limit?: number }): Promise<Reactors>
    /** Watches a message, once more; from the first on only watched messages are followed. */
    watch(message: string): void
    /** Watches a message once less. */
    unwatch(message: string): void
    /** Watches a message while an element is in view, or near; gives a function that ends it. See `ChannelOptions.messages`. */
    observe(element: Element, message: string): () => void
    /** Ends the subscription, and what waits for an answer. */
    close(): void
    addEventListener<K extends keyof ChannelEvents>(
        type: K, listener: (event: ChannelEvents[K]) => void, options?: boolean | AddEventListenerOptions): void
    addEventListener(
        type: string, listener: EventListenerOrEventListenerObject | null, options?: boolean | AddEventListenerOptions): void
}
