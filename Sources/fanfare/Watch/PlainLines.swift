import FanfareClient
import Reactions
import Wire

/// The lines that `watch` prints where standard output is no terminal.
///
/// One line a change; the first word says what it is, the others are `name=value` with the names of the broker's
/// own messages. No value holds a blank. The format is stable: new words come at the end of a line.
enum PlainLines {
    /// The lines of one update; none for what is told on standard error instead.
    static func lines(for update: ChannelUpdate) -> [String] {
        switch update {
        case .connection, .ended: []
        case .snapshot(let snapshot): lines(for: snapshot)
        case .event(let change): [line(for: change)]
        case .summary(let seq, let deltas): deltas.map { line(for: $0, seq: seq) }
        case .own(let message, let own, let seq):
            [line("own", ["seq=\(seq)", "message=\(message)", "own=" + own.map(text).joined(separator: ",")])]
        case .occupancy(let connections, let users):
            [line("occupancy", ["connections=\(connections)", "users=\(users)"])]
        case .burst(let burst):
            [
                line(
                    "burst",
                    ["at=\(burst.at)", "message=\(burst.message)"] + burst.counts.map { "\($0.reaction)=\($0.count)" })
            ]
        case .frozen(let isFrozen, let by):
            [line("frozen", ["frozen=\(isFrozen)"] + (by.isEmpty ? [] : ["by=\(by)"]))]
        }
    }

    private static func lines(for snapshot: ChannelSnapshot) -> [String] {
        let messages = snapshot.view.newestFirst.filter { $0.total > 0 || $0.isDeleted }
        let head = line(
            "snapshot",
            [
                "seq=\(snapshot.view.seq)", "epoch=\(snapshot.epoch)", "messages=\(messages.count)",
                "complete=\(snapshot.view.isComplete)", "frozen=\(snapshot.view.isFrozen)",
            ])
        return [head]
            + messages.map { message in
                counts(
                    "state", message: message.message, seq: message.seq, total: message.total,
                    groups: message.groups, isDeleted: message.isDeleted)
            }
    }

    private static func line(for change: Change) -> String {
        var fields = ["seq=\(change.seq)", "message=\(change.message)"]
        let name: String
        switch change.kind {
        case .added(let group, let step, _):
            name = "added"
            fields += words(for: group) + (step.map { ["by_count=\($0)"] } ?? [])
        case .removed(let group, let step):
            name = "removed"
            fields += words(for: group) + (step.map { ["by_count=\($0)"] } ?? [])
        case .updated(let group, _):
            name = "updated"
            fields += words(for: group)
        case .replaced(let group, let previous, _):
            name = "replaced"
            fields += words(for: group)
            fields += ["previous=\(previous.reaction)", "previous_count=\(previous.count)"]
        case .cleared(_, let reaction, let user, let by, let removed, let isDeletion):
            name = isDeletion ? "deleted" : "cleared"
            fields += ["removed=\(removed)", "by=\(by)"]
            fields += (reaction.map { ["reaction=\($0)"] } ?? []) + (user.map { ["user=\($0)"] } ?? [])
        }
        fields += ["total=\(change.total)", "at=\(change.at)"]
        if let user = change.user { fields.append("user=\(user)") }
        return line(name, fields)
    }

    private static func line(for delta: SummaryDelta, seq: UInt64) -> String {
        counts(
            "summary", message: delta.message, seq: seq, total: delta.total, groups: delta.groups,
            isDeleted: delta.isDeleted)
    }

    private static func counts(
        _ name: String, message: String, seq: UInt64, total: UInt64, groups: [GroupCount], isDeleted: Bool
    ) -> String {
        line(
            name,
            ["seq=\(seq)", "message=\(message)", "total=\(total)"] + (isDeleted ? ["deleted=true"] : [])
                + groups.map { "\($0.reaction)=\($0.count)" })
    }

    private static func words(for group: GroupCount) -> [String] {
        ["reaction=\(group.reaction)", "count=\(group.count)", "users=\(group.users)"]
    }

    private static func text(_ own: OwnReaction) -> String {
        own.count == 1 ? own.reaction.text : "\(own.reaction)×\(own.count)"
    }

    private static func line(_ name: String, _ fields: [String]) -> String {
        printable(([name] + fields).joined(separator: " "))
    }
}
