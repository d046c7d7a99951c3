// The form in which the rules are logged by which operations are judged.
extension Rules {
    func append(to writer: inout ByteWriter) {
        writer.put(byte: UInt8(truncatingIfNeeded: Self.policies.firstIndex(of: policy) ?? 0))
        writer.put(byte: UInt8(truncatingIfNeeded: Self.kinds.firstIndex(of: kind) ?? 0))
        writer.put(byte: foldSkinTones ? 1 : 0)
        writer.put(optional: allowed) { $0.put(list: $1) { $0.put($1.text) } }
        writer.put(Int64(maxKindsPerMessage))
        writer.put(Int64(maxPerUserAndMessage))
    }

    /// Reads what ``append(to:)`` writes; `nil` where it is none.
    init?(_ reader: inout ByteReader) {
        guard let policy = reader.byte(), Int(policy) < Self.policies.count,
            let kind = reader.byte(), Int(kind) < Self.kinds.count,
            let folds = reader.byte(), folds < 2,
            let allowed = reader.optional({ $0.list { $0.text().map(Reaction.init(canonical:)) } }),
            let kinds = reader.signed(), let perUser = reader.signed()
        else { return nil }
        self.init(
            policy: Self.policies[Int(policy)], kind: Self.kinds[Int(kind)], allowed: allowed,
            foldSkinTones: folds == 1, maxKindsPerMessage: Int(clamping: kinds),
            maxPerUserAndMessage: Int(clamping: perUser))
    }

    // The index is what is written, so new ones go at the end.
    private static let policies: [Policy] = [.unique, .distinct, .multiple, .ephemeral]
    private static let kinds: [ReactionKind] = [.emoji, .named, .any]
}
