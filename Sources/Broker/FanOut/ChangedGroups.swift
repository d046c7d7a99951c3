import Reactions
import Wire

/// The groups of a channel that changed since they were last told of, each with its newest numbers.
///
/// However much happens, it holds one entry a group: this is what bounds summaries, and what waits for a slow reader.
struct ChangedGroups: Sendable {
    /// The channel's seq that the numbers are of.
    private(set) var seq: UInt64 = 0
    /// The messages, in the order in which they first changed.
    private(set) var messages: [SummaryDelta] = []
    private var places: [String: Int] = [:]

    var isEmpty: Bool { messages.isEmpty }

    /// Takes in a change.
    mutating func note(_ change: Change) {
        let place = place(of: change.message)
        seq = change.seq
        messages[place].total = change.total
        switch change.kind {
        case .added(let group, _, _), .removed(let group, _), .updated(let group, _):
            note(group, at: place)
        case .replaced(let group, let previous, _):
            note(previous, at: place)
            note(group, at: place)
        case .cleared(let groups, _, _, _, _, let isDeletion):
            for group in groups { note(group, at: place) }
            if isDeletion { messages[place].isDeleted = true }
        }
    }

    /// Takes in newer numbers.
    ///
    /// - Returns: By about how many bytes it has grown.
    @discardableResult
    mutating func merge(_ newer: [SummaryDelta], seq: UInt64) -> Int {
        self.seq = seq
        var grown = 0
        for delta in newer {
            let count = messages.count
            let place = place(of: delta.message)
            if messages.count > count { grown += Self.bytes(ofMessage: delta.message) }
            messages[place].total = delta.total
            messages[place].isDeleted = delta.isDeleted
            for group in delta.groups {
                let count = messages[place].groups.count
                note(group, at: place)
                if messages[place].groups.count > count { grown += Self.bytes(of: group) }
            }
        }
        return grown
    }

    /// About as many bytes as it takes in memory and on the wire, which are alike.
    var bytes: Int {
        messages.reduce(0) { sum, delta in
            delta.groups.reduce(sum + Self.bytes(ofMessage: delta.message)) { $0 + Self.bytes(of: $1) }
        }
    }

    private static func bytes(ofMessage name: String) -> Int { 64 + name.utf8.count }

    private static func bytes(of group: GroupCount) -> Int { 48 + group.reaction.text.utf8.count }

    /// Takes out what is of a user's interest no longer.
    mutating func keep(only watched: Set<String>) {
        guard messages.contains(where: { !watched.contains($0.message) }) else { return }
        messages.removeAll { !watched.contains($0.message) }
        places = Dictionary(uniqueKeysWithValues: messages.enumerated().map { ($1.message, $0) })
    }

    private mutating func place(of message: String) -> Int {
        if let place = places[message] { return place }
        places[message] = messages.count
        messages.append(SummaryDelta(message: message, total: 0, groups: []))
        return messages.count - 1
    }

    /// A group that was gone and is there again counts as new: it goes to the end.
    private mutating func note(_ group: GroupCount, at place: Int) {
        if let index = messages[place].groups.firstIndex(where: { $0.reaction == group.reaction }) {
            guard messages[place].groups[index].count == 0, group.count > 0 else {
                messages[place].groups[index] = group
                return
            }
            messages[place].groups.remove(at: index)
        }
        messages[place].groups.append(group)
    }
}
