public import Observation
public import Reactions
public import Wire

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The reactions of a channel, for views to be bound to.
///
/// Keep one for each channel on screen, and take a ``MessageReactions`` from it for each message. It follows the channel for
/// as long as it lives. What the person does meanwhile is seen at once, and waits where there is no connection: of each message and
/// reaction the last wish counts.
@MainActor
@Observable
public final class ChannelReactions {
    /// What of a channel is followed.
    public enum Scope: Sendable {
        /// All messages; for channels of some hundred.
        case channel
        /// The messages that were named by ``ChannelReactions/watch(_:)``, as they come into view.
        case watchedMessages
    }

    /// The channel.
    public nonisolated let channel: String
    /// The client that it is followed by.
    public nonisolated let client: ReactionClient
    /// How the client stands with its broker; `nil` at first.
    public internal(set) var connection: ConnectionState?
    /// Who the person is to the broker; `nil` before it said so.
    public internal(set) var user: String?
    /// Whether the channel's state has come; until then messages look as if nobody had reacted.
    public internal(set) var isReady = false
    /// How a user's reactions on one message relate; `nil` before the broker said so.
    public internal(set) var policy: Policy?
    /// The only reactions that may be used, in the order in which they are offered; `nil`: any.
    public internal(set) var allowed: [ReactionType]?
    /// Whether a moderator has frozen the channel: nobody reacts.
    public internal(set) var isFrozen = false
    /// How many are subscribed; `nil` where that was not asked for.
    public internal(set) var occupancy: Occupancy?
    /// What was counted last in an ephemeral channel, to be let float up.
    public internal(set) var latestBurst: Burst?
    /// Why the broker tells nothing of the channel; `nil` while it does.
    public internal(set) var failure: ClientError?
    /// The changes that the broker refused, which wait for a retry or to be discarded.
    public internal(set) var failed: [DraftReaction] = []
    /// What the app decides about reacting.
    @ObservationIgnored public weak var delegate: (any ReactionDelegate)?

    @ObservationIgnored var state: ChannelState
    @ObservationIgnored var messages: [String: MessageReactions] = [:]
    @ObservationIgnored let feed: ChannelFeed
    @ObservationIgnored let now: @Sendable () -> Date
    @ObservationIgnored let start = ContinuousClock.now
    @ObservationIgnored var flushing: Task<Void, Never>?
    @ObservationIgnored private let scope: Scope
    @ObservationIgnored private var watchers: [String: Int] = [:]
    @ObservationIgnored private var isWatchDue = false

    /// Begins to follow a channel.
    ///
    /// - Parameters:
    ///   - channel: The channel, such as `chat:42`.
    ///   - client: The client to follow it by.
    ///   - mode: Each change by itself, or counts merged at most once an interval: fewer messages where many react.
    ///   - scope: All messages, or those that were named.
    ///   - occupancy: Whether the number of subscribers is wanted.
    ///   - now: What the time is.
    public init(
        _ channel: String, of client: ReactionClient, mode: Mode = .events, scope: Scope = .channel,
        occupancy: Bool = false, now: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.channel = channel
        self.client = client
        self.scope = scope
        self.now = now
        state = ChannelState(channel)
        feed = ChannelFeed(channel, mode: mode, wantsOccupancy: occupancy) { client.detachGone(from: channel) }
        feed.announce { [weak self] in
            Task { @MainActor in self?.drain() }
        }
        client.attach(feed, watching: scope == .channel ? nil : [])
    }

    /// The reactions of a message; the same object each time.
    public subscript(message: String) -> MessageReactions {
        if let known = messages[message] { return known }
        let made = MessageReactions(message, in: self)
        messages[message] = made
        show(made)
        return made
    }

    /// Waits for the first state of the channel: from then on messages show what there is.
    ///
    /// Views need not wait, for they are drawn anew; a program that reads a message once does.
    ///
    /// It waits for as long as there is no connection: end its task where that is too long.
    ///
    /// - Throws: ``ClientError`` where the broker refuses the channel or does not answer in time, or the client does not come
    ///   back, and `CancellationError`.
    public func ready() async throws {
        for await standing in Observations({ self.standing }) {
            if let standing { return try standing.get() }
        }
        try Task.checkCancellation()
    }

    /// Whether the channel's state has come, or why it will not; `nil` while that is not known.
    private var standing: Result<Void, ClientError>? {
        if isReady { return .success(()) }
        if let failure { return .failure(failure) }
        guard case .closed(let reason) = connection else { return nil }
        return .failure(ClientError(reason))
    }

    // MARK: Watching

    /// Says that a message came into view (``Scope/watchedMessages``): call it from `onAppear`.
    ///
    /// As often as it is called for a message, ``unwatch(_:)`` must be, too. At most 1,000 messages are watched, of long
    /// names as many as go into a request; what is no message's id (1–128 visible ASCII characters) is not.
    public func watch(_ message: String) {
        watchers[message, default: 0] += 1
        if watchers[message] == 1 { scheduleWatch() }
    }

    /// Says that a message went out of view: call it from `onDisappear`.
    public func unwatch(_ message: String) {
        guard let count = watchers[message] else { return }
        watchers[message] = count > 1 ? count - 1 : nil
        if count == 1 { scheduleWatch() }
    }

    /// All that comes into view and goes in one turn of the main actor is asked for at once.
    private func scheduleWatch() {
        guard scope == .watchedMessages, !isWatchDue else { return }
        isWatchDue = true
        Task { [weak self] in
            guard let self else { return }
            isWatchDue = false
            client.watch(watchers.keys.sorted(), for: feed)
        }
    }
}

/// How many are subscribed to a channel, on all nodes of a broker.
public struct Occupancy: Sendable, Hashable {
    /// How many connections.
    public var connections: Int
    /// How many people.
    public var users: Int
}
