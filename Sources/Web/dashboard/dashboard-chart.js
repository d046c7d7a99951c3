// Lines of the last minutes.

const SVG = "http://www.w3.org/2000/svg"

/** How many answers a line shows: four minutes of one every two seconds. */
const MOST = 120

function element(name, className, ...children) {
    const made = document.createElement(name)
    if (className) made.className = className
    made.append(...children)
    return made
}

/** A figure of one or two lines that share an axis which begins at 0. */
export class Chart {
    #lines
    #write
    #title
    #times = []
    #svg = document.createElementNS(SVG, "svg")
    #most = element("span", "most")
    #at = element("span", "at")
    #shown = null

    /** `names` are those of the lines, one or two; `write` writes a value. */
    constructor(title, names, write) {
        this.#title = title
        this.#write = write
        this.#lines = names.map((name, at) => {
            const path = document.createElementNS(SVG, "path")
            path.setAttribute("class", at ? "second" : "first")
            return { name, values: [], path, key: element("span", at ? "key second" : "key") }
        })
        const area = document.createElementNS(SVG, "path")
        area.setAttribute("class", "area")
        if (names.length === 1) this.#lines[0].area = area
        this.#svg.setAttribute("viewBox", `0 0 ${MOST - 1} 100`)
        this.#svg.setAttribute("preserveAspectRatio", "none")
        this.#svg.setAttribute("role", "img")
        this.#svg.append(...(names.length === 1 ? [area] : []), ...this.#lines.map(line => line.path))
        this.#at.hidden = true
        const plot = element("div", "plot", this.#svg, this.#most, this.#at)
        plot.addEventListener("pointermove", event => this.#look(event, plot))
        plot.addEventListener("pointerleave", () => this.#look(null, plot))
        this.element = element("figure", "card",
            element("figcaption", "", element("b", "", title), ...this.#lines.map(line => line.key)),
            plot, element("div", "span", element("span", "", "4 min ago"), element("span", "", "now")))
    }

    /** Adds a value for each line, `null` where there is none. */
    add(time, ...values) {
        this.#times = [...this.#times, time].slice(-MOST)
        this.#lines.forEach((line, at) => (line.values = [...line.values, values[at]].slice(-MOST)))
        this.#draw()
    }

    #draw() {
        const most = nice(Math.max(0, ...this.#lines.flatMap(line => line.values)))
        const from = MOST - this.#times.length
        for (const line of this.#lines) {
            let path = "", drawing = false, begin = 0
            let area = ""
            for (const [at, value] of line.values.entries()) {
                if (value === null) {
                    if (drawing) area += `L${from + at - 1} 100L${begin} 100Z`
                    drawing = false
                    continue
                }
                const point = `${from + at} ${(100 - value / most * 100).toFixed(2)}`
                // A lone value would be no line.
                path += drawing ? `L${point}` : `M${point}h0.01`
                area += drawing ? `L${point}` : `M${point}`
                if (!drawing) begin = from + at
                drawing = true
            }
            if (drawing) area += `L${MOST - 1} 100L${begin} 100Z`
            line.path.setAttribute("d", path)
            line.area?.setAttribute("d", area)
        }
        this.#most.textContent = this.#write(most)
        const age = Math.round((this.#times.at(-1) - this.#times[0]) / 1000)
        this.#svg.setAttribute("aria-label", `${this.#title}, the last ${age} seconds: ` + this.#lines.map(line => {
            const there = line.values.filter(value => value !== null)
            return `${line.name} ${this.#write(line.values.at(-1))}` + (there.length ? `, at most ${this.#write(Math.max(...there))}` : "")
        }).join("; "))
        this.#tell()
    }

    /** Shows the values at the pointer, or the newest. */
    #look(event, plot) {
        const from = MOST - this.#times.length
        if (!event) this.#shown = null
        else {
            const box = plot.getBoundingClientRect()
            const at = Math.round((event.clientX - box.left) / box.width * (MOST - 1)) - from
            this.#shown = at >= 0 && at < this.#times.length ? this.#times[at] : null
        }
        this.#tell()
    }

    #tell() {
        const found = this.#times.indexOf(this.#shown)
        const at = found < 0 ? this.#times.length - 1 : found
        this.#at.hidden = found < 0
        this.#at.style.left = `${(MOST - this.#times.length + at) / (MOST - 1) * 100}%`
        for (const line of this.#lines) {
            line.key.textContent = (this.#lines.length > 1 ? line.name + " " : "") + this.#write(line.values[at])
        }
    }
}

/** The least of 1, 2 and 5 times a power of ten that is not below a value. */
function nice(value) {
    if (!(value > 0)) return 1
    const power = 10 ** Math.floor(Math.log10(value))
    return [1, 2, 5, 10].map(step => step * power).find(step => step >= value)
}
