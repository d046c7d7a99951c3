// What the elements share: their channel and message, their look, their words, and a few things done to the DOM.

/** What people and screen readers are told; replace what should be in another language. */
export const words = {
    reactions: "Reactions",
    trigger: "React",
    react: (name) => `React with ${name}`,
    remove: (name) => `Remove ${name}`,
    reacted: (names) => `Reacted with ${names}`,
    failed: (name) => `${name} was not sent`,
    sending: (name) => `${name} is being sent`,
    retry: "Try again",
    discard: "Discard",
    more: (count) => `${count} more`,
    search: "Search emoji",
    found: (count) => `${count} emoji`,
    who: "Who reacted",
    all: "All",
    nobody: "Nobody is named here",
    close: "Close",
}

const custom = new Map()

/** Makes reactions that are no emoji known: `{ reaction, name, small, large }`, the last two addresses of images. */
export function defineReactions(list) {
    for (const one of list) custom.set(one.reaction, one)
}

export const customReactions = () => [...custom.values()]
export const nameOf = (reaction) => custom.get(reaction)?.name ?? reaction.replaceAll("_", " ")

/** The picture of a reaction: an image of the size, or the emoji as text; of one that is neither, or not there, its name. */
export function glyph(reaction, size = "small") {
    const known = custom.get(reaction)
    const source = known?.[size] ?? known?.small ?? known?.large
    const title = nameOf(reaction)
    if (!source && !/^[!-~]+$/.test(reaction)) return make("span", { part: "glyph", "aria-hidden": "true", title }, reaction)
    const text = make("span", { part: "glyph name", "aria-hidden": "true", title, dir: "auto" }, title)
    if (!source) return text
    const picture = make("img", { part: "glyph", src: source, alt: "", title })
    picture.onerror = () => picture.replaceWith(text)
    return picture
}

export function make(tag, attributes = {}, ...children) {
    const element = document.createElement(tag)
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value)
    element.append(...children)
    return element
}

/** Makes the children of `parent` those of `items`, in order; what is there is kept, and so is the focus. */
export function reconcile(parent, items, key, create, update) {
    const old = new Map([...parent.children].map((child) => [child.key, child]))
    let place = parent.firstElementChild
    for (const item of items) {
        let child = old.get(key(item))
        if (child) old.delete(child.key)
        else child = Object.assign(create(item), { key: key(item) })
        update?.(child, item)
        if (child === place) place = place.nextElementSibling
        else parent.insertBefore(child, place)
    }
    for (const child of old.values()) {
        if (child.matches(":focus-within")) (child.nextElementSibling ?? child.previousElementSibling)?.focus()
        child.remove()
    }
}

const steps = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }

/** Moves the focus by an arrow key to what is nearest on that side of the screen; true where it moved. */
export function moveFocus(candidates, event) {
    const step = steps[event.key]
    if (!step) return false
    const from = event.composedPath()[0].getBoundingClientRect()
    const [x, y] = [from.x + from.width / 2, from.y + from.height / 2]
    let best = null
    let least = Infinity
    for (const element of candidates) {
        const box = element.getBoundingClientRect()
        const ahead = step[0] * (box.x + box.width / 2 - x) + step[1] * (box.y + box.height / 2 - y)
        const aside = step[0] ? Math.max(0, box.top - y, y - box.bottom) : Math.max(0, box.left - x, x - box.right)
        if (ahead > 4 && ahead + 3 * aside < least && (step[1] || aside < 20)) {
            best = element
            least = ahead + 3 * aside
        }
    }
    if (!best) return false
    event.preventDefault()
    best.focus()
    return true
}

const told = new Set()

/** Tells whoever writes the page, once. */
function warn(text) {
    if (!told.has(text)) console.warn(text)
    told.add(text)
}

const patience = 2_000 // ms; what an element needs may come a while after it
const holdFor = 400 // ms
const holdWithin = 10 // px; more is a scroll or a selection

/**
 * Calls `act` when an element is pressed and held, unless `isMeant` says of the press that it is for something else; and
 * `undo` where a busy machine tells too late that the press had ended before.
 */
