extension Ledger {
    /// Says what an operation would do, or why it is refused; nothing changes.
    ///
    /// - Parameters:
    ///   - operation: what is asked for, by whom.
    ///   - rules: the namespace's.
    ///   - time: the time, in Unix milliseconds.
    /// - Returns: what ``commit(_:)`` takes.
    /// - Throws: the first ``Refusal`` in the order of PROTOCOL.md section 8.
    public func judge(_ operation: Operation, rules: Rules, at time: Int64) throws(Refusal) -> Plan {
        try rules.checkPolicy(of: operation)
        var plan = Plan(operation, rules: rules, at: time, in: tally)
        if let answer = try useKey(of: operation, rules: rules, in: &plan) {
            plan.effect = .repeated(answer)
            return plan
        }
        switch operation.action {
        case .add(let raw, let count, let data):
            let reaction = try rules.valid(raw)
            try rules.checkLists(reaction, operation)
            try checkOpen(plan)
            try add(reaction, count: count, data: data, rules: rules, to: &plan)
        case .remove(let raw, let count):
            try remove(raw, count: count, rules: rules, in: &plan)
        case .toggle(let raw, _, let data):
            try toggle(raw, data: data, rules: rules, in: &plan)
        case .set(let raw):
            try set(raw, rules: rules, in: &plan)
        case .clear(let raw, let user):
            try clear(raw, user: user, rules: rules, in: &plan)
        case .delete:
            delete(in: &plan)
        case .freeze(let frozen):
            plan.effect = .freeze(frozen)
            plan.result = frozen == isFrozen ? .unchanged : .changed
        }
        return plan
    }

    /// The first answer, where the key was used for the same body; else notes what to remember.
    func useKey(of operation: Operation, rules: Rules, in plan: inout Plan) throws(Refusal) -> Answer? {
        guard let key = operation.key else { return nil }
        if case .freeze = operation.action { return nil }
        let body = Fingerprint(of: operation, rules: rules)
        plan.body = body
        guard let use = keys.use(of: key, by: operation.user, at: plan.time) else { return nil }
        guard use.body == body else { throw .keyReused }
        return Answer(bytes: use.answer)
    }

    private func checkOpen(_ plan: Plan) throws(Refusal) {
        if isFrozen { throw .frozen }
        if let message = plan.message, tally.messages[message].isDeleted { throw .messageDeleted }
    }
}

// MARK: One reaction

extension Ledger {
    private func add(
        _ reaction: Reaction, count: Int?, data: ReactionData?, rules: Rules, to plan: inout Plan
    ) throws(Refusal) {
        plan.reaction = reaction
        let count = UInt64(clamping: count ?? 1)
        if rules.policy == .ephemeral {
            plan.result = .added
            plan.effect = .count
            return
        }
        let own = ownEntries(plan)
        if let entry = entry(with: reaction, among: own) {
            addAgain(entry, count: count, data: data, to: &plan)
        } else if rules.policy == .unique, let last = own.last {
            try checkLimits(adding: [reaction], to: own, removing: own, rules, plan)
            plan.result = .replaced
            plan.previous = tally.reaction(of: last)
            // More than one is there only where the policy was another one before.
            plan.effect = .steps(takeAll(own.dropLast()) + [.replace(last, by: reaction, data: data)])
        } else {
            try checkLimits(adding: [reaction], to: own, removing: [], rules, plan)
            plan.result = .added
            plan.effect = .step(.add(reaction, count: count, data: data))
        }
    }

    private func addAgain(_ entry: Slot, count: UInt64, data: ReactionData?, to plan: inout Plan) {
        if plan.isCounted {
            plan.result = .added
            plan.effect = .step(.raise(entry, count: count, data: data))
        } else if let data, data.canonical != tally.data(of: entry)?.canonical {
            plan.result = .updated
            plan.effect = .step(.update(entry, data: data))
        }
    }

    private func remove(_ raw: String, count: Int?, rules: Rules, in plan: inout Plan) throws(Refusal) {
        let own = ownEntries(plan)
        let reaction = try rules.named(by: raw, among: own.map { tally.reaction(of: $0) })
        plan.reaction = reaction
        if isFrozen { throw .frozen }
        guard let entry = entry(with: reaction, among: own) else { return }
        let there = tally.entries[entry].count
        plan.result = .removed
        plan.effect = .step(.take(entry, count: min(count.map { UInt64(clamping: $0) } ?? there, there)))
    }

    private func toggle(_ raw: String, data: ReactionData?, rules: Rules, in plan: inout Plan) throws(Refusal) {
        let reaction = try rules.valid(raw)
        let entry = entry(with: reaction, among: ownEntries(plan))
        // Lists are judged on what would be there: removing is never refused by them.
        if entry == nil { try rules.checkLists(reaction, plan.operation) }
        try checkOpen(plan)
        guard let entry else { return try add(reaction, count: nil, data: data, rules: rules, to: &plan) }
        plan.reaction = reaction
        plan.result = .removed
        plan.effect = .step(.take(entry, count: tally.entries[entry].count))
    }
}

