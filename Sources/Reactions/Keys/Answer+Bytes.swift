extension Answer {
    /// The compact form in which an answer is remembered with its key.
    var bytes: [UInt8] {
        var writer = ByteWriter()
        writer.bytes.reserveCapacity(32)
        writer.put(byte: UInt8(truncatingIfNeeded: Self.order.firstIndex(of: result) ?? 0))
        var flags: UInt8 = 0
        if reaction != nil { flags |= 1 }
        if previous != nil { flags |= 2 }
        if count != nil { flags |= 4 }
        if own != nil { flags |= 8 }
        if removed != nil { flags |= 16 }
        if let frozen { flags |= frozen ? 96 : 32 }
        writer.put(byte: flags)
        writer.put(message)
        writer.put(seq)
        if let reaction { writer.put(reaction.text) }
        if let previous { writer.put(previous.text) }
        if let count { writer.put(count) }
        if let own {
            writer.put(UInt64(own.count))
            for one in own {
                writer.put(one.reaction.text)
                writer.put(one.count)
            }
        }
        if let removed { writer.put(removed) }
        return writer.bytes
    }

    /// Reads the form that ``bytes`` writes; `nil` where it is none.
    init?(bytes: [UInt8]) {
        var reader = ByteReader(bytes: bytes)
        guard let code = reader.byte(), Int(code) < Self.order.count, let flags = reader.byte(), flags < 128,
            let message = reader.text(), let seq = reader.number()
        else { return nil }
        self.init(Self.order[Int(code)], message: message, seq: seq)
        if flags & 1 != 0 { reaction = reader.text().map(Reaction.init(canonical:)) }
        if flags & 2 != 0 { previous = reader.text().map(Reaction.init(canonical:)) }
        if flags & 4 != 0 { count = reader.number() }
        if flags & 8 != 0 { own = reader.own() }
        if flags & 16 != 0 { removed = reader.number() }
        if flags & 32 != 0 { frozen = flags & 64 != 0 }
        guard reader.isAtEnd else { return nil }
    }

    // The index is what is written, so new results go at the end.
    private static let order: [Result] = [
        .added, .removed, .replaced, .updated, .unchanged, .changed, .cleared, .deleted,
    ]
}

extension ByteReader {
    fileprivate mutating func own() -> [OwnReaction]? {
        guard let length = count() else { return nil }
        var own: [OwnReaction] = []
        for _ in 0..<length {
            guard let text = text(), let count = number() else { return nil }
            own.append(OwnReaction(reaction: Reaction(canonical: text), count: count))
        }
        return own
    }
}
