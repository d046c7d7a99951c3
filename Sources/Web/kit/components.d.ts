// What /kit/components.js is for TypeScript. Sizes are CSS pixels, times milliseconds unless a name says otherwise.

import type { Channel } from "./fanfare.js"

/** What is offered where the channel allows any reaction: ❤️ 👍 👎 😂 ‼️ ❓. */
export const defaultReactions: readonly string[]

/** How many seconds the reaction at an index waits before it pops in: `min(max(index, 0) · 0.03, 0.18)`. */
export function popInDelay(index: number): number

/** What is shown of reactions, newest first, where there is room for `limit` badges: all, or one fewer and the rest hidden. */
export function splitOverflow<Group>(newestFirst: readonly Group[], limit: number): { shown: Group[]; hidden: Group[] }

/** A reaction that is no emoji. */
export interface CustomReaction {
    /** Its name on the wire, such as `party_parrot`. */
    reaction: string
    /** Its name for people, by which it is found and read out; the name on the wire where it is left out. */
    name?: string
    /** The address of its image in badges and search. */
    small?: string
    /** The address of its image in the bar, the overview and bursts; `small` where it is left out, and the other way round. */
    large?: string
}

/** Makes reactions that are no emoji known to all elements. */
export function defineReactions(list: readonly CustomReaction[]): void

/** What people and screen readers are told, in English; replace what should be in another language before a channel is set. */
export const words: {
    reactions: string
    trigger: string
    react(name: string): string
    remove(name: string): string
    reacted(names: string): string
    failed(name: string): string
    sending(name: string): string
    retry: string
    discard: string
    more(count: number): string
    search: string
    found(count: number): string
    who: string
    all: string
    nobody: string
    close: string
}

/** What `fanfare-react` tells before the reaction is given or taken away; `preventDefault()` keeps it from happening. */
export interface ReactDetail {
    message: string
    reaction: string
    /** Whether it is one's own and will be taken away. */
    removed: boolean
}

/** What `fanfare-open`, `fanfare-close` and `fanfare-overview` tell. */
export interface MessageDetail {
    message: string
}

/** What all elements have. Inside a `<fanfare-bubble>` they take from it what they are not given themselves. */
declare class FanfareElement extends HTMLElement {
    /** The channel that the message is in. What is set and is no channel throws a `TypeError`. */
    channel: Channel | undefined
    /** The message's id; the attribute `message`. Empty: the channel itself. */
    message: string
    /** Whether the person may react to a message; the default is yes. A frozen channel and a deleted message never let. */
    canReact?: (message: string) => boolean
}

/**
 * `<fanfare-bubble message side limit open>`: a message; pressed and held for 400 ms it opens its reactions. Before it has a
 * `message` its `channel` is `undefined`.
 */
export class FanfareBubble extends FanfareElement {
    /** Whether the bar is open; the attribute `open`. */
    open: boolean
    show(): void
    hide(): void
    /** Opens the overview, unless `shouldShowOverview` says no. */
    showOverview(): void
    /** The reactions to offer, or a function of the message that gives them; those that the channel allows are taken. */
    reactions?: readonly string[] | ((message: string) => readonly string[])
    /** Puts what is offered in another order, or leaves some out; the default is the channel's order. */
    order?: (reactions: string[], message: string) => readonly string[]
    /** Whether there is a search; the default is yes where any reaction, or more than eight, may be given. */
    allowEmojiSearch?: (message: string) => boolean
    shouldShowOverview?: (message: string) => boolean
    /** The address of a user's picture; initials are shown without one. */
    avatar?: (user: string) => string | null | undefined
    /** A user's name for people. */
    displayName?: (user: string) => string | null | undefined
}

/** `<fanfare-badges message limit>`: the reactions to a message, newest on top. */
export class FanfareBadges extends FanfareElement {
    /** How many badges there may be; the attribute `limit`, 5 by default. Beyond it there is one fewer, and `+N`. */
    readonly limit: number
}

/** `<fanfare-picker message>`: the reactions that may be given, the search for others, and what is slotted as `actions`. */
export class FanfarePicker extends FanfareElement {
    reactions?: FanfareBubble["reactions"]
    order?: FanfareBubble["order"]
    allowEmojiSearch?: FanfareBubble["allowEmojiSearch"]
    /** What is offered now, in order. */
    readonly offered: readonly string[]
    /** Opens the search; the names of emoji are loaded when this is done for the first time. */
    openSearch(): Promise<void>
}

/** `<fanfare-overview message open>`: who reacted. */
export class FanfareOverview extends FanfareElement {
    /** Whether it is shown, above everything; the attribute `open`. */
    open: boolean
    avatar?: FanfareBubble["avatar"]
    displayName?: FanfareBubble["displayName"]
}

/** `<fanfare-burst message max>`: emoji float up over what it holds; without `message`, those of the whole channel. */
export class FanfareBurst extends FanfareElement {
    /** How many may float at the same time; the attribute `max`, 30 by default. */
    readonly max: number
    /** Lets reactions float up, spread over `window` milliseconds, 100 by default. */
    play(reactions: Record<string, number>, window?: number): void
}

declare global {
    interface HTMLElementTagNameMap {
        "fanfare-bubble": FanfareBubble
        "fanfare-badges": FanfareBadges
        "fanfare-picker": FanfarePicker
        "fanfare-overview": FanfareOverview
        "fanfare-burst": FanfareBurst
    }
    interface HTMLElementEventMap {
        "fanfare-react": CustomEvent<ReactDetail>
        "fanfare-open": CustomEvent<MessageDetail>
        "fanfare-close": CustomEvent<MessageDetail>
        "fanfare-overview": CustomEvent<MessageDetail>
    }
}
