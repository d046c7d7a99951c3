import Reactions

extension ChannelState {
    /// A message as it is shown: the broker's groups with the person's pending changes laid over.
    func view(of message: String) -> MessageSight {
        let state = state(of: message)
        let own = state.isDeleted ? OwnReactions() : own(of: message)
        let counted = state.countedOwn
        var groups = state.groups
        var total = state.total
        for reaction in counted.reactions + own.reactions.filter({ !counted.contains($0) }) {
            let step = own[reaction] - counted[reaction]
            let people = (own.contains(reaction) ? 1 : 0) - (counted.contains(reaction) ? 1 : 0)
            total += step
            let place = groups.firstIndex { $0.reaction == reaction }
            var group = place.map { groups[$0] } ?? .init(reaction: reaction, count: 0, users: 0, latest: [])
            group.count += step
            group.users += people
            group.latest = latest(of: group, people: people, on: message)
            if let place { groups[place] = group } else { groups.append(group) }
        }
        let changes = changes.of(message)
        for reaction in changes.filter(\.isFailed).flatMap(\.reactions) {
            if groups.contains(where: { $0.reaction == reaction }) { continue }
            groups.append(.init(reaction: reaction, count: 0, users: 0, latest: []))
        }
        let sights = groups.compactMap { group -> MessageSight.Group? in
            let status = Self.status(of: group.reaction, changes, counted)
            if group.count <= 0, !status.isFailed { return nil }
            // A broker may say that somebody has more of a reaction than there is of it.
            var group = group
            group.count = max(group.count, 0)
            group.users = max(group.users, 0)
            return .init(group: group, ownCount: own[group.reaction], status: status)
        }
        return MessageSight(total: max(total, 0), isDeleted: state.isDeleted, groups: sights, own: own)
    }

    /// Who is told to have reacted last, with the person where pending changes put or take them.
    private func latest(of group: MessageState.Group, people: Int, on message: String) -> [MessageState.Reacted]? {
        guard let latest = group.latest, let user, people != 0 else { return group.latest }
        let others = latest.filter { $0.user != user }
        guard people > 0 else { return others }
        let at = changes.of(message).last { $0.touches(group.reaction) }?.at ?? 0
        return Array(([MessageState.Reacted(user: user, at: at)] + others).prefix(5))
    }

    /// How far the person's newest change of a reaction has come.
    private static func status(
        of reaction: Reactions.Reaction, _ changes: [PendingChange], _ counted: OwnReactions
    ) -> ReactionGroup.Status {
        let about = changes.filter { change in
            guard change.action == .set else { return change.touches(reaction) }
            return change.touches(reaction) != counted.contains(reaction)
        }
        if about.contains(where: { !$0.isFailed }) { return .sending }
        return about.lazy.compactMap(\.failure).first.map(ReactionGroup.Status.failed) ?? .sent
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