export function onHold(element, isMeant, act, undo) {
    element.addEventListener("pointerdown", (down) => {
        if (down.button !== 0 || !down.isPrimary || !isMeant(down)) return
        let letClick
        const timer = setTimeout(() => {
            letClick = swallowClick()
            act()
        }, holdFor)
        const [listen, stop] = listening(() => clearTimeout(timer))
        for (const type of ["pointerdown", "pointercancel", "dragstart"]) listen(type, stop) // the first: a second finger
        listen("pointermove", (move) => {
            if (Math.hypot(move.clientX - down.clientX, move.clientY - down.clientY) > holdWithin) stop()
        })
        listen("pointerup", (up) => {
            stop()
            if (!letClick || up.timeStamp - down.timeStamp >= holdFor) return
            letClick()
            undo?.()
        })
    })
}

/** Keeps the click that ends a press from doing anything; gives a function that lets it. */
export function swallowClick() {
    const [listen, stop] = listening()
    listen("click", (event) => {
        event.preventDefault()
        event.stopImmediatePropagation()
        stop()
    })
    for (const type of ["pointerdown", "pointercancel", "keydown"]) listen(type, stop)
    return stop
}

/** A function that listens to all of the page, whatever an element keeps to itself, and one that ends it and calls `ended`. */
function listening(ended) {
    const end = new AbortController()
    end.signal.onabort = ended
    return [
        (type, listener) => addEventListener(type, listener, { signal: end.signal, capture: true }),
        () => end.abort(),
    ]
}

/** For pages that let nothing be HTML that is not vouched for; what is here is the kit's own, without any data. */
let trusted = { createHTML: (html) => html }
try {
    trusted = trustedTypes.createPolicy("fanfare", trusted)
} catch {
    // The browser knows none, or the page allows none of this name, and may have one for all.
}

/** What every element of the kit is: a shadow root, a channel and a message, and a picture of both that is kept up. */
export class FanfareElement extends HTMLElement {
    #channel
    #attached
    #isDue = false

    // No field: esbuild rewrites the private members of a class that has a static one, which takes room.
    static get observedAttributes() {
        return ["message", "limit"]
    }

    constructor(css, html) {
        super()
        const { sheet, template } = lookOf(css, html)
        const root = this.attachShadow({ mode: "open" })
        root.adoptedStyleSheets = [sheet]
        root.append(document.importNode(template.content, true))
        this.drawWords?.()
    }

    /** The bubble around this element, from which it has what it is not given itself. */
    get owner() {
        const { host } = this.getRootNode()
        return host instanceof FanfareElement ? host : this.parentElement?.closest("fanfare-bubble")
    }

    get channel() {
        return this.#channel ?? this.owner?.channel
    }

    set channel(channel) {
        if (channel && !channel.view) throw new TypeError(this.#need)
        this.#channel = channel
        this.attach()
    }

    get #need() {
        return `${this.localName}: \`channel\` must be a channel of a client`
    }

    get message() {
        return this.getAttribute("message") ?? this.owner?.message ?? ""
    }

    set message(message) {
        this.setAttribute("message", message)
    }

    get view() {
        return this.channel?.view(this.message) ?? { reactions: [], own: [] }
    }

    /** Whether its message is to be watched while it is in view; bursts come without. */
    get watches() {
        return this.channel.policy !== "ephemeral" || this.hasAttribute("message")
    }

    /** Whether the person may change what there is. */
    get mayReact() {
        const { channel } = this
        return channel && !channel.error && !channel.frozen && !this.view.deleted && (this.setting("canReact")?.(this.message) ?? true)
    }

    /** A setting of this element, or of the bubble around it. */
    setting(name) {
        return this[name] ?? this.owner?.[name]
    }

    $(selector) {
        return this.shadowRoot.querySelector(selector)
    }

