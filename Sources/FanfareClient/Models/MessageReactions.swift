public import Observation
public import Reactions

/// The reactions of one message, for a view to be bound to; made by ``ChannelReactions/subscript(_:)``.
///
/// What the person does is seen at once, and stays while the broker is told: ``ReactionGroup/status`` says how far it has come.
@MainActor
@Observable
public final class MessageReactions: Identifiable {
    /// The message; `""` is the channel itself.
    public nonisolated let message: String
    /// The groups of equal reactions, in order of first use.
    public private(set) var groups: [ReactionGroup] = []
    /// The sum of all groups' counts.
    public private(set) var total = 0
    /// The person's own reactions, in the order in which they were given.
    public private(set) var own: [ReactionType] = []
    /// Whether the message was deleted; nobody reacts to it any more.
    public private(set) var isDeleted = false
    /// Who reacted, as far as it is known, the oldest first: at most five of each group, and always the person.
    ///
    /// Of those who reacted before the app was there, it is only known that it was not later than ``Reaction/createdAt``.
    /// ``ReactionClient/reactors(of:in:with:limit:after:)`` gives all of them, and exactly.
    public private(set) var reactions: [Reaction] = []

    @ObservationIgnored private weak var channel: ChannelReactions?
    @ObservationIgnored private var sight: MessageSight?

    init(_ message: String, in channel: ChannelReactions) {
        self.message = message
        self.channel = channel
    }

    /// The message, which no other of the channel has.
    public nonisolated var id: String { message }

    /// The group of a reaction; `nil` where there is none.
    public subscript(type: ReactionType) -> ReactionGroup? { groups.first { $0.type == type } }

    /// The badges that there is room for, newest first, and those behind `+N`.
    ///
    /// - Parameter limit: How many places there are.
    /// - Returns: The badges to show, and those behind `+N`.
    public func badges(limit: Int = BadgeSplit<ReactionGroup>.defaultLimit) -> BadgeSplit<ReactionGroup> {
        BadgeSplit(groups.reversed(), limit: limit)
    }

    // MARK: What the app decides

    /// Whether the person may react: the message is there, the channel takes reactions, and the app agrees.
    public var canReact: Bool {
        guard let channel, !isDeleted, !channel.isFrozen else { return false }
        return channel.delegate?.canReact(to: self) ?? true
    }

    /// The reactions to offer: the app's, else those that the channel allows, else ``ReactionType/common``.
    public var choices: [ReactionType] {
        channel?.delegate?.reactions(for: self) ?? channel?.allowed ?? ReactionType.common
    }

    /// Whether to offer a search for other emoji: where the channel allows any, and the app agrees.
    public var allowsEmojiSearch: Bool {
        guard let channel, channel.allowed == nil else { return false }
        return channel.delegate?.allowEmojiSearch(for: self) ?? true
    }

    /// Whether to show who reacted.
    public var showsOverview: Bool { channel?.delegate?.shouldShowOverview(for: self) ?? (total > 0) }

    // MARK: What the person does

    /// Adds a reaction where the person has not given it, takes it away where they have; with the policies `multiple` and
    /// `ephemeral` it adds one more.
    ///
    /// - Returns: What is on its way to the broker; `nil` where too much waits already, or the channel is gone.
    @discardableResult
    public func toggle(_ type: ReactionType) -> DraftReaction? {
        channel?.act(.toggle, [type], on: self)
    }

    /// Adds a reaction.
    ///
    /// - Parameters:
    ///   - type: The reaction.
    ///   - count: How many, 1–1,000 (policy `multiple` alone); `nil`: one.
    ///   - data: A JSON object that is kept with the reaction.
    /// - Returns: What is on its way to the broker; `nil` where too much waits already, or the channel is gone.
    @discardableResult
    public func add(_ type: ReactionType, count: Int? = nil, data: ReactionData? = nil) -> DraftReaction? {
        channel?.act(.add, [type], on: self, count: count, data: data)
    }

    /// Takes a reaction away.
    ///
    /// - Parameters:
    ///   - type: The reaction.
    ///   - count: How many, 1–1,000 (policy `multiple` alone); `nil`: all.
    /// - Returns: What is on its way to the broker; `nil` where too much waits already, or the channel is gone.
    @discardableResult
    public func remove(_ type: ReactionType, count: Int? = nil) -> DraftReaction? {
        channel?.act(.remove, [type], on: self, count: count)
    }

    /// Makes the person's reactions exactly these (policies `unique` and `distinct`).
    public func set(_ types: [ReactionType]) {
        channel?.act(.set, types, on: self)
    }

    /// Sends a change that failed again, under its old key, so that it never counts twice.
    public func retry(_ type: ReactionType) {
        channel?.retry(type, on: self)
    }

    /// Throws a change that failed away.
    public func discard(_ type: ReactionType) {
        channel?.discard(type, on: self)
    }

    // MARK: What the channel tells

    /// Takes over how the message is seen now; a view hears of it only where that is another.
    func show(_ new: MessageSight, _ reactions: @autoclosure () -> [Reaction]) {
        guard new != sight else { return }
        sight = new
        groups = new.groups.map(ReactionGroup.init)
        total = new.total
        own = new.own.reactions.map { ReactionType($0) }
        isDeleted = new.isDeleted
        self.reactions = reactions()
    }
}
