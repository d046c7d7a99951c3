import FanfareClient
import Reactions
import Wire

/// What the live view of a channel shows; told of updates, asked for rows.
struct Board {
    /// How many of the newest lines are kept.
    static let maxLines = 200

    let channel: String
    let mode: Mode
    private(set) var state = ConnectionState.connecting
    private(set) var view = ChannelView()
    /// Newest last.
    private(set) var lines: [Line] = []
    /// What was counted in bursts since the start: an ephemeral channel keeps nothing else.
    private(set) var tallies: [String: [Reactions.Reaction: UInt64]] = [:]
    private(set) var occupancy: (connections: UInt64, users: UInt64)?
    private var clock: WallClock

    /// One of the newest happenings.
    struct Line: Equatable {
        var time: String
        var text: String
    }

    /// Makes an empty board.
    init(channel: String, mode: Mode, clock: WallClock) {
        self.channel = channel
        self.mode = mode
        self.clock = clock
    }

    /// Takes one update.
    mutating func take(_ update: ChannelUpdate) {
        switch update {
        case .connection(let state): self.state = state
        case .snapshot(let snapshot): view = snapshot.view
        case .event(let change):
            view.apply(change)
            add(describe(change), at: change.at)
        case .summary(let seq, let deltas):
            view.apply(deltas, seq: seq)
            for delta in deltas { add(describe(delta), at: nil) }
        case .own, .ended: break
        case .occupancy(let connections, let users): occupancy = (connections, users)
        case .burst(let burst):
            for entry in burst.counts {
                let known = tallies[burst.message]?[entry.reaction] ?? 0
                tallies[burst.message, default: [:]][entry.reaction] =
                    known.addingReportingOverflow(entry.count)
                    .partialValue
            }
            let counts = burst.counts.map { "\($0.reaction) ×\($0.count)" }.joined(separator: "  ")
            add("\(counts)\(place(burst.message, " on "))", at: burst.at)
        case .frozen(let isFrozen, let by):
            view.isFrozen = isFrozen
            add((isFrozen ? "frozen" : "open again") + (by.isEmpty ? "" : " by \(by)"), at: nil)
        }
    }

    private mutating func add(_ text: String, at milliseconds: Int64?) {
        if lines.count >= Self.maxLines { lines.removeFirst(Self.maxLines / 2) }
        lines.append(Line(time: clock.time(ofDay: milliseconds), text: text))
    }
}

/// What a change did, in a few words: `ada  👍 on m1: 3`.
func describe(_ change: Change) -> String {
    let who = change.user.map { $0 + " " } ?? ""
    let on = place(change.message, " on ")
    switch change.kind {
    case .added(let group, let step, _):
        return "\(who)added \(group.reaction)\(step.map { " ×\($0)" } ?? "")\(on): \(group.count)"
    case .removed(let group, let step):
        return "\(who)removed \(group.reaction)\(step.map { " ×\($0)" } ?? "")\(on): \(group.count)"
    case .updated(let group, _):
        return "\(who)updated \(group.reaction)\(on)"
    case .replaced(let group, let previous, _):
        return "\(who)replaced \(previous.reaction) by \(group.reaction)\(on): \(group.count)"
    case .cleared(_, _, _, let by, let removed, let isDeletion):
        return "\(by) \(isDeletion ? "deleted" : "cleared")\(on): \(removed) gone"
    }
}

/// The groups that a summary tells, in a few words: `m1: 👍 1003, 👎 gone`.
private func describe(_ delta: SummaryDelta) -> String {
    let where_ = delta.message.isEmpty ? "" : "\(delta.message): "
    if delta.isDeleted { return "\(where_)deleted" }
    return where_
        + delta.groups.map { $0.count > 0 ? "\($0.reaction) \($0.count)" : "\($0.reaction) gone" }
        .joined(separator: ", ")
}

/// ` on m1`, or nothing for the channel itself.
func place(_ message: String, _ word: String) -> String {
    message.isEmpty ? "" : word + message
}
