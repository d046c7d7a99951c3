import Reactions
import Wire

/// A change that a person made and the broker has not answered yet.
struct PendingChange: Sendable, Equatable {
    /// What is wanted.
    enum Action: String, Sendable, Codable {
        case add, remove, toggle, set
    }

    /// The key that makes a retry safe.
    let key: String
    let message: String
    /// A `toggle` becomes `add` or `remove` once it is known what the person has.
    var action: Action
    /// The one reaction, or those of a `set`, none twice.
    let reactions: [Reactions.Reaction]
    /// How many, 1–1,000, with policy `multiple`.
    var count: Int?
    let data: ReactionData?
    /// When the person made it, in Unix milliseconds.
    let at: Int64
    /// The keys of earlier changes that it took the place of.
    var replaces: [String] = []
    /// Why the broker will not have it; `nil` while that may still change.
    var failure: ClientError?
    /// Whether it was ever sent: then nothing of it but its status may change, since its key is used.
    var isTried = false
    /// Whether it was sent on this connection.
    var isInFlight = false

    init(
        _ action: Action, _ reactions: [Reactions.Reaction], on message: String, key: String, count: Int? = nil,
        data: ReactionData? = nil, at: Int64 = 0
    ) {
        self.action = action
        self.reactions = reactions
        self.message = message
        self.key = key
        self.count = count
        self.data = data
        self.at = at
    }

    var isFailed: Bool { failure != nil }

    /// Whether it is about a reaction.
    func touches(_ reaction: Reactions.Reaction) -> Bool { reactions.contains(reaction) }

    /// The request that asks for it.
    func request(in channel: String) -> Request.Body {
        let reaction = reactions.first?.text ?? ""
        let action: Operation.Action =
            switch self.action {
            case .add: .add(reaction: reaction, count: count, data: data)
            case .remove: .remove(reaction: reaction, count: count)
            case .toggle: .toggle(reaction: reaction, count: count, data: data)
            case .set: .set(reactions: reactions.map(\.text))
            }
        return .operation(channel: channel, message: message, action: action, key: key)
    }

    /// Makes of what a user has what it is once the change is done.
    func apply(to own: inout OwnReactions, policy: Policy?) {
        if policy == .ephemeral { return }
        guard action != .set, let reaction = reactions.first else {
            // Those kept first, in their old order, then the new.
            let wanted = Set(reactions)
            let kept = own.reactions.filter(wanted.contains)
            own = OwnReactions((kept + reactions).map { OwnReaction(reaction: $0) })
            return
        }
        let had = own[reaction]
        let isRemoval = action == .remove || (action == .toggle && had > 0)
        if policy == .unique, !isRemoval { own = OwnReactions() }
        if !isRemoval {
            own[reaction] = policy == .multiple ? had + (count ?? 1) : 1
        } else {
            own[reaction] = count.map { $0 < had ? had - $0 : 0 } ?? 0
        }
    }

    /// Whether a later change makes this one, which is not on its way just now, pointless.
    func isReplaced(by later: PendingChange, policy: Policy?) -> Bool {
        guard message == later.message, !isInFlight else { return false }
        if later.action == .set { return true }
        // What is one more, only the policy tells.
        if policy == nil, !isFailed { return false }
        let isSame = action != .set && reactions == later.reactions
        if policy == .multiple, !isFailed {
            guard isSame else { return false }
            return later.action == .remove ? later.count == nil : adds(to: later)
        }
        if later.action == .toggle { return isSame && isFailed }
        if policy == .unique, later.action == .add { return true }
        if policy == .unique { return isSame && (action == .remove || isFailed) }
        return isSame
    }

    /// Whether this and a later change can be asked for as one, by the sum of their counts.
    private func adds(to later: PendingChange) -> Bool {
        later.action == .add && action == .add && !isTried && !later.isTried && data == nil && later.data == nil
            && (count ?? 1) + (later.count ?? 1) <= PendingChanges.maxCount
    }
}
