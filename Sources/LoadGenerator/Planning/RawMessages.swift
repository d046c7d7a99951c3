/// What is said to a server that is not a Fanfare broker: messages with marks in braces that are filled in.
///
/// `{marker}` is what deliveries are known by, and must stand in what is published: 24 bytes. `{n}` counts; `{channel}` and
/// `{user}` are the plan's; `{hex:0d0a}` is the bytes of the digits, for protocols that are no text.
public struct RawMessages: Sendable, Equatable {
    /// What each connection sends first, publishers as well, in order.
    public var open: [String]
    /// What each subscriber sends then, in order.
    public var subscribe: [String]
    /// What publishers send.
    public var publish: String
    /// The subprotocol that is asked for, if any.
    public var subprotocol: String?
    /// Whether they are sent as binary messages, not as texts.
    public var isBinary: Bool

    /// What is wrong with a message, for a person.
    public struct Problem: Error, Sendable, Equatable {
        /// One line.
        public let message: String
    }

    private static let marks = ["marker", "n", "channel", "user"]

    /// Makes messages.
    ///
    /// - Throws: A ``Problem`` where what is published has no `{marker}`, another one has, or what stands in `{hex:}` is no
    ///   bytes.
    public init(
        open: [String] = [], subscribe: [String], publish: String, subprotocol: String? = nil, isBinary: Bool = false
    ) throws(Problem) {
        self.open = open
        self.subscribe = subscribe
        self.publish = publish
        self.subprotocol = subprotocol
        self.isBinary = isBinary
        guard publish.contains("{marker}") else {
            throw Problem(message: "--raw-publish holds {marker}, by which deliveries are known, not \"\(publish)\"")
        }
        for (name, texts) in [("open", open), ("subscribe", subscribe)]
        where texts.contains(where: { $0.contains("{marker}") }) {
            throw Problem(message: "--raw-\(name) holds no {marker}: only what is published has one")
        }
        for text in open + subscribe + [publish] {
            for part in text.components(behind: "{hex:") where RawMessages.bytes(ofHex: part) == nil {
                throw Problem(message: "{hex:…} holds pairs of hexadecimal digits, as in {hex:0d0a}")
            }
        }
    }

    /// A message with its marks filled in; braces around anything else stay, as JSON needs them.
    static func fill(_ text: String, _ values: [String: String]) -> [UInt8] {
        var filled: [UInt8] = []
        var rest = text[...]
        while let open = rest.firstIndex(of: "{") {
            filled += rest[..<open].utf8
            let behind = rest[rest.index(after: open)...]
            if let mark = marks.first(where: { behind.hasPrefix($0 + "}") }), let value = values[mark] {
                filled += value.utf8
                rest = behind.dropFirst(mark.count + 1)
            } else if behind.hasPrefix("hex:"), let bytes = bytes(ofHex: behind.dropFirst(4)) {
                filled += bytes
                rest = behind.dropFirst(4 + 2 * bytes.count + 1)
            } else {
                filled += "{".utf8
                rest = behind
            }
        }
        return filled + rest.utf8
    }

    /// The bytes of the digits up to a closing brace; `nil` where it is no such thing.
    private static func bytes(ofHex text: Substring) -> [UInt8]? {
        guard let end = text.utf8.firstIndex(of: UInt8(ascii: "}")) else { return nil }
        var bytes: [UInt8] = []
        var digits = text[..<end]
        while !digits.isEmpty {
            let pair = digits.prefix(2)
            guard pair.utf8.count == 2, pair.allSatisfy(\.isHexDigit), let byte = UInt8(pair, radix: 16) else {
                return nil
            }
            bytes.append(byte)
            digits = digits.dropFirst(2)
        }
        return bytes
    }
}

extension String {
    /// What stands behind each place of a text.
    fileprivate func components(behind opening: String) -> [Substring] {
        var found: [Substring] = []
        var rest = self[...]
        while let range = rest.firstRange(of: opening) {
            rest = rest[range.upperBound...]
            found.append(rest)
        }
        return found
    }
}
