extension Rules {
    /// The canonical form of what a client sent.
    ///
    /// - Parameter raw: the text as it was sent.
    /// - Returns: a fully-qualified emoji or a name (PROTOCOL.md section 7).
    /// - Throws: ``Refusal/invalidReaction`` where it is no reaction of this namespace's kind,
    ///   ``Refusal/reactionNotAllowed`` where the namespace does not list it.
    public func reaction(from raw: String) throws(Refusal) -> Reaction {
        guard let reaction = canonical(raw) else { throw .invalidReaction }
        guard allows(reaction) else { throw .reactionNotAllowed }
        return reaction
    }

    /// The canonical form, whether the namespace lists it or not; `nil` for what is no reaction here.
    func canonical(_ raw: String) -> Reaction? {
        if kind != .emoji, raw.isReactionName { return Reaction(canonical: raw) }
        if kind == .named { return nil }
        return EmojiIndex.all.reaction(for: raw, foldSkinTones: foldSkinTones)
    }

    /// Whether the namespace's list, if there is one, has a reaction.
    func allows(_ reaction: Reaction) -> Bool {
        guard let allowed else { return true }
        return allowed.contains(reaction) || allowed.contains { canonical($0.text) == reaction }
    }

    /// Whether a token's list, if there is one, has a reaction.
    func allows(_ reaction: Reaction, in tokenAllowed: [String]?) -> Bool {
        guard let tokenAllowed else { return true }
        return tokenAllowed.contains { canonical($0) == reaction }
    }
}

extension String {
    /// Whether this is a reaction's name, `[a-z0-9_+-]{1,64}`.
    var isReactionName: Bool {
        let bytes = utf8
        guard (1...64).contains(bytes.count) else { return false }
        return bytes.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
                UInt8(ascii: "_"), UInt8(ascii: "+"), UInt8(ascii: "-"):
                true
            default: false
            }
        }
    }
}
