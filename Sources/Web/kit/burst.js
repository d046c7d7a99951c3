// <fanfare-burst>: emoji that float up over what it holds, as an ephemeral channel tells of them.
import { FanfareElement, glyph, make } from "./element.js"

const rise = 2600 // ms
const atOnce = 12 // of one burst at most: more look the same

/** How many of each reaction are shown where there is room for so many: in proportion, each at least once if it fits. */
export function shares(reactions, room) {
    const entries = Object.entries(reactions).filter(([, count]) => count > 0).sort((a, b) => b[1] - a[1]).slice(0, room)
    const sum = entries.reduce((all, [, count]) => all + count, 0)
    const scale = Math.min(1, room / sum)
    let left = Math.min(room, sum) - entries.length
    return entries.map(([reaction, count]) => {
        const extra = Math.min(left, Math.max(0, Math.round(count * scale) - 1))
        left -= extra
        return [reaction, 1 + extra]
    })
}

export class FanfareBurst extends FanfareElement {
    #free = []

    constructor() {
        super(css, html)
    }

    /** How many may float at the same time. */
    get max() {
        return Number(this.getAttribute("max") ?? 30)
    }

    follow(channel, message, signal) {
        channel?.addEventListener("burst", ({ detail }) => {
            if (detail.message === message || !this.hasAttribute("message")) this.play(detail.reactions, detail.window_ms)
        }, { signal })
    }

    render() {}

    /** Lets reactions float up, spread over so many milliseconds: `{ "🎉": 3 }`. What is past `max` is not shown. */
    play(reactions, window = 100) {
        const layer = this.$("#layer")
        const room = Math.min(this.max - layer.childElementCount, atOnce)
        if (room <= 0 || document.hidden) return
        const all = shares(reactions, room).flatMap(([reaction, count]) => Array(count).fill(reaction))
        all.sort(() => Math.random() - 0.5)
        all.forEach((reaction, index) => this.#float(layer, reaction, (index * window) / all.length))
    }

    #float(layer, reaction, delay) {
        const particle = this.#free.pop() ?? make("span", { part: "particle" })
        particle.replaceChildren(glyph(reaction, "large"))
        particle.style.left = `${8 + Math.random() * 84}%`
        layer.append(particle)
        const sway = (Math.random() - 0.5) * 60
        const height = layer.clientHeight * (0.6 + Math.random() * 0.35)
        const at = (x, y, scale) => `translate(calc(-50% + ${x}px), ${-y}px) scale(${scale})`
        const frames = { opacity: [0, 1, 0] }
        if (!matchMedia("(prefers-reduced-motion: reduce)").matches) {
            frames.transform = [at(0, 0, 0.3), at(-sway, height * 0.4, 1.1), at(sway, height, 0.9)]
        }
        const duration = rise * (0.8 + Math.random() * 0.4)
        particle.animate(frames, { delay, duration, easing: "ease-out", fill: "backwards" }).onfinish = () => {
            particle.remove()
            this.#free.push(particle)
        }
    }
}

const html = `<slot></slot><div id="layer" part="layer" aria-hidden="true"></div>`

const css = `
:host { display: block; position: relative; }
#layer { position: absolute; inset: 0; overflow: hidden; pointer-events: none; contain: strict; }
[part=particle] { position: absolute; inset-block-end: 4px; font-size: var(--fanfare-burst-size, 34px);
    will-change: transform, opacity; }
`
