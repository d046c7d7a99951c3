internal import Reactions

/// What the publishers ask for, one request after the other.
struct Script {
    /// One request, and what must come of it.
    struct Move {
        enum Kind { case add, remove, toggle }
        var kind: Kind
        /// The message and the reaction (``CountModel``).
        var cell: UInt64
        var expected: Answer.Result
    }

    private let plan: Plan
    private let messages: Zipf
    private let reactions: Zipf
    private var generator: SeededGenerator

    init(_ plan: Plan) {
        self.plan = plan
        messages = Zipf(count: plan.messages, exponent: plan.zipf)
        reactions = Zipf(count: plan.reactions.count, exponent: plan.zipf)
        generator = SeededGenerator(seed: plan.seed ^ 0x5C21)
    }

    /// The next request of a publisher.
    ///
    /// A user's requests in one channel take effect in the order in which they were sent (PROTOCOL.md section 2), so what
    /// comes of each is known beforehand.
    ///
    /// - Parameters:
    ///   - publisher: Whose.
    ///   - own: What the publisher has by then, which is kept up to date.
    /// - Returns: The request.
    mutating func next(of publisher: Int, own: inout Set<UInt64>) -> Move {
        guard plan.scenario.isMixed else {
            // An addition and its removal, in turn, on a message of its own: every request is one change and one event.
            let cell = CountModel.cell(message: publisher, reaction: 0)
            return own.remove(cell) == nil
                ? added(.add, cell, &own) : Move(kind: .remove, cell: cell, expected: .removed)
        }
        let message = messages.pick(using: &generator)
        let cell = CountModel.cell(
            message: Script.number(of: message, publisher, plan), reaction: reactions.pick(using: &generator))
        switch kind() {
        case .add:
            // The data is another one each time, so an addition of what is there updates it.
            return own.contains(cell) ? Move(kind: .add, cell: cell, expected: .updated) : added(.add, cell, &own)
        case .remove:
            let isThere = own.remove(cell) != nil
            return Move(kind: .remove, cell: cell, expected: isThere ? .removed : .unchanged)
        case .toggle:
            return own.remove(cell) == nil
                ? added(.toggle, cell, &own) : Move(kind: .toggle, cell: cell, expected: .removed)
        }
    }

    /// The number of a message in its name.
    ///
    /// Where all publishers are one user, each has messages of its own; else they would undo each other's reactions.
    static func number(of message: Int, _ publisher: Int, _ plan: Plan) -> Int {
        if case .token = plan.identity { publisher * plan.messages + message } else { message }
    }

    private func added(_ kind: Move.Kind, _ cell: UInt64, _ own: inout Set<UInt64>) -> Move {
        own.insert(cell)
        return Move(kind: kind, cell: cell, expected: .added)
    }

    private mutating func kind() -> Move.Kind {
        let mix = plan.mix
        let pick = Int.random(in: 0..<max(1, mix.add + mix.remove + mix.toggle), using: &generator)
        return pick < mix.add ? .add : pick < mix.add + mix.remove ? .remove : .toggle
    }
}
