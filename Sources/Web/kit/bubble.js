// <fanfare-bubble>: a message that opens its reactions when it is pressed and held.
import { FanfareElement, nameOf, onHold, swallowClick, words } from "./element.js"

const leastActions = 130 // px; with less room below the message its actions go where the bar is
const gap = 8 // px between the message, the bar and the edge of the screen

const foreign = "a, button:not(#trigger), input, select, textarea, video, audio, [contenteditable], fanfare-bubble"

const bubbles = new Set()

export class FanfareBubble extends FanfareElement {
    #session = null // of the open bar

    static get observedAttributes() {
        return ["message", "open", "limit"]
    }

    constructor() {
        super(css, html)
        const box = this.$("#box")
        onHold(box, (event) => !this.open && !this.#isForeign(event), () => this.show(), () => this.hide())
        box.addEventListener("contextmenu", (event) => {
            if (this.#isForeign(event)) return
            event.preventDefault()
            this.show()
        })
        this.$("#trigger").addEventListener("click", () => this.show())
        this.addEventListener("fanfare-react", () => this.hide())
        this.addEventListener("click", (event) => event.target.closest("[slot=actions]") && this.hide())
        this.addEventListener("fanfare-overview", (event) => {
            if (!event.defaultPrevented) this.showOverview()
            event.preventDefault() // it is not for a bubble around this one
        })
        this.$("#bar").addEventListener("keydown", (event) => {
            if (event.key !== "Escape") return
            event.preventDefault() // a dialog of the page stays open
            this.hide()
        })
    }

    drawWords() {
        this.$("#trigger").ariaLabel = words.trigger
        this.$("#bar").ariaLabel = words.reactions
    }

    /** There is none before the message is known: without one it would be the channel itself. */
    get channel() {
        return this.hasAttribute("message") ? super.channel : undefined
    }

    set channel(channel) {
        super.channel = channel
    }

    connectedCallback() {
        bubbles.add(this)
        super.connectedCallback()
    }

    disconnectedCallback() {
        super.disconnectedCallback()
        bubbles.delete(this)
        this.removeAttribute("dimmed")
        this.hide()
    }

    attributeChangedCallback(name) {
        if (name !== "open") super.attributeChangedCallback(name)
        else if (this.open) this.#opened()
        else this.#closed()
    }

    get open() {
        return this.hasAttribute("open")
    }

    set open(open) {
        this.toggleAttribute("open", open)
    }

    show() {
        if (this.isConnected && this.channel) this.open = true
    }

    hide() {
        this.open = false
    }

    focus() {
        this.$("#trigger").focus({ preventScroll: true })
    }

    /** Shows who reacted, unless `shouldShowOverview` says no; the overview is loaded when this is done for the first time. */
    async showOverview() {
        if (this.shouldShowOverview?.(this.message) === false) return
        this.hide()
        await import("./overview.js")
        if (!this.isConnected) return // it was taken out of the page meanwhile
        const overview = this.querySelector("[slot=overview]") ?? this.$("fanfare-overview")
        overview.open = true
    }

    follow(channel, message, signal) {
        for (const inner of this.#inner()) inner.attach()
        if (!channel) this.hide()
        else if (this.open) this.#opened()
    }

    /** The elements that have from this one what they are not given themselves. */
    #inner() {
        return [...this.shadowRoot.querySelectorAll("*"), ...this.querySelectorAll("*")]
            .filter((one) => one instanceof FanfareElement && one.owner === this)
    }

    update() {
        super.update()
        for (const inner of this.#inner()) inner.update()
    }

    render() {
        if (this.open && !this.mayReact && this.#picker.heights?.row) this.hide() // as long as the focus is there
        const own = this.view.own.map(nameOf).join(", ")
        const value = own && words.reacted(own)
        if (this.$("#value").textContent !== value) this.$("#value").textContent = value
        this.toggleAttribute("reacted", this.view.reactions.length > 0)
    }

    /** Whether a press belongs to what it hit: a link, a field, a badge. */
    #isForeign(event) {
        const path = event.composedPath()
        return path.slice(0, path.indexOf(this)).some((node) => node.matches?.(foreign))
    }

    #opened() {
        if (!this.isConnected || !this.channel || this.#session) return
        const picker = this.#picker
        if (picker.prepare?.() === false) return this.hide()
        const others = [...bubbles].filter((other) => other !== this)
        for (const other of others) other.hide()
        for (const other of others) other.toggleAttribute("dimmed", other.channel === this.channel && !other.contains(this))
        const { signal } = (this.#session = new AbortController())
        const bar = this.$("#bar")
        bar.showPopover()
        this.#follow(signal)
        addEventListener("pointerdown", (event) => {
            if (event.composedPath().includes(bar)) return
            swallowClick()
            this.hide()
        }, { signal, capture: true })
        addEventListener("blur", () => document.activeElement.matches("iframe") && this.hide(), { signal })
        this.addEventListener("focusout", ({ relatedTarget }) => {
            if (relatedTarget && !this.contains(relatedTarget)) this.hide()
        }, { signal })
        this.$("#trigger").ariaExpanded = "true"
        this.$("#value").role = "status" // from now on: what was given long ago is not announced by a page that opens
        picker.focus()
        this.tell("open")
    }

    #closed() {
        if (!this.#session) return
        this.#session.abort()
        this.#session = null
        const hadFocus = this.contains(this.getRootNode().activeElement)
        this.$("#bar").hidePopover()
        for (const other of bubbles) other.removeAttribute("dimmed")
        this.$("#trigger").ariaExpanded = "false"
        if (hadFocus) this.focus()
        this.tell("close")
    }

    get #picker() {
        return this.querySelector("[slot=picker]") ?? this.$("fanfare-picker")
    }

    /** Keeps the bar with its message, whatever of the page moves, changes or is scrolled. */
    #follow(signal) {
        if (signal.aborted) return
        this.#place()
        requestAnimationFrame(() => this.#follow(signal))
    }

    /** Puts the bar above the message and its actions below, or both on one side where there is no room. */
    #place() {
        const bar = this.$("#bar")
        const box = this.$("#box").getBoundingClientRect()
        const { top } = this.getBoundingClientRect() // with the badges
        const { clientWidth } = document.documentElement
        const first = visualViewport.offsetTop + gap // what a phone's keyboard leaves
        const last = visualViewport.offsetTop + visualViewport.height - gap
        const { row, actions } = this.#picker.heights ?? { row: bar.offsetHeight, actions: 0 }
        const room = last - gap - box.bottom
        const isSplit = actions > 0 && top - first >= row + gap && room >= Math.min(actions, leastActions)
        this.#picker.style.setProperty("--room", isSplit ? `${room}px` : "45vh")
        this.#picker.style.setProperty("--hole", `${isSplit ? box.bottom - top + 2 * gap : 0}px`)
        const height = isSplit ? row : bar.offsetHeight
        const above = top - height - gap
        const isAbove = above >= first || top - first > last - box.bottom
        const start = Math.max(first, Math.min(isAbove ? above : box.bottom + gap, last - bar.offsetHeight))
        const isRight = (this.getAttribute("side") === "end") !== (getComputedStyle(this).direction === "rtl")
        const left = isRight ? box.right - bar.offsetWidth : box.left
        bar.style.top = `${start}px`
        bar.style.left = `${Math.max(gap, Math.min(left, clientWidth - bar.offsetWidth - gap))}px`
        bar.style.transformOrigin = `${isRight ? "right" : "left"} ${isAbove ? `${height}px` : "top"}`
    }
}

const html = `
<div id="box" part="box">
    <div part="message"><slot></slot></div>
    <button id="trigger" part="trigger" aria-haspopup="dialog" aria-expanded="false" aria-describedby="value"><slot name="trigger">
        <svg viewBox="0 0 24 24" width="20" fill="none" stroke="currentColor" stroke-width="1.8" stroke-linecap="round" aria-hidden="true">
            <circle cx="12" cy="12" r="9"/><path d="M8.5 14.5a4.5 4.5 0 0 0 7 0M9 9.5v.1M15 9.5v.1"/></svg></slot></button>
    <slot name="badges"><fanfare-badges part="badges" exportparts="badge, own, sending, failed, overflow, count, glyph, menu"></fanfare-badges></slot>
</div>
<span id="value" class="quiet"></span>
<div id="bar" part="bar" popover="manual" role="dialog"><slot name="picker">
    <fanfare-picker part="picker" exportparts="row, reaction, own, glyph, more, search, result, actions">
        <slot name="actions" slot="actions"></slot>
    </fanfare-picker>
</slot></div>
<slot name="overview"><fanfare-overview exportparts="panel, tab, reactor, avatar"></fanfare-overview></slot>`

const css = `
:host { display: block; margin-block: 6px; padding-block-start: var(--fanfare-badge-space, 0px);
    transition: opacity .2s, padding .2s; }
:host([reacted]) { padding-block-start: max(var(--fanfare-badge-space, 0px), var(--fanfare-badge-size, 30px) * .8); }
:host([dimmed]) { opacity: .3; }
#box { display: grid; position: relative; transform-origin: calc(50% - var(--way) * 50%) 50%; inline-size: fit-content;
    max-inline-size: 80%; transition: transform .3s cubic-bezier(.3, 1.5, .6, 1); }
:host([side=end]) #box { margin-inline-start: auto; }
:host([open]) #box { transform: scale(1.04); }
#box > *, [part=badges], ::slotted([slot=badges]) { grid-area: 1 / 1 !important; /* also where a page has all: unset */ }
[part=message] { touch-action: manipulation; -webkit-touch-callout: none; min-inline-size: 0; overflow-wrap: anywhere;
    padding: .5em .875em; border-radius: 1.25em; background: var(--badge); color: var(--text); }
:host([side=end]) [part=message] { background: var(--accent); color: #fff; }
@media (pointer: coarse) { [part=message] { user-select: none; -webkit-user-select: none; } }
[part=badges], ::slotted([slot=badges]) { place-self: start var(--corner);
    translate: calc(var(--way) * var(--fanfare-badge-size, 30px) * .55) calc(var(--fanfare-badge-size, 30px) * -.8); }
:host { --way: 1; --corner: end; --flow: row-reverse; --before: 6px; --after: 12px; --push: 0; }
:host([side=end]) { --way: -1; --corner: start; --flow: row; --before: 12px; --after: 6px; --push: auto; }
:host(:dir(rtl)) { --way: -1; }
:host([side=end]:dir(rtl)) { --way: 1; }
#trigger { position: absolute; inset-block: 0; inset-inline-start: 100%; margin: auto 18px; inline-size: 32px;
    block-size: 32px; border-radius: 50%; color: var(--muted); opacity: 0; pointer-events: none;
    transition: opacity .15s; }
:host([side=end]) #trigger { inset-inline: auto 100%; }
#trigger:focus-visible { opacity: 1; }
@media (any-hover: hover) { :host(:hover) #trigger, #trigger[aria-expanded=true] { opacity: 1; pointer-events: auto; } }
#bar { max-inline-size: calc(100vw - 16px);
    transition-property: opacity, transform, display, overlay; transform: scale(.7);
    pointer-events: none; }
#bar:popover-open { transform: none; }
::slotted([slot=picker]:not(fanfare-picker)) { pointer-events: auto; }
@starting-style { #bar:popover-open { transform: scale(.4); } }
@media (prefers-reduced-motion: reduce) { :host { transition: opacity .2s; } #box, :host([open]) #box { transform: none;
    transition: none; }
    #bar, #bar:popover-open { transform: none; transition-property: opacity, display, overlay; } }
`
