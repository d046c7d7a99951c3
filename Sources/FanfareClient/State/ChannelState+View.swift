import Reactions

extension ChannelState {
    /// A message as it is shown: the broker's groups with the person's pending changes laid over.
    func view(of message: String) -> MessageSight {
        let state = state(of: message)
        let changes = changes.of(message)
        let own = state.isDeleted ? OwnReactions() : own(of: message, after: changes)
        let counted = state.countedOwn
        let standings = Standings(changes, over: counted)
        var groups = state.groups
        var places = groups.places
        var total = state.total
        func place(of reaction: Reactions.Reaction) -> Int {
            if let place = places[reaction] { return place }
            places[reaction] = groups.count
            groups.append(.init(reaction: reaction, count: 0, users: 0, latest: []))
            return groups.count - 1
        }
        for reaction in counted.reactions + own.reactions.filter({ !counted.contains($0) }) {
            let place = place(of: reaction)
            let people = (own.contains(reaction) ? 1 : 0) - (counted.contains(reaction) ? 1 : 0)
            let before = groups[place].count
            // A broker may say that somebody has more of a reaction than there is of it.
            groups[place].count = max(before + own[reaction] - counted[reaction], 0)
            groups[place].users = max(groups[place].users + people, 0)
            groups[place].latest = latest(of: groups[place], people: people, at: standings.newest[reaction] ?? 0)
            total += groups[place].count - before
        }
        for reaction in changes.lazy.filter(\.isFailed).flatMap(\.reactions) { _ = place(of: reaction) }
        let sights = groups.compactMap { group -> MessageSight.Group? in
            let status = standings.status(of: group.reaction)
            if group.count == 0, !status.isFailed { return nil }
            return .init(group: group, ownCount: own[group.reaction], status: status)
        }
        return MessageSight(total: max(total, 0), isDeleted: state.isDeleted, groups: sights, own: own)
    }

    /// Who is told to have reacted last, with the person where pending changes put or take them.
    private func latest(of group: MessageState.Group, people: Int, at: Int64) -> [MessageState.Reacted]? {
        guard let latest = group.latest, let user, people != 0 else { return group.latest }
        let others = latest.filter { $0.user != user }
        return people > 0 ? Array(([MessageState.Reacted(user: user, at: at)] + others).prefix(5)) : others
    }
}

/// How far the person's changes of a message's reactions have come.
private struct Standings {
    /// When the newest change of each reaction was made.
    private(set) var newest: [Reactions.Reaction: Int64] = [:]
    private var statuses: [Reactions.Reaction: ReactionGroup.Status] = [:]

    /// Looks at all changes of a message once.
    init(_ changes: [PendingChange], over counted: OwnReactions) {
        for change in changes {
            for reaction in change.reactions { newest[reaction] = change.at }
            guard change.action == .set else {
                for reaction in change.reactions { note(change, about: reaction) }
                continue
            }
            // It leaves those as they are that are in both.
            let wanted = Set(change.reactions)
            for reaction in change.reactions where !counted.contains(reaction) { note(change, about: reaction) }
            for reaction in counted.reactions where !wanted.contains(reaction) { note(change, about: reaction) }
        }
    }

    func status(of reaction: Reactions.Reaction) -> ReactionGroup.Status { statuses[reaction] ?? .sent }

    /// What is on its way counts before what has failed, and the first failure before later ones.
    private mutating func note(_ change: PendingChange, about reaction: Reactions.Reaction) {
        guard let failure = change.failure else {
            statuses[reaction] = .sending
            return
        }
        if statuses[reaction] == nil { statuses[reaction] = .failed(failure) }
    }
}

/// A message as it is shown.
struct MessageSight: Equatable {
    /// A group as it is shown.
    struct Group: Equatable {
        var group: MessageState.Group
        var ownCount: Int
        var status: ReactionGroup.Status
    }

    var total: Int
    var isDeleted: Bool
    var groups: [Group]
    var own: OwnReactions
}
