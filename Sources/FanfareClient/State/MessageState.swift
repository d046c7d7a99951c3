import Reactions
import Wire

/// What the broker has said about one message: its groups, and what this user has on it.
///
/// A pure value; no rule about pending changes stands here (see ``PendingChanges``).
struct MessageState: Sendable {
    /// A group of equal reactions.
    struct Group: Sendable, Equatable {
        var reaction: Reactions.Reaction
        var count: Int
        var users: Int
        /// Who added or updated last, newest first, five at most; `nil` where nobody may be named.
        var latest: [Reacted]?
    }

    /// Someone who reacted.
    struct Reacted: Sendable, Equatable {
        var user: String
        /// When, in Unix milliseconds; of those in a snapshot no more is known than that it was not later.
        var at: Int64
    }

    /// What the user had as of a seq.
    private struct OwnThen: Sendable {
        var seq: UInt64
        var own: OwnReactions
    }

    private static let maxLatest = 5
    /// What a broker's number is cut to: numbers of the contract lie below 2^53.
    private static let maxNumber: UInt64 = 1 << 53

    let message: String
    private(set) var seq: UInt64
    /// Whether `own` and all groups are known, not only what has changed since some seq.
    let isKnown: Bool
    private(set) var isDeleted = false
    private(set) var total = 0
    /// First use first.
    private(set) var groups: [Group] = []
    /// By seq: the first is what the groups' counts contain, the last is the newest.
    private var owns: [OwnThen]

    /// Makes a message without reactions of which nothing up to a seq is news.
    init(_ message: String, seq: UInt64, isKnown: Bool) {
        self.message = message
        self.seq = seq
        self.isKnown = isKnown
        owns = [OwnThen(seq: seq, own: OwnReactions())]
    }

    /// Makes the state that a summary shows as of a seq.
    init(_ summary: Summary, seq: UInt64) {
        self.init(summary.message, seq: seq, isKnown: true)
        isDeleted = summary.isDeleted
        total = Self.number(summary.total)
        groups = summary.groups.map { group in
            Group(
                reaction: group.reaction, count: Self.number(group.count), users: Self.number(group.users),
                latest: group.latest.map { names in
                    names.prefix(Self.maxLatest).map { Reacted(user: $0, at: group.last) }
                })
        }
        owns = [OwnThen(seq: seq, own: OwnReactions(summary.own ?? []))]
    }

    /// What the user has on it, as far as the broker has said.
    var own: OwnReactions { owns.last?.own ?? OwnReactions() }

    /// The part of ``own`` that the groups' counts contain.
    var countedOwn: OwnReactions { owns.first?.own ?? OwnReactions() }

    /// Takes an event.
    ///
    /// - Returns: Whether it was news.
    mutating func apply(_ change: Change, user: String?) -> Bool {
        guard change.seq > seq else { return false }
        seq = change.seq
        total = Self.number(change.total)
        switch change.kind {
        case .added(let group, _, _), .updated(let group, _):
            set(group, .came(change.user, group.reaction, at: change.at))
        case .removed(let group, _): set(group, .went(change.user))
        case .replaced(let group, let previous, _):
            set(group, .came(change.user, group.reaction, at: change.at))
            set(previous, .came(change.user, group.reaction, at: change.at))
        case .cleared(_, _, _, _, _, isDeletion: true): delete()
        case .cleared(let groups, _, let user, _, _, _): set(groups, .went(user))
        }
        moveOwn(change, user: user)
        return true
    }

    /// Takes a message's part of a summary.
    ///
    /// - Returns: Whether it was news.
    mutating func apply(_ delta: SummaryDelta, seq: UInt64) -> Bool {
        guard seq > self.seq else { return false }
        self.seq = seq
        total = Self.number(delta.total)
        if delta.isDeleted { delete() }
        set(delta.groups, .unknown)
        forgetOldOwns()
        return true
    }

    /// Takes all that the user has as of a seq, from an ack or an `own`.
    ///
    /// - Returns: Whether it was news.
    @discardableResult
    mutating func note(_ own: OwnReactions, seq: UInt64) -> Bool {
        let last = owns.last?.seq ?? 0
        if seq < last || own == self.own { return false }
        if seq == last { owns.removeLast() }
        owns.append(OwnThen(seq: seq, own: own))
        forgetOldOwns()
        return true
    }

