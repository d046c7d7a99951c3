import Reactions

extension PlainLedger {
    func rows(_ message: String, _ reaction: String) -> [Row] {
        rows.filter { $0.message == message && $0.reaction == reaction }
    }

    func rows(of user: String, _ message: String) -> [Row] {
        rows.filter { $0.message == message && $0.user == user }.sorted { $0.given < $1.given }
    }

    func kinds(_ message: String) -> [Kind] {
        kinds.filter { $0.message == message }
    }

    func total(_ message: String) -> UInt64 {
        rows.filter { $0.message == message }.map(\.count).reduce(0, +)
    }

    func numbers(_ message: String, _ reaction: String) -> GroupCount {
        let rows = rows(message, reaction)
        return GroupCount(
            reaction: Reaction(canonical: reaction), count: rows.map(\.count).reduce(0, +), users: UInt64(rows.count))
    }

    func own(_ user: String, _ message: String) -> [OwnReaction] {
        rows(of: user, message).map { OwnReaction(reaction: Reaction(canonical: $0.reaction), count: $0.count) }
    }

    func summary(_ message: String, for user: String?) -> Summary? {
        if deleted.contains(message) {
            return Summary(message: message, total: 0, groups: [], own: nil, isDeleted: true)
        }
        guard !kinds(message).isEmpty else { return nil }
        let groups = kinds(message).map { kind in
            let rows = rows(message, kind.reaction).sorted { $0.touched > $1.touched }
            return Summary.Group(
                reaction: Reaction(canonical: kind.reaction), count: rows.map(\.count).reduce(0, +),
                users: UInt64(rows.count), first: kind.first, last: kind.last, latest: rows.prefix(5).map(\.user))
        }
        return Summary(message: message, total: total(message), groups: groups, own: user.map { own($0, message) })
    }

    func newest(for user: String?) -> [Summary] {
        changed.sorted { $0.value > $1.value }.map(\.key).filter { !deleted.contains($0) }
            .compactMap { summary($0, for: user) }
    }

    func reactors(_ message: String, _ reaction: String?) -> [Row] {
        rows.filter { $0.message == message && (reaction == nil || $0.reaction == reaction) }
            .sorted { $0.touched > $1.touched }
    }
}
