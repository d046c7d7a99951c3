/// A text of somebody else's as a line repeats it: its beginning, on one line, and nothing in it that steers a terminal.
///
/// - Parameters:
///   - text: The text.
///   - most: How many characters (Unicode scalars) of it are repeated; `…` stands for the rest.
/// - Returns: The text with control characters, line separators and those that turn the direction as `\u001b`.
func brief(_ text: String, upTo most: Int = 80) -> String {
    var short = ""
    for scalar in text.unicodeScalars.prefix(most) {
        if steers(scalar) {
            let digits = String(scalar.value, radix: 16)
            // All of them are below U+10000.
            short += "\\u" + String(repeating: "0", count: max(0, 4 - digits.utf8.count)) + digits
        } else {
            short.unicodeScalars.append(scalar)
        }
    }
    return text.unicodeScalars.dropFirst(most).isEmpty ? short : short + "…"
}

private func steers(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x202A...0x202E, 0x2066...0x2069: true
    default: [.control, .lineSeparator, .paragraphSeparator].contains(scalar.properties.generalCategory)
    }
}

/// A text of decimal digits alone, as a number; `Int64` by itself takes a sign as well.
func decimal<Number: FixedWidthInteger>(_ text: some StringProtocol, as type: Number.Type = Number.self) -> Number? {
    guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    return Number(text)
}
