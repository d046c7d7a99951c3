import Reactions

/// The fields of requests that several types have, each with its shape.
extension Members {
    func channel(_ text: Span<UInt8>) throws(BadRequest) -> String {
        try name(.channel, text, maxBytes: Shape.maxChannelBytes).required(.channel)
    }

    /// The message id, or the channel's own where it is left out; `*` only where a request may mean all.
    func message(_ text: Span<UInt8>, allowsAll: Bool = false) throws(BadRequest) -> String {
        guard let value = self[.message] else { return "" }
        return try value.message(.message, text, allowsAll: allowsAll)
    }

    func key(_ text: Span<UInt8>) throws(BadRequest) -> String? {
        try name(.key, text, maxBytes: Shape.maxKeyBytes)
    }

    func count(_ text: Span<UInt8>) throws(BadRequest) -> Int? {
        try wholeNumber(.count, text, in: Shape.counts)
    }

    func limit(_ text: Span<UInt8>) throws(BadRequest) -> Int {
        try wholeNumber(.limit, text, in: Shape.limits) ?? Shape.defaultLimit
    }

    func data(_ text: Span<UInt8>) throws(BadRequest) -> ReactionData? {
        guard let value = self[.data] else { return nil }
        guard value.kind == .object else { throw .wrongKind(.data) }
        guard value.range.count <= Shape.maxDataBytes, let data = ReactionData(value, in: text) else {
            throw .outOfRange(.data)
        }
        return data
    }

    /// The reactions of a `set`, as sent, in their order; those written alike count once.
    func reactions(_ text: Span<UInt8>) throws(BadRequest) -> [String] {
        let value = try self[.reactions].required(.reactions)
        guard value.kind == .array else { throw .wrongKind(.reactions) }
        var distinct = Distinct(max: Shape.maxReactions)
        var elements = JSONElements(value)
        while let element = try elements.next(text) {
            guard let reaction = element.string(in: text) else { throw .wrongKind(.reactions) }
            guard distinct.insert(reaction) else { throw .outOfRange(.reactions) }
        }
        return distinct.elements
    }

    /// The messages, in their order, none twice; `nil` where they are left out or `null`.
    func messages(_ text: Span<UInt8>) throws(BadRequest) -> [String]? {
        guard let value = unlessNull(.messages) else { return nil }
        guard value.kind == .array else { throw .wrongKind(.messages) }
        var distinct = Distinct(max: Shape.maxMessages)
        var elements = JSONElements(value)
        while let element = try elements.next(text) {
            let message = try element.message(.messages, text)
            guard distinct.insert(message) else { throw .outOfRange(.messages) }
        }
        return distinct.elements
    }

    func mode(_ text: Span<UInt8>) throws(BadRequest) -> Mode? {
        guard let word = try string(.mode, text) else { return nil }
        guard let mode = Mode(rawValue: word) else { throw .outOfRange(.mode) }
        return mode
    }

    func since(_ text: Span<UInt8>) throws(BadRequest) -> Position? {
        guard let value = unlessNull(.since) else { return nil }
        let fields = try value.members(.since, text)
        return Position(
            epoch: try fields.string(.epoch, text).required(.epoch),
            seq: try fields.wholeNumber(.seq, text, in: 0...Shape.maxWholeNumber).required(.seq))
    }
}

extension JSONValue {
    /// A message id, or `""`.
    func message(_ field: Field, _ text: Span<UInt8>, allowsAll: Bool = false) throws(BadRequest) -> String {
        if kind == .string, range.isEmpty { return "" }
        guard let message = try name(field, text, maxBytes: Shape.maxMessageBytes) else { throw .outOfRange(field) }
        guard !Shape.isReserved(message) || allowsAll && message == "*" else { throw .outOfRange(field) }
        return message
    }

    /// The fields of an object that was read before.
    func members(_ field: Field, _ text: Span<UInt8>) throws(BadRequest) -> Members {
        guard kind == .object else { throw .wrongKind(field) }
        var scanner = JSONScanner(at: range.lowerBound, maxDepth: .max)
        var members = Members()
        do throws(NotJSON) {
            try members.read(text, with: &scanner, depth: 0)
        } catch {
            throw BadRequest(error)
        }
        return members
    }
}

/// Strings in the order in which they came first, each once, up to a bound.
private struct Distinct {
    private(set) var elements: [String] = []
    private var seen: Set<String> = []
    private let max: Int

    init(max: Int) { self.max = max }

    /// Takes in a string; `false`: it would be one too many.
    mutating func insert(_ element: String) -> Bool {
        guard seen.insert(element).inserted else { return true }
        guard elements.count < max else { return false }
        elements.append(element)
        return true
    }
}
