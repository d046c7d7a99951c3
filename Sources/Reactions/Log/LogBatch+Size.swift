// How large a batch is, known before it is written.
extension LogBatch {
    /// How many bytes a batch by these rules has besides its entries, at most.
    public static func headBytes(_ rules: Rules) -> Int {
        let mark = LogMark(position: .max, digest: .max)
        return LogBatch(writer: .max, number: .max, seen: mark, rules: rules, entries: []).bytes.count
            + ByteWriter.maxNumber
    }
}

extension LogBatch.Entry {
    /// How many bytes it takes in a batch, at most.
    public var maxBytes: Int {
        ByteWriter.maxNumber + operation.maxBytes
    }
}

extension Operation {
    /// The same operation with as few bytes as say the same under these rules.
    ///
    /// It is judged alike. A token's list becomes what it says of this operation: nothing, or that it is not allowed.
    public func forLog(by rules: Rules) -> Operation {
        var operation = self
        switch action {
        case .add(let raw, _, _), .toggle(let raw, _, _):
            let isAllowed = rules.canonical(raw).map { rules.allows($0, in: tokenAllowed) } ?? true
            operation.tokenAllowed = isAllowed ? nil : []
        case .set(let raw):
            let isAllowed = raw.allSatisfy { text in
                rules.canonical(text).map { rules.allows($0, in: tokenAllowed) } ?? true
            }
            operation.tokenAllowed = isAllowed ? nil : []
            operation.action = .set(reactions: rules.distinct(raw))
        case .remove, .clear, .delete, .freeze: operation.tokenAllowed = nil
        }
        return operation
    }

    /// How many bytes it takes as it is logged, at most; about as many as it takes in memory, too.
    public var maxBytes: Int {
        let listed = tokenAllowed.map { $0.reduce(ByteWriter.maxNumber) { $0 + ByteWriter.maxBytes($1) } } ?? 0
        let names = ByteWriter.maxBytes(message) + ByteWriter.maxBytes(user) + (key.map(ByteWriter.maxBytes) ?? 0)
        return 3 + names + listed + action.maxBytes
    }
}

extension Operation.Action {
    fileprivate var maxBytes: Int {
        switch self {
        case .add(let reaction, _, let data), .toggle(let reaction, _, let data):
            ByteWriter.maxBytes(reaction) + 2 + ByteWriter.maxNumber
                + (data.map { ByteWriter.maxBytes($0.text) + ByteWriter.maxBytes($0.canonical) } ?? 0)
        case .remove(let reaction, _): ByteWriter.maxBytes(reaction) + 1 + ByteWriter.maxNumber
        case .set(let reactions): reactions.reduce(ByteWriter.maxNumber) { $0 + ByteWriter.maxBytes($1) }
        case .clear(let reaction, let user):
            2 + (reaction.map(ByteWriter.maxBytes) ?? 0) + (user.map(ByteWriter.maxBytes) ?? 0)
        case .delete, .freeze: 0
        }
    }
}

extension ByteWriter {
    /// How many bytes a number takes at most.
    fileprivate static let maxNumber = 10

    /// How many bytes a text takes with its length, at most.
    fileprivate static func maxBytes(_ text: String) -> Int {
        // Four bytes of LEB128 tell up to 256 MiB, more than any message may have.
        4 + text.utf8.count
    }
}
