extension Ledger {
    /// Does what was judged.
    ///
    /// - Parameter plan: from ``judge(_:rules:at:)`` of this very ledger, with no change in between.
    /// - Returns: the answer, and what changed.
    public mutating func commit(_ plan: Plan) -> Outcome {
        var records: [Record] = []
        records.reserveCapacity(plan.recordCount)
        var outcome = commit(plan, records: &records)
        outcome.records = records
        return outcome
    }

    /// Does what was judged, and adds what a store must keep to records that are there already.
    ///
    /// - Parameters:
    ///   - plan: from ``judge(_:rules:at:)`` of this very ledger, with no change in between.
    ///   - records: where the records go; the outcome has none of its own.
    /// - Returns: the answer, and what changed.
    public mutating func commit(_ plan: Plan, records: inout [Record]) -> Outcome {
        if case .repeated(let answer) = plan.effect { return Outcome(answer: answer, isDuplicate: true) }
        var outcome = Outcome(answer: Answer(plan.result, message: plan.operation.message, seq: seq))
        // There and back without a copy.
        swap(&outcome.records, &records)
        var places = Places(message: plan.message, user: plan.user)
        switch plan.effect {
        case .step(let step): perform(step, plan, at: &places, &outcome)
        case .steps(let steps):
            for step in steps { perform(step, plan, at: &places, &outcome) }
        case .clear(let sweeps):
            for sweep in sweeps { perform(sweep, isDeletion: false, plan, &outcome) }
        case .delete(let sweep):
            perform(sweep, isDeletion: true, plan, &outcome)
        case .freeze(let frozen):
            if frozen != isFrozen { outcome.records.append(.frozen(frozen)) }
            isFrozen = frozen
        case .repeated, .count: break
        }
        complete(&outcome.answer, plan, at: places)
        remember(plan, &outcome)
        swap(&outcome.records, &records)
        tally.reclaim(Ledger.reclaimedAtOnce)
        return outcome
    }

    /// Where the message and the user of an operation are, while they have a place.
    private struct Places {
        var message: Slot?
        /// May be the place of one who has just lost the last reaction, and with it the place.
        var user: Slot?
    }

    /// Fills in what the answer to this kind of operation tells besides the result.
    private func complete(_ answer: inout Answer, _ plan: Plan, at places: Places) {
        answer.seq = seq
        answer.reaction = plan.reaction
        answer.previous = plan.previous
        switch plan.operation.action {
        case .add, .remove, .toggle:
            answer.count = 0
            if let reaction = plan.reaction, let message = places.message,
                let group = tally.group(reaction, on: message)
            {
                answer.count = tally.groups[group].count
            }
            answer.own = own(at: places)
        case .set:
            answer.own = own(at: places)
        case .clear, .delete:
            answer.removed = answer.removed ?? 0
        case .freeze:
            answer.frozen = isFrozen
        }
        if case .count = plan.effect {
            answer.count = 0
            answer.own = []
        }
    }

    private func own(at places: Places) -> [OwnReaction] {
        guard let message = places.message, let user = places.user else { return [] }
        return own(of: user, on: message)
    }

    private mutating func remember(_ plan: Plan, _ outcome: inout Outcome) {
        guard let body = plan.body, let key = plan.operation.key else { return }
        let use = UsedKeys.Use(
            user: plan.operation.user, key: key, at: plan.time, body: body, answer: outcome.answer.bytes)
        keys.remember(use)
        outcome.records.append(use.record)
    }
}

// MARK: A user's changes

extension Ledger {
    private mutating func perform(
        _ step: Plan.Step, _ plan: Plan, at places: inout Places, _ outcome: inout Outcome
    ) {
        seq &+= 1
        let message = places.message ?? tally.openMessage(plan.operation.message)
        let kind: Change.Kind =
            switch step {
            case .add(let reaction, let count, let data):
                .added(
                    add(reaction, count, data, on: message, plan, &places.user, &outcome),
                    byCount: plan.isCounted ? count : nil, data: data)
            case .raise(let entry, let count, let data):
                .added(
                    touch(entry, adding: count, data, plan, &outcome), byCount: count, data: tally.data(of: entry))
            case .update(let entry, let data):
                .updated(touch(entry, adding: 0, data, plan, &outcome), data: data)
            case .take(let entry, let count):
                .removed(take(count, from: entry, &outcome), byCount: plan.isCounted ? count : nil)
            case .replace(let entry, let reaction, let data):
                // In this order, so that a group that is emptied frees its place.
                replace(entry, by: reaction, data, on: message, plan, &places.user, &outcome)
            }
        places.message = end(kind, on: message, user: plan.operation.user, plan, &outcome)
    }

