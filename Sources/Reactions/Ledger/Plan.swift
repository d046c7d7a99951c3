/// What an operation is going to do: judged, and not yet done.
///
/// It holds for the ledger as it was when it was judged; commit it before anything else changes that ledger.
public struct Plan: Sendable {
    /// One change of one user's reactions.
    enum Step: Sendable {
        case add(Reaction, count: UInt64, data: ReactionData?)
        case raise(Slot, count: UInt64, data: ReactionData?)
        case update(Slot, data: ReactionData)
        case take(Slot, count: UInt64)
        case replace(Slot, by: Reaction, data: ReactionData?)
    }

    /// A moderator's change of one message: what to take away, in the groups' order.
    struct Sweep: Sendable {
        var message: String
        /// Groups that go with all their entries.
        var groups: [Slot] = []
        /// Entries of one user, where the change is narrowed to that one.
        var entries: [Slot] = []

        var isEmpty: Bool { groups.isEmpty && entries.isEmpty }
        var recordCount: Int { groups.count * 2 + entries.count + 2 }
    }

    /// What happens to the channel.
    enum Effect: Sendable {
        /// Nothing; the answer was given before.
        case repeated(Answer)
        /// One change.
        case step(Step)
        /// Each step is a change.
        case steps([Step])
        /// Each sweep is a change.
        case clear([Sweep])
        case delete(Sweep)
        case freeze(Bool)
        /// Nothing is kept, but it counts into the next burst.
        case count
    }

    let operation: Operation
    let time: Int64
    /// Whether reactions are counted (policy `multiple`), so that changes tell their step.
    let isCounted: Bool
    /// The places of the message and the user, where they have one.
    let message: Slot?
    let user: Slot?
    var effect = Effect.steps([])
    var result = Answer.Result.unchanged
    var reaction: Reaction?
    var previous: Reaction?
    /// What to remember of the key.
    var body: Fingerprint?

    init(_ operation: Operation, rules: Rules, at time: Int64, in tally: borrowing Tally) {
        self.operation = operation
        message = tally.message(operation.message)
        user = tally.user(operation.user)
        self.time = time
        isCounted = rules.policy == .multiple
    }

    /// About how many records it will make.
    var recordCount: Int {
        let key = body == nil ? 0 : 1
        return switch effect {
        case .repeated, .count: key
        case .freeze: 1
        case .step: 3 + key
        case .steps(let steps): steps.count * 3 + key
        case .clear(let sweeps): sweeps.reduce(key) { $0 + $1.recordCount }
        case .delete(let sweep): sweep.recordCount + key
        }
    }

    /// The message from which it takes what everyone has, or has with one reaction; `nil`: it does no such thing.
    public var sweptMessage: String? {
        switch effect {
        case .clear(let sweeps): sweeps.first { !$0.groups.isEmpty }?.message
        case .delete(let sweep): sweep.groups.isEmpty ? nil : sweep.message
        case .repeated, .step, .steps, .freeze, .count: nil
        }
    }

    /// Whether it changes nothing but what its user has: no moderator's change, and nothing for a burst.
    public var concernsOneUser: Bool {
        switch effect {
        case .repeated, .step, .steps: true
        case .clear, .delete, .freeze, .count: false
        }
    }

    /// Whether the first answer to the same key is given again.
    public var isDuplicate: Bool {
        if case .repeated = effect { true } else { false }
    }

    /// Whether the channel's state or its next burst will be another one afterwards.
    public var changesSomething: Bool {
        switch effect {
        case .repeated: false
        case .step: true
        case .steps(let steps): !steps.isEmpty
        case .clear(let sweeps): !sweeps.isEmpty
        case .freeze: result == .changed
        case .delete, .count: true
        }
    }
}
