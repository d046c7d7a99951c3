/// The text of a manual page in roff, as `man(7)` describes it.
public struct ManualText: Sendable {
    /// What is there by now, each line whole.
    public private(set) var text = ""
    /// The first paragraph of a section needs no mark.
    private var isFirst = false

    /// Begins empty.
    public init() {}

    /// Begins a page of a day, `2026-11-30`.
    mutating func title(_ name: String, section: Int, date: String, source: String) {
        text += ".TH \"\(name.uppercased())\" \(section) \"\(date)\" \"\(source)\" \"\"\n"
    }

    /// Begins a section.
    public mutating func heading(_ words: String) {
        text += ".SH \(Self.escaped(words.uppercased()))\n"
        isFirst = true
    }

    /// Begins a paragraph.
    public mutating func paragraph(_ words: String) {
        beginParagraph()
        text += Self.filled(Self.inline(words)) + "\n"
    }

    /// Adds an entry of a list: a term, and below it what it means.
    ///
    /// - Parameters:
    ///   - term: In bold.
    ///   - value: In italics behind it, where there is any.
    ///   - words: What it means.
    public mutating func entry(_ term: String, value: String = "", _ words: String) {
        let italic = value.isEmpty ? "" : " \\fI\(Self.inline(value))\\fR"
        isFirst = false
        text += ".TP\n\\fB\(Self.inline(term))\\fR\(italic)\n\(Self.filled(Self.inline(words)))\n"
    }

    /// Adds a line that is typed, or lines of a file, as they are.
    public mutating func example(_ lines: String) {
        let typed = lines.split(separator: "\n", omittingEmptySubsequences: false).map { Self.escaped(String($0)) }
        beginParagraph()
        text += ".nf\n.RS 4\n\(typed.joined(separator: "\n"))\n.RE\n.fi\n"
    }

    private mutating func beginParagraph() {
        if !isFirst { text += ".PP\n" }
        isFirst = false
    }

    /// Adds lines that are roff already.
    mutating func raw(_ lines: String) {
        text += lines + "\n"
    }

    /// How long a line of the source is at most, in bytes, unless one word is longer: what editors and mandoc expect.
    private static let maxLineBytes = 78

    /// Breaks a text that is escaped already into lines, which roff fills anew.
    static func filled(_ inline: String) -> String {
        var lines: [String] = []
        var line = ""
        for word in inline.split(separator: " ") {
            if !line.isEmpty, width(line) + 1 + width(word) > maxLineBytes {
                lines.append(guarded(line))
                line = ""
            }
            line += (line.isEmpty ? "" : " ") + word
        }
        return (lines + [guarded(line)]).joined(separator: "\n")
    }

    /// How long a text is once other characters than those of ASCII are named, as `\[u2026]`, which mandoc does first.
    private static func width(_ text: some StringProtocol) -> Int {
        text.unicodeScalars.reduce(0) { $0 + ($1.isASCII ? 1 : 9) }
    }

    /// A text in which nothing means anything to roff, for a line of its own.
    static func escaped(_ text: String) -> String { guarded(inline(text)) }

    private static func guarded(_ inline: String) -> String {
        // A line that begins so would be a request.
        return inline.hasPrefix(".") || inline.hasPrefix("'") ? "\\&" + inline : inline
    }

    /// A text in which nothing means anything to roff, behind something else.
    static func inline(_ text: String) -> String {
        text.replacing("\\", with: "\\e").replacing("-", with: "\\-").replacing("^", with: "\\(ha")
            .replacing("~", with: "\\(ti").replacing("`", with: "\\(ga").replacing("'", with: "\\(aq")
    }
}
