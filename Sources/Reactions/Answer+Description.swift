extension Answer: CustomStringConvertible {
    /// A line for a person, such as `added 👍 to m1, which makes 3`.
    public var description: String {
        let what = reaction.map { "\($0)" } ?? "reactions"
        let place = message.isEmpty ? "the channel" : message
        return switch result {
        case .added: "added \(what) to \(place)" + told("which makes")
        case .removed: "removed \(what) from \(place)" + told("which leaves")
        case .replaced: "replaced \(previous.map { "\($0)" } ?? "another") by \(what) on \(place)" + told("which makes")
        case .updated: "updated \(what) on \(place)"
        case .unchanged: "unchanged" + (reaction == nil ? "" : ": \(what) on \(place)") + told("there are")
        case .changed: changed(place)
        case .cleared: "cleared \(removed ?? 0) from \(place)"
        case .deleted: "deleted \(place), with \(removed ?? 0) reactions"
        }
    }

    private func told(_ words: String) -> String {
        count.map { ", \(words) \($0)" } ?? ""
    }

    private func changed(_ place: String) -> String {
        if let frozen { return frozen ? "frozen" : "no longer frozen" }
        let mine = (own ?? []).map { $0.count == 1 ? "\($0.reaction)" : "\($0.count) × \($0.reaction)" }
        return "you have on \(place) now: \(mine.isEmpty ? "nothing" : mine.joined(separator: " "))"
    }
}
