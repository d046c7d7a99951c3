extension Rules {
    /// Refuses what the policy has no meaning for (PROTOCOL.md section 6), and counts out of range.
    func checkPolicy(of operation: Operation) throws(Refusal) {
        switch operation.action {
        case .add(_, let count, _), .remove(_, let count):
            try checkCount(count)
        case .toggle(_, let count, _):
            try checkCount(count)
            if policy == .multiple || policy == .ephemeral {
                throw .badRequest("there is no toggle with policy \(policy.rawValue)")
            }
        case .set(let reactions):
            if policy == .multiple || policy == .ephemeral {
                throw .badRequest("there is no set with policy \(policy.rawValue)")
            }
            if policy == .unique, distinct(reactions).count > 1 {
                throw .badRequest("policy unique has one reaction a user and message at most")
            }
        case .clear(_, let user):
            if operation.isForAllMessages, user == nil {
                throw .badRequest("clear of all messages needs a user")
            }
        case .delete, .freeze: break
        }
    }

    private func checkCount(_ count: Int?) throws(Refusal) {
        guard let count else { return }
        guard policy == .multiple else { throw .badRequest("count is for policy multiple alone") }
        guard (1...1_000).contains(count) else { throw .badRequest("count is from 1 to 1,000") }
    }

    /// The canonical form of what must be a reaction, listed or not.
    func valid(_ raw: String) throws(Refusal) -> Reaction {
        guard let reaction = canonical(raw) else { throw .invalidReaction }
        return reaction
    }

    /// Refuses what the namespace's or the token's list does not have.
    func checkLists(_ reaction: Reaction, _ operation: Operation) throws(Refusal) {
        guard allows(reaction), allows(reaction, in: operation.tokenAllowed) else { throw .reactionNotAllowed }
    }

    /// The reaction that a removal names.
    ///
    /// What came in under other settings (another kind, skin tones not folded) can still be removed.
    func named(by raw: String, among there: some Sequence<Reaction>) throws(Refusal) -> Reaction {
        let reaction = canonical(raw)
        let before = reaction == nil || foldSkinTones ? earlier.canonical(raw) : nil
        if let before, before != reaction, there.contains(before), !there.contains(where: { $0 == reaction }) {
            return before
        }
        guard let reaction else { throw .invalidReaction }
        return reaction
    }
}

extension Operation {
    /// Whether the message is `*`, all messages of the channel (clear alone).
    var isForAllMessages: Bool {
        if case .clear = action { message == "*" } else { false }
    }
}
