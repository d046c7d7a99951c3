internal import Reactions

/// What the numbers in a channel's events must be: `count` and `users` of the reaction, and `total` of the message
/// (PROTOCOL.md section 4: all are absolute, after the change).
///
/// A run's messages are its own and new, so whoever sees every event from their first one knows each number beforehand. Where
/// events were missed, what the next one says of a group or a message is taken for true, and checked from then on.
struct EventCounts: Sendable {
    private struct Group {
        var count: UInt64
        var users: UInt64
    }

    /// By cell (``CountModel``), and by message.
    private var groups: [UInt64: Group] = [:]
    private var totals: [Int: UInt64] = [:]
    private var next: UInt64?
    /// Whether what is not listed is known to be 0.
    private var knowsAll = true

    /// Takes in that somebody subscribed; what matters is where the first one did.
    mutating func begin(after seq: UInt64) {
        if next == nil { next = seq &+ 1 }
    }

    /// Gives up what is known.
    mutating func forget() {
        groups.removeAll(keepingCapacity: true)
        totals.removeAll(keepingCapacity: true)
        knowsAll = false
    }

    /// Compares an event with what is known, and takes it in; each event once, in the order of their seqs.
    ///
    /// - Parameters:
    ///   - change: The event.
    ///   - message: The number of its message; `nil` where it is none of this run's.
    ///   - reaction: The number of a reaction of the run; 15 and more for others.
    /// - Returns: How many numbers were compared, and how many are wrong.
    mutating func take(
        _ change: Change, message: Int?, reaction: (Reaction) -> Int
    ) -> (compared: UInt64, wrong: UInt64) {
        if change.seq != next { forget() }
        next = change.seq &+ 1
        guard let message else { return (0, 0) }
        var check = Check()
        switch change.kind {
        case .added(let group, let step, _):
            apply(group, by: Int64(clamping: step ?? 1), isCounted: step != nil, to: message, reaction, &check)
        case .removed(let group, let step):
            apply(group, by: -Int64(clamping: step ?? 1), isCounted: step != nil, to: message, reaction, &check)
        case .updated(let group, _): apply(group, by: 0, isCounted: false, to: message, reaction, &check)
        case .replaced(let group, let previous, _):
            apply(group, by: 1, isCounted: false, to: message, reaction, &check)
            apply(previous, by: -1, isCounted: false, to: message, reaction, &check)
        case .cleared:
            // How many somebody else has taken away is not known.
            forget()
            return (0, 0)
        }
        check.compare(totals[message], change.total)
        totals[message] = totals[message] ?? change.total
        return (check.compared, check.wrong)
    }

    /// Changes a group and the message's total, and compares the group's numbers.
    ///
    /// - Parameters:
    ///   - group: The group as the event has it.
    ///   - step: How much it changed.
    ///   - isCounted: Whether people may have several (policy `multiple`), so that how many people is not known.
    ///   - message: The number of the message.
    ///   - reaction: The number of a reaction.
    ///   - check: What was compared.
    private mutating func apply(
        _ group: GroupCount, by step: Int64, isCounted: Bool, to message: Int, _ reaction: (Reaction) -> Int,
        _ check: inout Check
    ) {
        let number = reaction(group.reaction)
        guard number < 15 else { return }
        let cell = CountModel.cell(message: message, reaction: number)
        if let total = totals[message] ?? (knowsAll ? 0 : nil) { totals[message] = EventCounts.sum(total, step) }
        guard let known = groups[cell] ?? (knowsAll ? Group(count: 0, users: 0) : nil) else {
            groups[cell] = Group(count: group.count, users: group.users)
            return
        }
        let count = EventCounts.sum(known.count, step)
        let users = isCounted ? group.users : EventCounts.sum(known.users, step)
        check.compare(count, group.count)
        if !isCounted { check.compare(users, group.users) }
        groups[cell] = count == 0 && knowsAll ? nil : Group(count: count, users: users)
    }

    /// A count after a step, at least 0.
    private static func sum(_ count: UInt64, _ step: Int64) -> UInt64 {
        step < 0 ? count - min(count, step.magnitude) : count &+ step.magnitude
    }

    private struct Check {
        var compared: UInt64 = 0
        var wrong: UInt64 = 0

        mutating func compare(_ known: UInt64?, _ said: UInt64) {
            guard let known else { return }
            compared += 1
            if known != said { wrong += 1 }
        }
    }
}
