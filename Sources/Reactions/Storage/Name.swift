/// A user's name as a tally keeps it: up to 39 bytes in place, which is what nearly all have; longer ones apart.
///
/// A String of more than 15 bytes is an allocation of its own, and there may be a million names.
enum Name: Sendable {
    case inPlace(InlineArray<39, UInt8>, length: UInt8)
    case apart(String)

    /// Keeps a name.
    init(_ text: String) {
        let source = text.utf8.span
        guard source.count <= 39 else {
            self = .apart(text)
            return
        }
        var bytes = InlineArray<39, UInt8>(repeating: 0)
        for index in source.indices { bytes[index] = source[index] }
        self = .inPlace(bytes, length: UInt8(truncatingIfNeeded: source.count))
    }

    /// The name.
    var text: String {
        switch self {
        case .apart(let text): return text
        case .inPlace(let bytes, let length):
            // It came from a String, so it is valid.
            guard let text = try? UTF8Span(validating: bytes.span.extracting(first: Int(length))) else { return "" }
            return String(copying: text)
        }
    }

    /// Whether the name has the same bytes as a text.
    func matches(_ other: String) -> Bool {
        switch self {
        case .apart(let text): return text == other
        case .inPlace(let bytes, let length):
            let other = other.utf8.span
            guard other.count == Int(length) else { return false }
            for index in other.indices where bytes[index] != other[index] { return false }
            return true
        }
    }
}
