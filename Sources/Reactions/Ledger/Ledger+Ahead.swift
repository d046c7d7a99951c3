// What can be said of an operation before it is known what comes ahead of it.
extension Ledger {
    /// Finds the answer that was given before for the same key.
    ///
    /// Whatever else is done to the ledger until the operation is judged, this is what ``judge(_:rules:at:)`` says of it.
    ///
    /// - Parameters:
    ///   - operation: what is asked for, by whom.
    ///   - rules: the namespace's.
    ///   - time: the time, in Unix milliseconds.
    /// - Returns: what ``commit(_:)`` takes, a duplicate; `nil` where the key is not known, or there is none.
    /// - Throws: ``Refusal/badRequest(_:)`` for what the policy refuses, ``Refusal/keyReused``.
    public func recall(_ operation: Operation, rules: Rules, at time: Int64) throws(Refusal) -> Plan? {
        try rules.checkPolicy(of: operation)
        guard operation.key != nil else { return nil }
        var plan = Plan(operation, rules: rules, at: time, in: tally)
        guard let answer = try useKey(of: operation, rules: rules, in: &plan) else { return nil }
        plan.effect = .repeated(answer)
        return plan
    }
}

extension Rules {
    /// Refuses an operation for its reactions, where it would be refused whatever the channel has.
    ///
    /// It says nothing of the policy, nor of the key, which come first.
    ///
    /// - Throws: ``Refusal/invalidReaction``, ``Refusal/reactionNotAllowed``.
    public func checkReactions(of operation: Operation) throws(Refusal) {
        switch operation.action {
        case .add(let raw, _, _): try checkLists(try valid(raw), operation)
        // What is there may be taken away, listed or not.
        case .toggle(let raw, _, _): _ = try valid(raw)
        case .set(let raw):
            var asked: [Reaction] = []
            for text in raw { asked.append(try valid(text)) }
            for reaction in asked { try checkLists(reaction, operation) }
        case .remove(let raw, _), .clear(.some(let raw), _):
            if canonical(raw) == nil, earlier.canonical(raw) == nil { throw .invalidReaction }
        case .clear(nil, _), .delete, .freeze: break
        }
    }

    /// The widest settings under which what is there may have come in.
    var earlier: Rules {
        var rules = self
        rules.kind = .any
        rules.foldSkinTones = false
        return rules
    }
}
