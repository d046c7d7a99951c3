// <fanfare-badges>: the reactions to a message, newest on top, with what is on its way and what failed.
import { FanfareElement, glyph, make, moveFocus, nameOf, onHold, reconcile, words } from "./element.js"

/** What is shown of reactions, newest first, when there is room for so many badges: `{ shown, hidden }`. */
export function splitOverflow(newestFirst, limit) {
    const places = Math.max(limit, 1)
    const room = newestFirst.length > places ? places - 1 : newestFirst.length
    return { shown: newestFirst.slice(0, room), hidden: newestFirst.slice(room) }
}

export class FanfareBadges extends FanfareElement {
    #failed = null // the reaction that the menu is about

    constructor() {
        super(css, html)
        const list = this.$("#list")
        list.addEventListener("keydown", (event) => moveFocus(list.children, event))
        const ask = () => this.tell("overview")
        onHold(list, () => true, ask)
        list.addEventListener("contextmenu", (event) => {
            event.preventDefault()
            ask()
        })
        for (const act of ["retry", "discard"]) {
            this.$(`#${act}`).addEventListener("click", () => {
                this.channel[act](this.message, this.#failed)
                this.$("#menu").hidePopover()
            })
        }
    }

    drawWords() {
        this.$("#list").ariaLabel = words.reactions
        this.$("#retry").textContent = words.retry
        this.$("#discard").textContent = words.discard
    }

    /** How many badges there may be, the one for the rest included. */
    get limit() {
        return Number(this.getAttribute("limit") ?? this.owner?.getAttribute("limit") ?? 5)
    }

    render() {
        const { shown, hidden } = splitOverflow(this.view.reactions.toReversed(), this.limit)
        const items = hidden.length > 0 ? [...shown, { reaction: "", hidden }] : shown
        const focused = this.shadowRoot.activeElement
        const draw = (badge, item) => (item.hidden ? this.#drawOverflow(badge, item.hidden) : this.#draw(badge, item))
        reconcile(this.$("#list"), items, (item) => item.reaction, (item) => this.#create(item), draw)
        ;[...this.$("#list").children].forEach((badge, index) => (badge.style.zIndex = items.length - index))
        if (focused && !this.shadowRoot.activeElement) this.owner?.focus()
        const failed = shown.find((one) => one.reaction === this.#failed)
        if (failed?.status !== "failed" && this.$("#menu").matches(":popover-open")) this.$("#menu").hidePopover()
    }

    #create({ reaction, hidden }) {
        const badge = make("button")
        if (hidden) {
            badge.append(make("slot", { name: "overflow" }, make("span", { part: "count", dir: "ltr" })))
            badge.addEventListener("click", () => this.tell("overview"))
        } else {
            badge.append(make("slot", { name: `badge-${reaction}` }, glyph(reaction), make("span", { part: "count" })))
            badge.addEventListener("click", () => this.#press(badge, reaction))
        }
        return badge
    }

    #draw(badge, { reaction, count, own, status, latest = [], error }) {
        const name = nameOf(reaction)
        badge.part = ["badge", own && "own", status].filter(Boolean).join(" ")
        const label = own ? words.remove(name) : words.react(name)
        const told = own ? words.reacted(name) : ""
        badge.ariaLabel = status === "failed" ? words.failed(name) : label
        badge.ariaPressed = own
        badge.ariaBusy = status === "sending"
        const state = { sending: words.sending(name), failed: error?.message }[status] ?? told
        badge.ariaDescription = [state, count, latest.join(", ")].filter(Boolean).join(". ")
        badge.querySelector("[part=count]").textContent = count > 1 ? short.format(count) : ""
    }

    #drawOverflow(badge, hidden) {
        const own = hidden.filter((one) => one.own)
        badge.part = own.length > 0 ? "badge overflow own" : "badge overflow"
        badge.ariaLabel = words.more(hidden.length)
        const names = own.map((one) => nameOf(one.reaction)).join(", ")
        badge.ariaDescription = names && words.reacted(names)
        badge.querySelector("[part=count]").textContent = `+${hidden.length}`
    }

    #press(badge, reaction) {
        const group = this.view.reactions.find((one) => one.reaction === reaction)
        if (group?.status === "failed") this.#ask(badge, group)
        else if (this.mayReact) this.choose(reaction)
        else this.tell("overview")
    }

    /** Asks what to do with one that failed. */
    #ask(badge, { reaction, error }) {
        this.#failed = reaction
        this.$("#why").textContent = error?.message ?? words.failed(nameOf(reaction))
        const menu = this.$("#menu")
        menu.showPopover()
        const box = badge.getBoundingClientRect()
        const { clientWidth, clientHeight } = document.documentElement
        const left = box.left + box.width / 2 - menu.offsetWidth / 2
        menu.style.left = `${Math.max(8, Math.min(left, clientWidth - menu.offsetWidth - 8))}px`
        const below = box.bottom + 6
        menu.style.top = `${below + menu.offsetHeight < clientHeight ? below : box.top - menu.offsetHeight - 6}px`
        this.$("#retry").focus()
    }
}