    /// Takes what an event says of what the user has, unless that was told already, as of this event's seq or later.
    private mutating func moveOwn(_ change: Change, user: String?) {
        forgetOldOwns()
        let isClearing = if case .cleared = change.kind { true } else { false }
        guard isClearing || (user != nil && change.user == user) else { return }
        guard let counted = owns.first, counted.seq < change.seq else { return }
        owns[0] = OwnThen(seq: change.seq, own: counted.own.after(change, user: user))
    }

    /// Keeps the newest own that the counts contain, and what is newer.
    private mutating func forgetOldOwns() {
        while owns.count > 1, owns[1].seq <= seq { owns.removeFirst() }
    }

    private mutating func delete() {
        isDeleted = true
        total = 0
        groups = []
        owns = [OwnThen(seq: seq, own: OwnReactions())]
    }

    /// Who moved with a group's numbers.
    private enum Mover {
        /// A user came to a reaction, and perhaps left another; `nil`: nobody may be named.
        case came(String?, Reactions.Reaction, at: Int64)
        /// A user took something away.
        case went(String?)
        /// A summary does not say.
        case unknown
    }

    /// Takes the numbers of many groups, without a search for each.
    private mutating func set(_ all: [GroupCount], _ mover: Mover) {
        var places = groups.places
        for numbers in all {
            let place = places[numbers.reaction]
            let group = group(numbers, from: place.map { groups[$0] }, mover)
            if let place {
                groups[place] = group
            } else {
                places[group.reaction] = groups.count
                groups.append(group)
            }
        }
        groups.removeAll { $0.count == 0 }
    }

    private mutating func set(_ numbers: GroupCount, _ mover: Mover) {
        let place = groups.firstIndex { $0.reaction == numbers.reaction }
        let group = group(numbers, from: place.map { groups[$0] }, mover)
        switch place {
        case let place? where group.count > 0: groups[place] = group
        case let place?: groups.remove(at: place)
        case nil where group.count > 0: groups.append(group)
        case nil: break
        }
    }

    private func group(_ numbers: GroupCount, from old: Group?, _ mover: Mover) -> Group {
        let users = Self.number(numbers.users)
        let old = old ?? Group(reaction: numbers.reaction, count: 0, users: 0, latest: [])
        return Group(
            reaction: numbers.reaction, count: Self.number(numbers.count), users: users,
            latest: latest(of: old, usersNow: users, mover))
    }

    private func latest(of group: Group, usersNow: Int, _ mover: Mover) -> [Reacted]? {
        guard let latest = group.latest else { return nil }
        switch mover {
        case .unknown: return usersNow == group.users ? latest : []
        case .came(let user?, group.reaction, let at):
            return Array(([Reacted(user: user, at: at)] + latest.filter { $0.user != user }).prefix(Self.maxLatest))
        case .came(let user?, _, _), .went(let user?):
            return usersNow < group.users ? latest.filter { $0.user != user } : latest
        case .came(nil, _, _), .went(nil): return nil
        }
    }

    private static func number(_ number: UInt64) -> Int { Int(min(number, maxNumber)) }
}

extension [MessageState.Group] {
    /// Where the group of each reaction is.
    var places: [Reactions.Reaction: Int] {
        Dictionary(zip(map(\.reaction), indices), uniquingKeysWith: { first, _ in first })
    }
}

extension OwnReactions {
    /// What a user has after a change, which may be someone else's.
    fileprivate func after(_ change: Change, user: String?) -> OwnReactions {
        var own = self
        let isMine = user != nil && change.user == user
        switch change.kind {
        case .added(let group, let step?, _) where isMine:
            own[group.reaction] = min(own[group.reaction], Self.maxCount) + Int(min(step, UInt64(Self.maxCount)))
        case .added(let group, nil, _) where isMine, .updated(let group, _) where isMine:
            own[group.reaction] = max(own[group.reaction], 1)
        case .removed(let group, let step) where isMine:
            own[group.reaction] -= Int(min(step ?? 1, UInt64(Self.maxCount)))
        case .replaced(let group, let previous, _) where isMine:
            own[previous.reaction] = 0
            own[group.reaction] = max(own[group.reaction], 1)
        case .cleared(let groups, _, let target, _, _, _):
            // A clear that names nobody, or nobody that may be named, took what was mine only where nothing is left.
            let isMine = user != nil && target == user
            for group in groups where isMine || group.count == 0 { own[group.reaction] = 0 }
        default: break
        }
        return own
    }
}
