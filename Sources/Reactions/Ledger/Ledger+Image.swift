extension Ledger {
    /// Makes a ledger from what a store kept; a fresh image makes an empty one.
    public init(_ image: ChannelImage = ChannelImage()) {
        // It is below 2^53 (PROTOCOL.md section 1), so that it never comes round to 0.
        seq = min(image.seq, 1 << 53)
        tally = Tally(image.records, seq: seq)
        var uses: [UsedKeys.Use] = []
        for record in image.records {
            switch record {
            case .frozen(let frozen): isFrozen = frozen
            case .key(let user, let key, let use):
                guard let body = Fingerprint(bytes: use.body), Answer(bytes: use.answer) != nil else { continue }
                uses.append(UsedKeys.Use(user: user, key: key, at: use.at, body: body, answer: use.answer))
            case .entry, .group, .swept, .message: break
            }
        }
        uses.sort { $0.at < $1.at }
        for use in uses { keys.remember(use) }
    }

    /// The ledger as a store keeps it: a ledger made from this one gives the same answers to everything.
    public var image: ChannelImage {
        var records = tally.records
        records += keys.all.map(\.record)
        if isFrozen { records.append(.frozen(true)) }
        return ChannelImage(seq: seq, records: records)
    }
}

extension Record.Key {
    /// Whether a ledger can read it; one that it cannot read is as if it had not been used.
    public var isReadable: Bool { Fingerprint(bytes: body) != nil && Answer(bytes: answer) != nil }
}
