/// Numbers as text, without Foundation.
enum Format {
    /// A number with a fixed count of digits behind the point.
    ///
    /// - Parameters:
    ///   - value: Of a magnitude below 10^15; not finite or larger ones are `-`.
    ///   - places: From 0 to 3.
    /// - Returns: The text.
    static func decimal(_ value: Double, places: Int) -> String {
        guard value.isFinite, value.magnitude < 1e15 else { return "-" }
        let scale = [1, 10, 100, 1000][max(0, min(3, places))]
        let scaled = Int(value.magnitude * Double(scale) + 0.5)
        let sign = value < 0 && scaled > 0 ? "-" : ""
        guard places > 0 else { return "\(sign)\(scaled)" }
        let fraction = String(scaled % scale)
        return "\(sign)\(scaled / scale)." + String(repeating: "0", count: max(0, places - fraction.count)) + fraction
    }

    /// A number with about three digits that matter: `0.123`, `1.23`, `12.3`, `123`.
    static func short(_ value: Double) -> String {
        if value == Double(Int(exactly: value) ?? -1) { return decimal(value, places: 0) }
        return decimal(
            value, places: value.magnitude < 1 ? 3 : value.magnitude < 10 ? 2 : value.magnitude < 100 ? 1 : 0)
    }

    /// A number in the unit of its kind.
    static func value(_ value: Double, _ kind: Metric.Kind) -> String {
        switch kind {
        case .milliseconds: "\(short(value)) ms"
        case .count: decimal(value, places: 0)
        case .perSecond: "\(value < 10 ? short(value) : decimal(value, places: 0))/s"
        case .percent: "\(decimal(value, places: 0)) %"
        case .bytes:
            value.magnitude < 1024 * 100
                ? "\(decimal(value, places: 0)) B"
                : value.magnitude < 10_485_760
                    ? "\(decimal(value / 1024, places: 0)) KiB" : "\(decimal(value / 1_048_576, places: 1)) MiB"
        }
    }

    /// A text brought to a width with spaces before it.
    static func right(_ text: String, _ width: Int) -> String {
        String(repeating: " ", count: max(0, width - text.count)) + text
    }

    /// A text brought to a width with spaces behind it.
    static func left(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }
}
