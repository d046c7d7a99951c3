/// How many cells of a terminal a text takes: 2 for an emoji or a wide character, 0 for what only joins or marks.
func cellWidth(_ text: String) -> Int {
    text.reduce(0) { $0 + cellWidth($1) }
}

/// How many cells one character takes.
private func cellWidth(_ character: Character) -> Int {
    guard let first = character.unicodeScalars.first else { return 0 }
    if first.value < 0x7F, character.unicodeScalars.count == 1 { return first.value < 0x20 ? 0 : 1 }
    if isEmoji(character, first) || isWide(first) { return 2 }
    switch first.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format, .control: return 0
    default: return 1
    }
}

/// Whether a character is drawn as an emoji: by itself, by a variation selector, or as a keycap or a flag.
private func isEmoji(_ character: Character, _ first: Unicode.Scalar) -> Bool {
    if first.properties.isEmojiPresentation { return true }
    guard first.properties.isEmoji else { return false }
    return character.unicodeScalars.contains { $0.value == 0xFE0F || $0.value == 0x20E3 || $0.value == 0x200D }
}

/// Whether a character is of a script that takes two cells (the blocks that UAX #11 calls wide).
private func isWide(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF: true
    case 0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x20000...0x3FFFD: true
    default: false
    }
}

/// The text with every control character as `?`: what a broker sends must not steer a terminal or break a line.
func printable(_ text: String) -> String {
    guard text.unicodeScalars.contains(where: isControl) else { return text }
    var clean = String.UnicodeScalarView()
    clean.append(contentsOf: text.unicodeScalars.map { isControl($0) ? "?" : $0 })
    return String(clean)
}

private func isControl(_ scalar: Unicode.Scalar) -> Bool {
    scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value) || scalar.value == 0x2028 || scalar.value == 0x2029
}

/// The longest beginning of a text that fits into a number of cells, with `…` at the end where something was cut off.
func fitted(_ text: String, into cells: Int) -> String {
    guard cellWidth(text) > cells else { return text }
    var kept = ""
    var width = 1
    for character in text {
        width += cellWidth(String(character))
        if width > cells { break }
        kept.append(character)
    }
    return cells > 0 ? kept + "…" : ""
}