    private mutating func add(
        _ reaction: Reaction, _ count: UInt64, _ data: ReactionData?, on message: Slot, _ plan: Plan,
        _ user: inout Slot?, _ outcome: inout Outcome
    ) -> GroupCount {
        let group = tally.openGroup(reaction, on: message, seq: seq, at: plan.time)
        let record = Record.Entry(count: count, given: seq, touched: seq, at: plan.time, data: data)
        let entry = tally.insert(record, by: plan.operation.user, at: user, in: group)
        user = tally.entries[entry].user
        tally.setLast(plan.time, of: group)
        outcome.records.append(tally.record(of: entry))
        outcome.records.append(tally.record(ofGroup: group))
        return tally.groups[group].numbers
    }

    private mutating func touch(
        _ entry: Slot, adding count: UInt64, _ data: ReactionData?, _ plan: Plan, _ outcome: inout Outcome
    ) -> GroupCount {
        let group = tally.entries[entry].group
        tally.touch(entry, adding: count, data: data, seq: seq, at: plan.time)
        outcome.records.append(tally.record(of: entry))
        if count > 0 {
            tally.setLast(plan.time, of: group)
            outcome.records.append(tally.record(ofGroup: group))
        }
        return tally.groups[group].numbers
    }

    private mutating func replace(
        _ entry: Slot, by reaction: Reaction, _ data: ReactionData?, on message: Slot, _ plan: Plan,
        _ user: inout Slot?, _ outcome: inout Outcome
    ) -> Change.Kind {
        let previous = take(tally.entries[entry].count, from: entry, &outcome)
        let new = add(reaction, 1, data, on: message, plan, &user, &outcome)
        return .replaced(new, previous: previous, data: data)
    }

    private mutating func take(_ count: UInt64, from entry: Slot, _ outcome: inout Outcome) -> GroupCount {
        let (message, user, reaction) = tally.names(of: entry)
        let isGone = count >= tally.entries[entry].count
        let numbers = tally.take(count, from: entry)
        outcome.records.append(
            isGone ? .entry(message: message, user: user, reaction: reaction, nil) : tally.record(of: entry))
        if numbers.users == 0 { outcome.records.append(.group(message: message, reaction: reaction, nil)) }
        return numbers
    }

    /// Ends a change: the message's numbers are complete now.
    ///
    /// - Returns: the message's place, if it still has one.
    @discardableResult
    private mutating func end(
        _ kind: Change.Kind, on message: Slot, user: String?, _ plan: Plan, _ outcome: inout Outcome
    ) -> Slot? {
        let name = tally.messages[message].name
        let total = tally.messages[message].total
        let isDeleted = tally.messages[message].isDeleted
        outcome.changes.append(Change(seq: seq, message: name, user: user, at: plan.time, total: total, kind: kind))
        outcome.records.append(.message(name, Record.Message(changed: seq, isDeleted: isDeleted)))
        return tally.settle(message, seq: seq)
    }
}

// MARK: A moderator's changes

extension Ledger {
    /// How many entries of closed groups give their memory back with each operation.
    private static let reclaimedAtOnce = 256

    /// Takes a group away whole, in a time that does not depend on how many are in it.
    private mutating func close(_ group: Slot, on message: String, _ outcome: inout Outcome) -> GroupCount {
        let reaction = tally.groups[group].reaction
        tally.closeWhole(group)
        outcome.records.append(.swept(message: message, reaction: reaction, upTo: seq))
        outcome.records.append(.group(message: message, reaction: reaction, nil))
        return GroupCount(reaction: reaction, count: 0, users: 0)
    }

    private mutating func perform(
        _ sweep: Plan.Sweep, isDeletion: Bool, _ plan: Plan, _ outcome: inout Outcome
    ) {
        seq &+= 1
        let message = tally.openMessage(sweep.message)
        let before = tally.messages[message].total
        var groups = sweep.groups.map { close($0, on: sweep.message, &outcome) }
        for entry in sweep.entries {
            let numbers = take(tally.entries[entry].count, from: entry, &outcome)
            if groups.last?.reaction == numbers.reaction { groups.removeLast() }
            groups.append(numbers)
        }
        if isDeletion { tally.delete(message) }
        let removed = before &- tally.messages[message].total
        outcome.answer.removed = (outcome.answer.removed ?? 0) &+ removed
        var user: String?
        if case .clear(_, let narrowed) = plan.operation.action { user = narrowed }
        let kind = Change.Kind.cleared(
            groups: groups, reaction: plan.reaction, user: user, by: plan.operation.user, removed: removed,
            isDeletion: isDeletion)
        end(kind, on: message, user: nil, plan, &outcome)
    }
}
