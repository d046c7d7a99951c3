import Transport

/// Writes metrics line by line in Prometheus' text format, version 0.0.4.
struct MetricsText {
    /// What a number is.
    enum Kind: String {
        /// It only goes up.
        case counter
        /// It goes up and down.
        case gauge
        case histogram
    }

    /// In what a histogram's whole numbers are told.
    enum Unit {
        /// They are nanoseconds.
        case seconds
        /// They are counts.
        case ones

        func text(_ number: UInt64) -> String {
            switch self {
            case .ones: "\(number)"
            case .seconds: "\(Double(number) / 1e9)"
            }
        }
    }

    private(set) var lines = ""

    private mutating func begin(_ kind: Kind, _ name: String, _ help: String) {
        lines += "# HELP \(name) \(help)\n# TYPE \(name) \(kind.rawValue)\n"
    }

    mutating func single(_ kind: Kind, _ name: String, _ help: String, _ value: some CustomStringConvertible) {
        begin(kind, name, help)
        lines += "\(name) \(value)\n"
    }

    /// One number for each word of a label.
    mutating func labelled(
        _ kind: Kind, _ name: String, _ help: String, label: String, _ values: [(String, UInt64)]
    ) {
        begin(kind, name, help)
        for (word, value) in values { lines += "\(name){\(label)=\"\(word)\"} \(value)\n" }
    }

    /// Numbers with labels of their own, `name="value"` and so on.
    mutating func family(_ kind: Kind, _ name: String, _ help: String, _ values: [(labels: String, UInt64)]) {
        begin(kind, name, help)
        for (labels, value) in values { lines += "\(name){\(labels)} \(value)\n" }
    }

    mutating func histogram(_ name: String, _ help: String, _ histogram: LogHistogram, in unit: Unit) {
        begin(.histogram, name, help)
        var count: UInt64 = 0
        for range in 0..<LogHistogram.count {
            count += histogram[range]
            let bound = histogram.upperBound(of: range).map(unit.text) ?? "+Inf"
            lines += "\(name)_bucket{le=\"\(bound)\"} \(count)\n"
        }
        lines += "\(name)_sum \(unit.text(histogram.sum))\n\(name)_count \(count)\n"
    }
}
