// <fanfare-overview>: who reacted, by reaction, fetched page by page as one scrolls. A bubble loads this when it shows
// it first; a page that has an overview without a bubble imports it.
import { define, FanfareElement, glyph, make, moveFocus, nameOf, reconcile, words } from "./components.js"

export class FanfareOverview extends FanfareElement {
    #chosen = null // the reaction of the chosen tab; null: all
    #after = null
    #turn = 0 // goes up when the list begins anew, so that an older page is not taken for its

    static get observedAttributes() {
        return ["message", "open"]
    }

    constructor() {
        super(css, html)
        this.$("#close").addEventListener("click", () => (this.open = false))
        const dialog = this.$("dialog")
        dialog.addEventListener("close", () => (this.open = false))
        dialog.addEventListener("click", (event) => event.target === dialog && (this.open = false))
        this.$("#tabs").addEventListener("keydown", (event) => {
            if (moveFocus(this.$("#tabs").children, event)) this.shadowRoot.activeElement.click()
        })
        this.end = new IntersectionObserver(([entry]) => entry.isIntersecting && this.#load(), {
            root: this.$("#people"),
            rootMargin: "200px",
        })
    }

    drawWords() {
        this.$("#title").textContent = words.who
        this.$("#close").ariaLabel = words.close
    }

    attributeChangedCallback(name) {
        if (name !== "open") super.attributeChangedCallback(name)
        else if (this.open) this.#show()
        else this.$("dialog").close()
    }

    disconnectedCallback() {
        super.disconnectedCallback()
        this.open = false
    }

    follow(channel) {
        if (channel) this.#show()
        else this.open = false
    }

    /** Shows who reacted to the message that it has now, if it is open. */
    #show() {
        const dialog = this.$("dialog")
        if (!this.isConnected || !this.channel || !this.open) return
        if (!dialog.open) dialog.showModal()
        this.#choose(null)
    }

    get open() {
        return this.hasAttribute("open")
    }

    set open(open) {
        this.toggleAttribute("open", open)
    }

    render() {
        if (!this.open) return
        const { reactions, total } = this.view
        const tabs = [{ reaction: null, count: total }, ...reactions]
        if (!tabs.some((tab) => tab.reaction === this.#chosen)) this.#choose(null)
        reconcile(this.$("#tabs"), tabs, (tab) => tab.reaction, ({ reaction }) => this.#tab(reaction), (tab, { count }) => {
            tab.lastElementChild.textContent = count
            tab.ariaLabel = `${tab.key === null ? words.all : nameOf(tab.key)} ${count}`
            tab.ariaSelected = tab.key === this.#chosen
            tab.tabIndex = tab.key === this.#chosen ? 0 : -1
        })
    }

    #tab(reaction) {
        const picture = reaction === null ? make("span") : glyph(reaction)
        if (reaction === null) picture.textContent = words.all
        const tab = make("button", { role: "tab", part: "tab", "aria-controls": "people" }, picture, make("span"))
        tab.addEventListener("click", () => this.#choose(reaction))
        return tab
    }

    /** Begins the list anew, for a reaction or for all. */
    #choose(reaction) {
        this.#chosen = reaction
        this.#after = null
        this.#turn += 1
        this.$("#list").replaceChildren()
        this.$("#people").scrollTop = 0
        this.$("#note").textContent = ""
        this.render()
        this.#load()
    }

    async #load() {
        const turn = this.#turn
        this.end.disconnect()
        try {
            const query = { reaction: this.#chosen ?? undefined, after: this.#after ?? undefined, limit: 50 }
            const { reactors, after } = await this.channel.reactors(this.message, query)
            if (turn !== this.#turn) return
            this.$("#list").append(...reactors.map((one) => this.#person(one)))
            this.#after = after
            if (after !== null) this.end.observe(this.$("#end"))
        } catch (error) {
            if (turn !== this.#turn) return
            if (this.#after && error.code === "unknown_cursor") return this.#choose(this.#chosen) // it was open for long
            this.$("#note").textContent = error.code === "forbidden" ? words.nobody : error.message
        }
    }

    #person({ user, reaction, count }) {
        const name = this.setting("displayName")?.(user) ?? user
        const source = this.setting("avatar")?.(user)
        const avatar = source ? make("img", { src: source, alt: "", loading: "lazy" }) : make("span", { "aria-hidden": "true" })
        avatar.part = "avatar"
        if (!source) {
            avatar.textContent = [...name, ""][0].toUpperCase()
            avatar.style.setProperty("--hue", 137 * [...user].reduce((sum, letter) => (sum * 31 + letter.codePointAt(0)) % 360, 7))
        }
        const given = make("span", { part: "given" }, glyph(reaction, "large"), make("span", { class: "quiet" }, nameOf(reaction)))
        if (count > 1) given.append(` ${count}`)
        const inner = make("slot", { name: `reactor-${user}` }, avatar, make("span", { part: "name" }, name), given)
        const row = make("li", { part: "reactor" }, inner)
        if (user === this.channel.user && this.mayReact) row.append(this.#remover(row, reaction))
        return row
    }

    #remover(row, reaction) {
        const button = make("button", { part: "remove", "aria-label": words.remove(nameOf(reaction)) }, "✕")
        button.addEventListener("click", () => {
            if (this.view.own.includes(reaction)) this.choose(reaction)
            row.remove()
            this.$("#close").focus()
        })
        return button
    }
}

const html = `
<dialog part="panel" aria-labelledby="title">
    <header><h2 id="title"></h2><button id="close" part="close"><slot name="close">✕</slot></button></header>
    <div id="tabs" part="tabs" role="tablist"></div>
    <div id="people" part="people" role="tabpanel" tabindex="0" aria-labelledby="title">
        <ul id="list" role="list"></ul><p id="note" role="status"></p><div id="end"></div>
    </div>
</dialog>`

const css = `
:host { display: contents; }
dialog { display: flex; flex-direction: column; box-sizing: border-box; border: 0; padding: 0;
    inline-size: min(400px, 100vw - 24px); block-size: min(520px, 100dvh - 24px); border-radius: 18px;
    background: var(--surface); color: var(--text);
    overflow: hidden; box-shadow: var(--shadow); font-size: 16px; opacity: 0; transform: translateY(24px);
    transition: opacity .2s, transform .25s, display .25s allow-discrete, overlay .25s allow-discrete; }
dialog:not([open]) { display: none; }
dialog[open] { opacity: 1; transform: none; }
@starting-style { dialog[open] { opacity: 0; transform: translateY(24px); } }
dialog::backdrop { background: #0006; }
header { display: flex; align-items: center; justify-content: space-between; padding: 8px 8px 0; padding-inline-start: 18px; }
h2 { font-size: 17px; margin: 0; }
#close { inline-size: 44px; block-size: 44px; border-radius: 50%; color: var(--muted); }
#tabs { display: flex; flex: none; overflow-x: auto; gap: 4px; padding: 6px 14px 10px; scrollbar-width: none; }
[part=tab] { grid-auto-flow: column; gap: 6px; padding-inline: 12px; min-block-size: 36px; border-radius: 18px; flex: none;
    font-size: 15px; font-variant-numeric: tabular-nums; color: var(--muted); }
[part=tab][aria-selected=true] { background: var(--badge); color: var(--text); font-weight: 600; }
#people { flex: 1; position: relative; overflow-y: auto; overscroll-behavior: contain; border-block-start: .5px solid var(--line);
    outline-offset: -3px; }
ul { list-style: none; margin: 0; padding: 0; }
li, slot { display: flex; align-items: center; gap: 12px; }
li { padding: 8px 18px; }
slot { flex: 1; min-inline-size: 0; }
header slot { display: contents; }
[part=avatar] { flex: none; inline-size: 38px; block-size: 38px; border-radius: 50%; object-fit: cover; display: grid;
    place-items: center; color: #fff; font-weight: 600; background: hsl(var(--hue) 45% 45%); }
[part=name] { flex: 1; overflow: hidden; text-overflow: ellipsis; }
[part=given] { font-size: 22px; }
[part=remove] { color: var(--muted); inline-size: 36px; block-size: 36px; border-radius: 50%; }
#note { margin: 0; padding: 16px 18px; color: var(--muted); }
#note:empty { display: none; }
@media (max-width: 480px) { dialog { margin-block: auto 0; inline-size: 100vw; max-inline-size: none;
    border-end-start-radius: 0; border-end-end-radius: 0; } }
@media (prefers-reduced-motion: reduce) { dialog, dialog[open] { transform: none;
    transition-property: opacity, display, overlay; } @starting-style { dialog[open] { transform: none; } } }
`

define("fanfare-overview", FanfareOverview)
