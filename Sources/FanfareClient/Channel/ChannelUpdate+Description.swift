import Reactions
import Wire

extension ChannelUpdate: CustomStringConvertible {
    /// A line for a person, such as `ada added 👍 to m1, which makes 3`.
    public var description: String {
        switch self {
        case .connection(let state): state.description
        case .snapshot(let snapshot): snapshot.description
        case .event(let change): change.sentence
        case .summary(let seq, let deltas):
            "as of \(seq): " + deltas.map { "\($0.message) " + text($0.groups) }.joined(separator: "; ")
        case .own(let message, let own, _):
            "you have on \(message): " + (own.isEmpty ? "nothing" : own.map(\.reaction.text).joined(separator: " "))
        case .occupancy(let connections, let users):
            (users == 1 ? "1 person is" : "\(users) people are") + " here, by \(connections) connection"
                + (connections == 1 ? "" : "s")
        case .burst(let burst):
            "on \(burst.message): " + burst.counts.map { "\($0.count) × \($0.reaction)" }.joined(separator: " ")
        case .frozen(let isFrozen, let by):
            (isFrozen ? "frozen" : "no longer frozen") + (by.isEmpty ? "" : " by \(by)")
        case .ended(let error): "ended: \(error)"
        }
    }
}

extension ConnectionState: CustomStringConvertible {
    /// A few words for a person.
    public var description: String {
        switch self {
        case .connecting: "connecting"
        case .connected(let user): "connected" + (user.map { " as \($0)" } ?? "")
        case .waiting(let wait, let loss): "not connected: \(loss); next attempt in \(wait)"
        case .closed(let reason): "closed: \(reason)"
        }
    }
}

extension ChannelSnapshot: CustomStringConvertible {
    /// A line for a person: all messages that have reactions.
    public var description: String {
        let messages = view.newestFirst.filter { $0.total > 0 }.map { "\($0.message) " + text($0.groups) }
        return "as of \(view.seq): " + (messages.isEmpty ? "no reactions" : messages.joined(separator: "; "))
    }
}

extension Change {
    fileprivate var sentence: String {
        let who = user ?? "someone"
        return switch kind {
        case .added(let group, _, _): "\(who) added \(group.reaction) to \(message), which makes \(group.count)"
        case .removed(let group, _): "\(who) removed \(group.reaction) from \(message), which leaves \(group.count)"
        case .updated(let group, _): "\(who) updated \(group.reaction) on \(message)"
        case .replaced(let group, let previous, _):
            "\(who) replaced \(previous.reaction) by \(group.reaction) on \(message), which makes \(group.count)"
        case .cleared(_, _, _, let by, _, isDeletion: true): "\(by) deleted \(message)"
        case .cleared(_, _, _, let by, let removed, _): "\(by) cleared \(removed) from \(message)"
        }
    }
}

private func text(_ groups: [GroupCount]) -> String {
    groups.map { "\($0.reaction) \($0.count)" }.joined(separator: " ")
}