    connectedCallback() {
        // What was set before the element was defined hides the accessors.
        for (const name of Object.keys(this)) {
            const value = this[name]
            if (!(name in Object.getPrototypeOf(this))) continue
            delete this[name]
            this[name] = value
        }
        this.attach()
        setTimeout(() => {
            if (!this.isConnected || this.owner || this.channel) return
            warn(this.#channel ? `${this.localName}: \`message\` is missing` : this.#need)
        }, patience)
    }

    disconnectedCallback() {
        this.#attached?.abort()
    }

    attributeChangedCallback(name) {
        if (name === "limit") this.update()
        else if (this.isConnected) this.attach()
    }

    /** Follows the channel that it has now; where it has lost the one that it had, it shows nothing. */
    attach() {
        const { channel, message, owner } = this
        if (!this.isConnected || !(channel || this.#attached)) return
        this.#attached?.abort()
        const { signal } = (this.#attached = new AbortController())
        // A bubble watches and listens for what is inside it and about the same.
        if (owner?.channel !== channel || owner?.message !== message) this.#listen(channel, message, signal)
        this.follow?.(channel, message, signal)
        this.update()
    }

    #listen(channel, message, signal) {
        // To its own message alone: a page of thousands is not to be gone through for each change.
        for (const type of [`change ${message}`, "frozen", "error"]) channel?.addEventListener(type, () => this.update(), { signal })
        const watch = () => {
            if (this.watches) signal.addEventListener("abort", channel.observe(this, message))
            this.update()
        }
        // No promise: it would keep the elements that go before the channel is there.
        if (channel?.policy) watch()
        else channel?.addEventListener("ready", watch, { signal, once: true })
    }

    /** Draws the element anew, once however often it is asked. */
    update() {
        if (this.#isDue) return
        this.#isDue = true
        queueMicrotask(() => {
            this.#isDue = false
            if (!this.isConnected) return
            this.drawWords?.() // an element of the page is made before the page can replace words
            this.render()
        })
    }

    /** Adds a reaction, or takes it away where it is the person's own; one that failed is tried again. */
    choose(reaction) {
        const { channel, message, view } = this
        const group = view.reactions.find((one) => one.reaction === reaction)
        const removed = ["unique", "distinct"].includes(channel.policy) && view.own.includes(reaction)
        if (!this.tell("react", { reaction, removed })) return
        if (group?.status === "failed") channel.retry(message, reaction)
        else channel.toggle(message, reaction) // the badge shows what became of it
    }

    /** Dispatches `fanfare-NAME` about its message; false where somebody prevented what follows from it. */
    tell(name, more) {
        const detail = { message: this.message, ...more }
        return this.dispatchEvent(
            new CustomEvent(`fanfare-${name}`, { detail, bubbles: true, composed: true, cancelable: true }))
    }
}

/** Defines an element, unless another copy of the kit, of another broker say, has done so. */
export function define(name, element) {
    if (!customElements.get(name)) customElements.define(name, element)
}

const looks = new Map() // css -> { sheet, template }, read once for all elements of a kind: there are many

function lookOf(css, html) {
    if (!looks.has(css)) {
        const sheet = new CSSStyleSheet()
        sheet.replaceSync(common + css)
        const template = make("template")
        template.innerHTML = trusted.createHTML(html)
        looks.set(css, { sheet, template })
    }
    return looks.get(css)
}

const common = `
:host {
    --accent: var(--fanfare-accent, light-dark(#0070f0, #0a70e8));
    --surface: var(--fanfare-surface, light-dark(#fff, #2c2c2e));
    --text: var(--fanfare-text, light-dark(#1c1c1e, #f5f5f7));
    --muted: var(--fanfare-muted, light-dark(#6b6b70, #a5a5ac));
    --badge: var(--fanfare-badge, light-dark(#e9e9eb, #3a3a3c));
    --danger: var(--fanfare-danger, light-dark(#d70015, #ff6961));
    --line: light-dark(#0000001a, #ffffff26);
    --shadow: 0 8px 28px light-dark(#0000002e, #0009), 0 0 0 .5px var(--line);
    font-family: var(--fanfare-font, system-ui, sans-serif);
    -webkit-tap-highlight-color: transparent;
}
* { box-sizing: border-box; }
[hidden] { display: none !important; }
button { all: unset; box-sizing: border-box; cursor: pointer; display: grid; place-items: center; touch-action: manipulation;
    user-select: none; -webkit-user-select: none; }
button:focus-visible, input:focus-visible { outline: 3px solid var(--accent); outline-offset: 1px; }
[part=glyph] { font-family: "Apple Color Emoji", "Segoe UI Emoji", "Noto Color Emoji", system-ui, sans-serif; }
[part~=glyph] { line-height: 1; display: inline-block; max-inline-size: 5em; overflow-x: clip; text-overflow: ellipsis; white-space: nowrap; }
img[part~=glyph] { block-size: 1em; inline-size: 1em; object-fit: contain; }
.quiet { position: absolute; inline-size: 1px; block-size: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
[popover] { position: fixed; inset: auto; margin: 0; padding: 0; border: 0; background: none; color: var(--text);
    overflow: visible;
    opacity: 0; transition: .15s allow-discrete; transition-property: opacity, display, overlay; }
[popover]:popover-open { opacity: 1; }
@starting-style { [popover]:popover-open { opacity: 0; } }
@keyframes pop { from { transform: scale(0); opacity: 0; } }
@keyframes fade { from { opacity: 0; } }
@media (forced-colors: active) { button, [part~=panel] { border: 1px solid; } }
`
