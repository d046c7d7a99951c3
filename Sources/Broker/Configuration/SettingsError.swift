/// What is wrong with a settings file.
public struct SettingsError: Error, Sendable, Equatable {
    /// The line of the file, counted from 1.
    public var line: Int
    /// What is wrong, in words for a person, on one line: what it repeats of the file has its control characters escaped.
    public var reason: String
    /// The word that is unknown, where one is.
    public var unknown: String?
    /// The words that are known in its place.
    public var known: [String]

    /// Whether the unknown word is a value, and the reason lists the known ones.
    public var isChoice: Bool

    init(line: Int, _ reason: String, unknown: String? = nil, known: [String] = [], isChoice: Bool = false) {
        self.line = line
        self.reason = Self.onOneLine(reason)
        self.unknown = unknown
        self.known = known
        self.isChoice = isChoice
    }

    /// The longest beginning of a text that an error repeats, 80 characters.
    static func brief(_ text: String) -> String {
        text.unicodeScalars.count <= 80 ? text : String(String.UnicodeScalarView(text.unicodeScalars.prefix(80))) + "…"
    }

    /// Writes control characters and line separators as they are written in JSON.
    private static func onOneLine(_ text: String) -> String {
        var line = ""
        for scalar in text.unicodeScalars {
            switch scalar.properties.generalCategory {
            case .control, .lineSeparator, .paragraphSeparator:
                // These are all below U+10000, so four digits are enough.
                let digits = String(scalar.value, radix: 16)
                line += "\\u" + String(repeating: "0", count: 4 - digits.utf8.count) + digits
            default: line.unicodeScalars.append(scalar)
            }
        }
        return line
    }
}