// MARK: All of a user's reactions

extension Ledger {
    private func set(_ raw: [String], rules: Rules, in plan: inout Plan) throws(Refusal) {
        var asked: [Reaction] = []
        for text in raw {
            let reaction = try rules.valid(text)
            if !asked.contains(reaction) { asked.append(reaction) }
        }
        for reaction in asked { try rules.checkLists(reaction, plan.operation) }
        try checkOpen(plan)
        let own = ownEntries(plan)
        let kept = own.filter { asked.contains(tally.reaction(of: $0)) }.map { tally.reaction(of: $0) }
        let removed = own.filter { !asked.contains(tally.reaction(of: $0)) }
        let added = asked.filter { !kept.contains($0) }
        if !added.isEmpty { try checkLimits(adding: added, to: own, removing: removed, rules, plan) }
        let steps =
            if rules.policy == .unique, let last = removed.last, let new = added.first {
                takeAll(removed.dropLast()) + [.replace(last, by: new, data: nil)]
            } else {
                takeAll(removed) + added.map { .add($0, count: 1, data: nil) }
            }
        plan.result = steps.isEmpty ? .unchanged : .changed
        plan.effect = .steps(steps)
    }
}

// MARK: Everyone's reactions

extension Ledger {
    private func clear(_ raw: String?, user: String?, rules: Rules, in plan: inout Plan) throws(Refusal) {
        let names: [Slot]
        if plan.operation.isForAllMessages {
            names = user.flatMap { tally.user($0) }.map { tally.messages(of: $0) } ?? []
        } else {
            names = plan.message.map { [$0] } ?? []
        }
        if let raw {
            let there = names.lazy.flatMap { tally.messages[$0].groups }.map { tally.groups[$0].reaction }
            plan.reaction = try rules.named(by: raw, among: there)
        }
        let sweeps = names.map { sweep($0, plan.reaction, user: user) }.filter { !$0.isEmpty }
        plan.result = sweeps.isEmpty ? .unchanged : .cleared
        plan.effect = .clear(sweeps)
    }

    private func delete(in plan: inout Plan) {
        if let message = plan.message, tally.messages[message].isDeleted { return }
        plan.result = .deleted
        plan.effect = .delete(
            plan.message.map { sweep($0, nil, user: nil) } ?? Plan.Sweep(message: plan.operation.message))
    }

    private func sweep(_ message: Slot, _ reaction: Reaction?, user: String?) -> Plan.Sweep {
        let groups = tally.messages[message].groups.filter { reaction == nil || tally.groups[$0].reaction == reaction }
        var sweep = Plan.Sweep(message: tally.messages[message].name)
        if let user {
            guard let user = tally.user(user) else { return sweep }
            sweep.entries = groups.compactMap { tally.entry(of: user, in: $0) }
        } else {
            sweep.groups = groups
        }
        return sweep
    }
}

// MARK: Shared by the above

extension Ledger {
    private func ownEntries(_ plan: Plan) -> [Slot] {
        guard let message = plan.message, let user = plan.user else { return [] }
        return tally.entries(of: user, on: message)
    }

    // A loop: a closure would have a copy of the ledger.
    private func entry(with reaction: Reaction, among own: [Slot]) -> Slot? {
        for slot in own where tally.reaction(of: slot) == reaction { return slot }
        return nil
    }

    private func takeAll(_ entries: some Sequence<Slot>) -> [Plan.Step] {
        entries.map { .take($0, count: tally.entries[$0].count) }
    }

    /// Judges the limits on what would be there afterwards.
    private func checkLimits(
        adding new: [Reaction], to own: [Slot], removing removed: [Slot], _ rules: Rules, _ plan: Plan
    ) throws(Refusal) {
        if own.count - removed.count + new.count > rules.maxPerUserAndMessage {
            throw .tooManyReactions(
                "at most \(rules.maxPerUserAndMessage) \(rules.maxPerUserAndMessage == 1 ? "reaction" : "reactions") a user and message"
            )
        }
        var kinds = 0
        var there = 0
        if let message = plan.message { there = tally.messages[message].groups.count }
        for reaction in new where plan.message.flatMap({ tally.group(reaction, on: $0) }) == nil { kinds += 1 }
        guard kinds > 0 else { return }
        var freed = 0
        for entry in removed where tally.groups[tally.entries[entry].group].users == 1 { freed += 1 }
        if there - freed + kinds > rules.maxKindsPerMessage {
            throw .tooManyReactions(
                "at most \(rules.maxKindsPerMessage) different \(rules.maxKindsPerMessage == 1 ? "reaction" : "reactions") a message"
            )
        }
    }
}
