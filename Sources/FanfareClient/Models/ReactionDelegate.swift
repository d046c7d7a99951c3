/// What an app decides about reacting, message by message; every question has an answer of its own.
///
/// Set it as ``ChannelReactions/delegate``.
@MainActor
public protocol ReactionDelegate: AnyObject {
    /// Whether the person may react to a message at all; by default yes.
    ///
    /// Asked besides what the broker says: nobody reacts to a deleted message or in a frozen channel.
    func canReact(to message: MessageReactions) -> Bool

    /// The reactions to offer for a message, in their order; by default `nil`: those that the channel allows, else
    /// ``ReactionType/common``.
    func reactions(for message: MessageReactions) -> [ReactionType]?

    /// Whether the person may look for other emoji; by default yes.
    ///
    /// Asked only where the channel allows any reaction.
    func allowEmojiSearch(for message: MessageReactions) -> Bool

    /// Whether who reacted is shown with the menu of a message; by default where anyone has.
    func shouldShowOverview(for message: MessageReactions) -> Bool

    /// Tells that the person reacted, or took a reaction back: it shows already, and is on its way to the broker.
    func didReact(to message: MessageReactions, reaction: DraftReaction)
}

extension ReactionDelegate {
    /// Yes.
    public func canReact(to message: MessageReactions) -> Bool { true }

    /// None of its own.
    public func reactions(for message: MessageReactions) -> [ReactionType]? { nil }

    /// Yes.
    public func allowEmojiSearch(for message: MessageReactions) -> Bool { true }

    /// Where anyone has reacted.
    public func shouldShowOverview(for message: MessageReactions) -> Bool { message.total > 0 }

    /// Nothing.
    public func didReact(to message: MessageReactions, reaction: DraftReaction) {}
}
