/// What is said to a server that is not a Fanfare broker: texts with marks in braces that are filled in.
///
/// `{marker}` is what deliveries are known by, and must stand in what is published; `{n}` counts; `{channel}` and `{user}`
/// are the plan's.
public struct RawMessages: Sendable, Equatable {
    /// What each subscriber sends first, in order.
    public var subscribe: [String]
    /// What publishers send.
    public var publish: String
    /// The subprotocol that is asked for, if any.
    public var subprotocol: String?

    /// What is wrong with a text, for a person.
    public struct Problem: Error, Sendable, Equatable {
        /// One line.
        public let message: String
    }

    private static let marks = ["marker", "n", "channel", "user"]

    /// Makes texts.
    ///
    /// - Throws: A ``Problem`` for an unknown mark, or where what is published has no `{marker}`.
    public init(subscribe: [String], publish: String, subprotocol: String?) throws(Problem) {
        self.subscribe = subscribe
        self.publish = publish
        self.subprotocol = subprotocol
        guard publish.contains("{marker}") else {
            throw Problem(message: "--raw-publish holds {marker}, by which deliveries are known, not \"\(publish)\"")
        }
        if subscribe.contains(where: { $0.contains("{marker}") }) {
            throw Problem(message: "--raw-subscribe holds no {marker}: only what is published has one")
        }
    }

    /// A text with its marks filled in; braces around anything else stay, as JSON needs them.
    static func fill(_ text: String, _ values: [String: String]) -> String {
        var filled = ""
        var rest = text[...]
        while let open = rest.firstIndex(of: "{") {
            filled += rest[..<open]
            let behind = rest[rest.index(after: open)...]
            if let mark = marks.first(where: { behind.hasPrefix($0 + "}") }), let value = values[mark] {
                filled += value
                rest = behind.dropFirst(mark.count + 1)
            } else {
                filled += "{"
                rest = behind
            }
        }
        return filled + rest
    }
}
