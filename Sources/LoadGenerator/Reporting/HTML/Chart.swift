private import Glibc

/// A plot as SVG: axes with round numbers, and lines or bars.
struct Chart {
    /// How the values of an axis are spread.
    enum Scale {
        case linear
        case logarithmic

        fileprivate func place(_ value: Double) -> Double {
            self == .linear ? value : log10(max(value, 1e-9))
        }
    }

    /// One line through points.
    struct Line {
        let name: String
        /// The class of its colour, `a` to `d`.
        let style: String
        let points: [(x: Double, y: Double)]
    }

    private static let width = 440.0
    private static let height = 260.0
    private static let left = 62.0
    private static let right = 12.0
    private static let top = 12.0
    private static let bottom = 40.0

    let title: String
    let xName: String
    let yName: String
    var yScale = Scale.linear
    var xScale = Scale.linear
    var lines: [Line] = []
    /// Bars from the axis up, each from one x to another.
    var bars: [(from: Double, to: Double, y: Double)] = []
    /// Marks of the x axis in place of round numbers.
    var xMarks: [(x: Double, name: String)]?

    /// The plot with its title and legend; a sentence where there is nothing to draw.
    var html: String {
        let xs = lines.flatMap { $0.points.map(\.x) } + bars.flatMap { [$0.from, $0.to] }
        let ys = lines.flatMap { $0.points.map(\.y) } + bars.map(\.y)
        guard let xMin = xs.min(), let xMax = xs.max(), let yMax = ys.max(), let yLow = ys.min(), xMax > xMin else {
            return "<section><h2>\(Report.escaped(title))</h2><p>Too little was measured to draw this.</p></section>\n"
        }
        let yMin = yScale == .linear ? 0 : yLow
        let x = Axis(xScale, from: xMin, to: xMax, pixels: (Chart.left, Chart.width - Chart.right))
        let y = Axis(yScale, from: yMin, to: max(yMax, yMin + 1e-6), pixels: (Chart.height - Chart.bottom, Chart.top))
        return """
            <section><h2>\(Report.escaped(title))</h2>
            <svg viewBox="0 0 \(Int(Chart.width)) \(Int(Chart.height))" role="img" \
            aria-label="\(Report.escaped(title)): \(Report.escaped(yName)) over \(Report.escaped(xName))">
            \(grid(x, y))\(drawing(x, y))</svg>
            \(legend)</section>

            """
    }

    private func grid(_ x: Axis, _ y: Axis) -> String {
        let bottom = Chart.height - Chart.bottom
        var svg = ""
        for mark in y.marks {
            let at = Chart.number(y.pixel(mark))
            svg +=
                "<line class=\"grid\" x1=\"\(Int(Chart.left))\" x2=\"\(Int(Chart.width - Chart.right))\" y1=\"\(at)\" y2=\"\(at)\"/>"
            svg +=
                "<text x=\"\(Int(Chart.left) - 6)\" y=\"\(at)\" dy=\".32em\" text-anchor=\"end\">\(Chart.label(mark))</text>\n"
        }
        for mark in xMarks ?? x.marks.map({ ($0, Chart.label($0)) }) {
            let at = Chart.number(x.pixel(mark.x))
            svg +=
                "<line class=\"grid\" x1=\"\(at)\" x2=\"\(at)\" y1=\"\(Int(Chart.top))\" y2=\"\(Chart.number(bottom))\"/>"
            svg += "<text x=\"\(at)\" y=\"\(Chart.number(bottom + 16))\" text-anchor=\"middle\">\(mark.name)</text>\n"
        }
        let middle = Chart.number((Chart.left + Chart.width) / 2)
        svg +=
            "<text x=\"\(middle)\" y=\"\(Int(Chart.height) - 6)\" text-anchor=\"middle\">\(Report.escaped(xName))</text>\n"
        return svg
            + "<text transform=\"translate(13 \(Chart.number((Chart.top + bottom) / 2))) rotate(-90)\" text-anchor=\"middle\">"
            + "\(Report.escaped(yName))</text>\n"
    }

    private func drawing(_ x: Axis, _ y: Axis) -> String {
        var svg = ""
        let floor = Chart.height - Chart.bottom
        for bar in bars where bar.y > 0 {
            let top = y.pixel(bar.y)
            let from = x.pixel(bar.from)
            svg += "<rect class=\"a\" x=\"\(Chart.number(from))\" y=\"\(Chart.number(top))\" "
            svg +=
                "width=\"\(Chart.number(max(0.5, x.pixel(bar.to) - from - 0.5)))\" height=\"\(Chart.number(floor - top))\"/>\n"
        }
        for line in lines where !line.points.isEmpty {
            let points = line.points.map { "\(Chart.number(x.pixel($0.x))),\(Chart.number(y.pixel($0.y)))" }
            svg += "<polyline class=\"\(line.style)\" points=\"\(points.joined(separator: " "))\"/>\n"
        }
        return svg
    }

    private var legend: String {
        guard lines.count > 1 else { return "" }
        return "<p class=\"legend\">"
            + lines.map { "<span class=\"\($0.style)\">\(Report.escaped($0.name))</span>" }.joined(separator: " ")
            + "</p>"
    }

    private static func number(_ value: Double) -> String { Format.decimal(value, places: 1) }

    private static func label(_ value: Double) -> String {
        switch value {
        case 1e6...: Format.short(value / 1e6) + " M"
        case 1e4...: Format.short(value / 1e3) + " k"
        default: Format.short(value)
        }
    }
}

/// From values to pixels, and the round values in between.
private struct Axis {
    let scale: Chart.Scale
    let low: Double
    let high: Double
    let pixels: (from: Double, to: Double)

    init(_ scale: Chart.Scale, from: Double, to: Double, pixels: (from: Double, to: Double)) {
        self.scale = scale
        low = scale.place(from)
        high = max(scale.place(to), low + 1e-9)
        self.pixels = pixels
    }

    func pixel(_ value: Double) -> Double {
        pixels.from + (scale.place(value) - low) / (high - low) * (pixels.to - pixels.from)
    }

    var marks: [Double] {
        if scale == .logarithmic {
            let decades = (Int(low.rounded(.down))...Int(high.rounded(.up))).flatMap { exponent in
                (high - low > 2.5 ? [1.0] : [1, 2, 5]).map { $0 * pow(10, Double(exponent)) }
            }
            return decades.filter { (low - 1e-9...high + 1e-9).contains(scale.place($0)) }
        }
        let rough = (high - low) / 5
        let decade = pow(10, log10(rough).rounded(.down))
        let step = [1, 2, 5, 10].map { $0 * decade }.first { $0 >= rough } ?? decade * 10
        let first = (low / step).rounded(.up)
        return (0...10).map { (first + Double($0)) * step }.filter { $0 <= high + step * 1e-6 }
    }
}