const short = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 })

try {
    CSS.registerProperty({ name: "--fanfare-turn", syntax: "<angle>", inherits: false, initialValue: "0deg" })
} catch {
    // It was registered by another copy of the kit.
}

const html = `
<div id="list" part="list" role="group"></div>
<div id="menu" part="menu panel" popover role="dialog" aria-labelledby="why">
    <p id="why"></p><button id="retry" part="retry"></button><button id="discard" part="discard"></button></div>`

const css = `
:host { display: block; inline-size: fit-content; --size: var(--fanfare-badge-size, 30px); }
#list { display: flex; flex-direction: var(--flow, row); }
[part~=badge] { position: relative; min-inline-size: var(--size); block-size: var(--size); padding-inline: 6px;
    margin-inline: -2.5px; grid-auto-flow: column; gap: 3px;
    border-radius: 99px; background: var(--badge); color: var(--text); box-shadow: 0 0 0 2px var(--fanfare-page, Canvas);
    font-size: calc(var(--size) * .5); transition: background .2s;
    animation: pop .35s cubic-bezier(.3, 1.6, .6, 1) backwards; }
[part=count]:empty { display: none; }
[part=count] { font-size: calc(var(--size) * .4); font-weight: 600; font-variant-numeric: tabular-nums; }
[part~=own] { background: var(--accent); color: #fff; }
/* One lies below the one before it. */
[part~=badge]:not(:first-child) { padding-inline: var(--before, 12px) var(--after, 6px); }
[part~=sending]::after { content: ""; position: absolute; inset: -3px; border-radius: inherit; padding: 2px;
    animation: turn 1.2s linear infinite;
    background: conic-gradient(from var(--fanfare-turn), var(--accent), transparent 70%, var(--accent));
    mask: linear-gradient(#000 0 0) content-box exclude, linear-gradient(#000 0 0); }
[part~=failed] { background: var(--fanfare-danger, #d70015); color: #fff; }
[part~=failed]::after { content: "!"; position: absolute; inset-block-start: -5px; inset-inline-end: -3px; inline-size: 15px;
    block-size: 15px; border-radius: 50%; background: #fff; color: #d70015; font: 800 11px/15px system-ui; text-align: center;
    box-shadow: 0 0 0 1.5px #d70015; }
#menu { background: var(--surface); border-radius: 14px; padding: 6px; box-shadow: var(--shadow);
    max-inline-size: min(260px, calc(100vw - 16px)); font-size: 15px; }
#why { margin: 4px 10px 6px; font-size: 13px; color: var(--muted); }
#menu button { padding: 10px; min-block-size: 44px; border-radius: 9px; justify-content: start; inline-size: 100%; }
#menu button:hover { background: var(--badge); }
#discard { color: var(--danger); }
@keyframes turn { to { --fanfare-turn: 360deg; } }
@keyframes breathe { 50% { opacity: .2; } }
@media (prefers-reduced-motion: reduce) { [part~=badge] { animation: fade .3s backwards; } [part~=sending]::after {
    animation-name: breathe; } }
`
