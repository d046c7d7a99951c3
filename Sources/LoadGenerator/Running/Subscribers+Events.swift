internal import Reactions
internal import Wire

// What an event says: whose request is behind it, and whether its numbers are right.
extension Subscribers {
    /// Compares an event with what the first reader on this loop was sent, where it is this reader's turn.
    func compare(_ text: Span<UInt8>, at seq: UInt64, channel: Int, reader: Int) {
        guard EventFrames.isTurn(seq, ofReader: reader), let first = frames[channel].other(than: text, at: seq),
            case .event(_, let change) = try? BrokerMessage.decode(text)
        else { return }
        connector.tally.eventCountsWrong += change.differences(from: first)
    }

    /// When the request behind an event was due and sent, from the event as it was first seen on this loop.
    func stamp(at seq: UInt64, of change: Change?, _ text: Span<UInt8>, channel: Int) -> Stamp? {
        var change = change
        if change == nil {
            guard case .event(_, let decoded) = try? BrokerMessage.decode(text) else {
                connector.tally.count("undecodable message")
                return nil
            }
            change = decoded
        }
        guard let change else { return nil }
        frames[channel].enter(change, text)
        let message = run.number(ofMessage: change.message)
        let checked = eventCounts[channel].take(change, message: message, reaction: reaction)
        connector.tally.eventCountsCompared += checked.compared
        connector.tally.eventCountsWrong += checked.wrong
        guard let message, let publisher = publisher(change, message) else { return nil }
        let group: GroupCount
        var carried: UInt64?
        switch change.kind {
        case .added(let added, _, let data):
            group = added
            carried = data.flatMap { run.number(in: $0.text) }
        case .updated(let updated, let data):
            group = updated
            carried = run.number(in: data.text)
        case .removed(let removed, _): group = removed
        case .replaced, .cleared: return nil
        }
        guard let number = logs[channel].number(at: seq, carried: carried, by: publisher, step: plan.publishers) else {
            return nil
        }
        return sends.stamp(of: number, cell: CountModel.cell(message: message, reaction: reaction(group.reaction)))
    }

    /// Whose request it was.
    private func publisher(_ change: Change, _ message: Int) -> Int? {
        let number: Int?
        if !plan.scenario.isMixed {
            number = message
        } else if let userPrefix, let user = change.user, user.hasPrefix(userPrefix) {
            number = Int(user.dropFirst(userPrefix.count)).map { $0 &- 1 }
        } else {
            number = userPrefix == nil ? message / plan.messages : nil
        }
        return number.flatMap { (0..<plan.publishers).contains($0) ? $0 : nil }
    }

    /// The number of a reaction; the broker may write it with or without a variation selector.
    func reaction(_ reaction: Reaction) -> Int {
        guard plan.reactions.count > 1 else { return 0 }
        return plan.reactions.firstIndex { Subscribers.isSame($0, reaction.text) } ?? 15
    }

    private static func isSame(_ one: String, _ other: String) -> Bool {
        one.unicodeScalars.lazy.filter { $0 != "\u{FE0F}" }
            .elementsEqual(other.unicodeScalars.lazy.filter { $0 != "\u{FE0F}" })
    }
}
