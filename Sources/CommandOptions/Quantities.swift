/// A length of time: a number, then `us`, `ms`, `s`, `m`, `h` or `d`; without a unit, seconds.
///
/// What is longer than about 31 years counts as that: it is a time, and out of every range.
///
/// - Returns: `nil` where the text is none.
public func parseDuration(_ text: String) -> Duration? {
    guard let (number, unit) = split(text) else { return nil }
    let seconds: Double
    switch unit {
    case "us", "µs": seconds = 1e-6
    case "ms": seconds = 1e-3
    case "", "s": seconds = 1
    case "m", "min": seconds = 60
    case "h": seconds = 3600
    case "d": seconds = 86400
    default: return nil
    }
    return .nanoseconds(Int64(min(number * seconds, 1e9) * 1e9 + 0.5))
}

/// A size in bytes: a number, then nothing, `B`, `kB`, `MB`, `GB`, or `KiB`, `MiB`, `GiB` (also `K`, `M`, `G`).
func parseSize(_ text: String) -> Int? {
    guard let (number, unit) = split(text) else { return nil }
    let scale: Double
    switch unit.lowercased() {
    case "", "b": scale = 1
    case "kb": scale = 1e3
    case "mb": scale = 1e6
    case "gb": scale = 1e9
    case "k", "kib": scale = 1024
    case "m", "mib": scale = 1_048_576
    case "g", "gib": scale = 1_073_741_824
    default: return nil
    }
    return wholeOrTooLarge(number * scale)
}

/// A whole number, with `_` between digits or `k`, `M` behind them where that reads better.
func parseWhole(_ text: String) -> Int? {
    let isNegative = text.hasPrefix("-")
    guard let number = parseDecimal(isNegative ? String(text.dropFirst()) : text), let whole = wholeOrTooLarge(number)
    else {
        return nil
    }
    return isNegative ? -whole : whole
}

/// A decimal number that is not negative: digits, a fraction, `k` or `M` behind them.
func parseDecimal(_ text: String) -> Double? {
    guard let (number, unit) = split(text) else { return nil }
    switch unit {
    case "": return number
    case "k": return number * 1e3
    case "M": return number * 1e6
    default: return nil
    }
}

/// How a length of time is typed, in the largest unit that needs no fraction.
func describe(duration: Duration) -> String {
    let (seconds, attoseconds) = duration.components
    if attoseconds == 0 {
        if seconds != 0, seconds % 3600 == 0 { return "\(seconds / 3600)h" }
        if seconds != 0, seconds % 60 == 0 { return "\(seconds / 60)m" }
        return "\(seconds)s"
    }
    let microseconds = duration / .microseconds(1)
    return microseconds >= 1000 ? "\(describe(decimal: microseconds / 1000))ms" : "\(describe(decimal: microseconds))us"
}

/// How a decimal number is typed, without a needless `.0`.
func describe(decimal: Double) -> String {
    whole(decimal).map(String.init) ?? "\(decimal)"
}

/// Splits `1.5ms` into its number and its unit.
///
/// Digits, one point inside, `_` between digits; nothing else.
private func split(_ text: String) -> (Double, Substring)? {
    let digits = text.prefix { ("0"..."9").contains($0) || $0 == "." || $0 == "_" }
    guard digits.first?.isNumber == true, digits.last?.isNumber == true, digits.utf8.count <= 24,
        let number = Double(String(digits.filter { $0 != "_" }))
    else { return nil }
    return (number, text[digits.endIndex...])
}

/// From 2^53 on, where not every number can be told from the next, all count as the largest one: out of every range.
private func wholeOrTooLarge(_ number: Double) -> Int? {
    number >= 9_007_199_254_740_992 ? .max : whole(number)
}

private func whole(_ number: Double) -> Int? {
    guard number.magnitude < 9_007_199_254_740_992, Double(Int(number)) == number else { return nil }
    return Int(number)
}
