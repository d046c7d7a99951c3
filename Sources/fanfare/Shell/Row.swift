/// One line of the screen: pieces of text, each at a column of its own.
///
/// Columns are set by cursor movement and not by counting cells, because terminals do not agree on how wide an emoji is.
struct Row: Equatable {
    /// How a piece is drawn.
    enum Style: Equatable {
        case plain, strong, faint, good, bad, bar
    }

    /// A text and where it begins.
    struct Piece: Equatable {
        var column: Int
        var text: String
        var style: Style
    }

    private(set) var pieces: [Piece] = []

    /// Puts a text at a column, cut to fit before another one; nothing where there is no room.
    mutating func put(_ text: String, at column: Int, before end: Int, _ style: Style = .plain) {
        guard end > column else { return }
        pieces.append(Piece(column: column, text: fitted(printable(text), into: end - column), style: style))
    }

    /// Where the last piece ends.
    var end: Int {
        pieces.map { $0.column + cellWidth($0.text) }.max() ?? 0
    }

    /// Appends the row as a terminal understands it (ECMA-48), and clears what was there before.
    func append(to text: inout String, colors: Bool) {
        text += "\u{1B}[2K"
        for piece in pieces {
            text += "\u{1B}[\(piece.column + 1)G"
            let code = colors ? piece.style.code : nil
            if let code { text += "\u{1B}[\(code)m" }
            text += piece.text
            if code != nil { text += "\u{1B}[0m" }
        }
    }
}

extension Row.Style {
    /// The parameters of the SGR sequence.
    fileprivate var code: String? {
        switch self {
        case .plain: nil
        case .strong: "1"
        case .faint: "2"
        case .good: "32"
        case .bad: "31"
        case .bar: "36"
        }
    }
}

/// A bar of a share of a number of cells, in eighths of a cell; what is there at all shows at least one eighth.
func bar(_ count: UInt64, of most: UInt64, cells: Int) -> String {
    guard count > 0, most > 0, cells > 0 else { return "" }
    let share = min(1, Double(count) / Double(most))
    let eighths = max(1, Int((share * Double(cells * 8)).rounded()))
    let parts = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"]
    return String(repeating: "█", count: eighths / 8) + parts[eighths % 8]
}
