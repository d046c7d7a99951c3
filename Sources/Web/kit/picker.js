// <fanfare-picker>: the reactions that may be given, the search for others, and what else can be done with a message.
import { FanfareElement, customReactions, glyph, make, moveFocus, nameOf, reconcile, words } from "./element.js"

/** What is offered where the channel allows any reaction. */
export const defaultReactions = ["❤️", "👍", "👎", "😂", "‼️", "❓"]

/** How long the reaction at an index waits before it pops in, in seconds. */
export const popInDelay = (index) => Math.min(Math.max(index, 0) * 0.03, 0.18)

/** A reaction without variation selectors. */
const bare = (reaction) => reaction.replace(/[\ufe0e\ufe0f]/g, "")

const page = 120 // how many more found ones are drawn at a time

export class FanfarePicker extends FanfareElement {
    #found = []
    #drawn = 0
    #search = null // the module, once the search was opened

    constructor() {
        super(css, html)
        this.$("#more").addEventListener("click", () => this.openSearch())
        this.$("#field").addEventListener("input", () => this.#find())
        this.$("#field").addEventListener("keydown", (event) => {
            if (event.isComposing) return // the key is for the input method
            if (event.key === "Enter") {
                event.preventDefault() // the key is not for what has the focus once this is closed
                if (this.#found.length > 0) this.choose(this.#found[0].reaction)
            } else if (event.key === "ArrowDown") this.$("#found button")?.focus()
        })
        this.shadowRoot.addEventListener("keydown", (event) => this.#move(event))
        this.$("#found").addEventListener("scroll", () => this.#drawMore(), { passive: true })
        this.$("[name=actions]").addEventListener("slotchange", () => this.#drawActions())
        // Actions are slotted from the bubble's own slot; keys from there come by the host.
        this.addEventListener("keydown", (event) => event.target !== this && this.#move(event))
    }

    drawWords() {
        this.$("#row").ariaLabel = words.reactions
        this.$("#more").ariaLabel = words.search
        this.$("#field").ariaLabel = words.search
        this.$("#field").placeholder = words.search
    }

    /** The reactions offered, in order: the allowed ones, or the settings' or default ones among them; then one's own. */
    get offered() {
        const { allowed } = this.channel
        const setting = this.setting("reactions")
        const wanted = typeof setting === "function" ? setting(this.message) : setting
        const { own } = this.view
        // An app may write a reaction in another form than the broker: `❤` for `❤️`.
        const known = new Map([...(allowed ?? []), ...own].map((one) => [bare(one), one]))
        const list = (wanted ?? allowed ?? defaultReactions)
            .map((one) => known.get(bare(one)) ?? one)
            .filter((one) => allowed?.includes(one) ?? true)
        return [...new Set([...(this.setting("order")?.([...list], this.message) ?? list), ...own])]
    }

    get #actions() {
        return this.$("[name=actions]").assignedElements({ flatten: true })
    }

    /** Makes it as it is when it opens; false where it has nothing to offer. */
    prepare() {
        this.$("#search").hidden = true
        this.$("#field").value = ""
        this.#draw()
        return this.mayReact || this.#actions.length > 0
    }

    /** The heights of its two panels in CSS pixels; 0 where one is not shown. */
    get heights() {
        return { row: this.$("#panel").offsetHeight, actions: this.$("#actions").offsetHeight }
    }

    focus() {
        const first = this.$("#row [part~=own]") ?? this.$("#row button")
        ;(this.$("#panel").hidden ? this.#actions[0] : first)?.focus({ preventScroll: true })
    }

    /** In a bubble it is drawn only while it is open: there are many bubbles. */
    render() {
        if (this.channel && (this.owner?.open ?? true)) this.#draw()
    }

    #draw() {
        const { own } = this.view
        const draw = (button, reaction) => this.#label(button, own.includes(reaction))
        this.$("#panel").hidden = !this.mayReact
        reconcile(this.$("#offered"), this.offered, (one) => one, (one) => this.#create(one, "large", "reaction"), draw)
        ;[...this.$("#offered").children, this.$("#more")].forEach((child, index) => {
            child.style.animationDelay = `${popInDelay(index)}s`
        })
        for (const button of this.$("#found").children) draw(button, button.key)
        const allowed = this.channel.allowed
        this.$("#more").hidden = this.setting("allowEmojiSearch")?.(this.message) === false || (allowed !== null && allowed.length <= 8)
        this.#drawActions()
    }

    #drawActions() {
        this.$("#actions").hidden = this.#actions.length === 0 || !this.$("#search").hidden
    }

    #create(reaction, size, kind, title = nameOf(reaction)) {
        const button = Object.assign(make("button", { title }, glyph(reaction, size)), { key: reaction, kind })
        button.addEventListener("click", () => this.choose(reaction))
        return button
    }

    #label(button, own) {
        const name = nameOf(button.key)
        button.part = own ? `${button.kind} own` : button.kind
        button.ariaLabel = own ? words.remove(name) : words.react(name)
        button.ariaPressed = own
        button.ariaDescription = own ? words.reacted(name) : ""
    }

    /** Opens the search by name; the names are loaded when this is done for the first time. */
    async openSearch() {
        this.$("#search").hidden = false
        this.#drawActions()
        this.$("#field").focus()
        this.#search ??= await import("./emoji-search.js")
        this.#find()
    }

    #find() {
        if (!this.#search) return
        const { allowed } = this.channel
        this.#found = this.#search.findEmoji(this.$("#field").value, customReactions())
            .filter(({ reaction }) => allowed?.includes(reaction) ?? true)
        this.#drawn = 0
        this.$("#found").replaceChildren()
        this.$("#found").scrollTop = 0
        this.$("#told").textContent = words.found(this.#found.length)
        this.#drawMore()
    }

    /** Draws more of what was found as it is scrolled to. */
    #drawMore() {
        const list = this.$("#found")
        const { own } = this.view
        while (this.#drawn < this.#found.length && list.scrollTop + 2 * list.clientHeight >= list.scrollHeight - 1) {
            const next = this.#found.slice(this.#drawn, (this.#drawn += page))
            list.append(...next.map(({ reaction, name }) => {
                const button = this.#create(reaction, "small", "result", name)
                this.#label(button, own.includes(reaction))
                return button
            }))
        }
    }

    #move(event) {
        if (event.composedPath()[0] === this.$("#field")) return
        const inside = [...this.shadowRoot.querySelectorAll("button, input")].filter((one) => one.checkVisibility())
        moveFocus([...inside, ...this.#actions], event)
    }
}

const html = `
<div id="panel" part="panel">
    <div id="row" part="row" role="toolbar"><span id="offered"></span><button id="more" part="more"><slot name="more">
        <svg viewBox="0 0 24 24" width="24" fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round" aria-hidden="true">
            <circle cx="11" cy="11" r="6"/><path d="m16 16 4 4"/></svg></slot></button></div>
    <div id="search" part="search" hidden>
        <input id="field" part="field" type="search" autocomplete="off" enterkeyhint="done">
        <span id="told" role="status" class="quiet"></span>
        <div id="found" part="results" role="group"></div>
    </div>
</div>
<div id="actions" part="actions" hidden><slot name="actions"></slot></div>`

const css = `
:host { display: block; inline-size: max-content; max-inline-size: 100%;
    --size: var(--fanfare-reaction-size, min(44px, calc((100vw - 44px) / 7))); }
#panel { pointer-events: auto; background: var(--surface); color: var(--text); border-radius: calc(var(--size) / 2 + 6px);
    box-shadow: var(--shadow); max-inline-size: 100%; inline-size: fit-content; margin-inline-start: var(--push, 0); }
#row { display: flex; padding: 6px; }
#offered { display: flex; gap: 2px; overflow-x: auto; scrollbar-width: none; overscroll-behavior: contain; padding: 6px; margin: -6px; }
#row button { flex: none; min-inline-size: var(--size); block-size: var(--size); border-radius: 50%;
    font-size: calc(var(--size) * .62); animation: pop .4s cubic-bezier(.3, 1.6, .6, 1) backwards; }
#row button > * { transition: transform .15s; }
#row button:hover > * { transform: scale(1.18); }
#row button:active > * { transform: scale(.9); }
#panel [part~=own] { background: var(--accent); }
#more { color: var(--muted); margin-inline-start: 2px; }
#search { inline-size: min(calc(var(--size) * 7.5), 100%); padding: 0 10px 10px; }
#field { all: unset; box-sizing: border-box; inline-size: 100%; block-size: 38px; padding-inline: 12px; border-radius: 11px;
    background: var(--badge); font-size: 16px; }
#field::placeholder { color: var(--muted); opacity: 1; }
#found { display: grid; grid-template-columns: repeat(auto-fill, minmax(var(--size), 1fr)); max-block-size: min(230px, 40vh);
    overflow-y: auto; margin-block-start: 8px; overscroll-behavior: contain; }
#found button { overflow: clip; block-size: var(--size); border-radius: 10px; font-size: calc(var(--size) * .6); }
#found button:has([part~=name]) { grid-column: span 3; font-size: 15px; }
#found [part~=name] { max-inline-size: 100%; }
#found button:hover { background: var(--badge); }
#actions { pointer-events: auto; margin-block-start: max(8px, var(--hole, 8px)); margin-inline-start: var(--push, 0);
    inline-size: fit-content; min-inline-size: 190px; max-inline-size: 100%; max-block-size: min(260px, var(--room, 45vh));
    overflow-y: auto;
    overscroll-behavior: contain; background: var(--surface); color: var(--text); border-radius: 14px;
    box-shadow: var(--shadow); }
::slotted(button), ::slotted(a) { all: unset; box-sizing: border-box; display: block; inline-size: 100%; min-block-size: 44px;
    padding: 11px 16px; cursor: pointer; font: 16px/1.4 var(--fanfare-font, system-ui, sans-serif); }
::slotted(:not(:first-child)) { border-block-start: .5px solid var(--line); }
::slotted(:hover) { background: var(--badge); }
::slotted(:focus-visible) { outline: 3px solid var(--accent); outline-offset: -3px; border-radius: 14px; }
@media (prefers-reduced-motion: reduce) { #row button { animation-name: fade; animation-timing-function: ease; }
    #row button > *, #row button:is(:hover, :active) > * { transform: none; transition: none; } }
`
