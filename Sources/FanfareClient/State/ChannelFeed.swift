import Locks
import Wire

/// What a client hears for a ``ChannelReactions``, on its way from the client's loop to the main actor, in batches.
///
/// Bounded: past ``capacity`` all that the broker said about the channel is dropped, and the reader is told to ask for the state anew.
final class ChannelFeed: Sendable {
    /// What is heard.
    enum Item: Sendable {
        /// How the client stands with its broker.
        case connection(ConnectionState)
        /// One of the broker's messages; with `subscribed` and `watched`, the messages that are watched from then on
        /// (`nil`: all).
        case message(BrokerMessage, covers: [String]?)
        /// The broker refused the subscription, or ended it.
        case refused(ClientError)
        /// The broker did not answer the subscription in time; it may still do so.
        case unanswered(ClientError)
    }

    /// How many items may wait.
    static let capacity = 4096

    private struct State {
        var waiting: [Item] = []
        var isOverrun = false
        var isAnnounced = false
        var announce: (@Sendable () -> Void)?
    }

    let channel: String
    let mode: Mode
    let wantsOccupancy: Bool
    private let state = Locked(State())
    private let onAbandon: @Sendable () -> Void

    /// Makes a feed.
    ///
    /// - Parameters:
    ///   - channel: The channel.
    ///   - mode: How the broker is to tell of changes.
    ///   - wantsOccupancy: Whether the number of subscribers is wanted.
    ///   - onAbandon: Called when the reader has gone, from any thread.
    init(_ channel: String, mode: Mode, wantsOccupancy: Bool = false, onAbandon: @escaping @Sendable () -> Void) {
        self.channel = channel
        self.mode = mode
        self.wantsOccupancy = wantsOccupancy
        self.onAbandon = onAbandon
    }

    deinit { onAbandon() }

    /// Has something called, from any thread, when there is something to take; once until it is taken.
    func announce(by announce: @escaping @Sendable () -> Void) {
        state.withLock { $0.announce = announce }
    }

    /// Adds an item.
    func push(_ item: Item) {
        let announce = state.withLock { state in
            if state.waiting.count >= Self.capacity {
                state.waiting.removeAll(where: Self.isTold)
                state.isOverrun = true
            }
            state.waiting.append(item)
            guard !state.isAnnounced else { return nil as (@Sendable () -> Void)? }
            state.isAnnounced = true
            return state.announce
        }
        announce?()
    }

    /// Takes all that waits, and whether something was dropped.
    func take() -> (items: [Item], isOverrun: Bool) {
        state.withLock { state in
            defer {
                state.waiting = []
                state.isOverrun = false
                state.isAnnounced = false
            }
            return (state.waiting, state.isOverrun)
        }
    }

    /// Whether an item is of those that a fresh snapshot stands for: all but answers and what is told of the connection.
    private static func isTold(_ item: Item) -> Bool {
        guard case .message(let message, _) = item else { return false }
        switch message {
        case .ack, .error: return false
        default: return true
        }
    }
}
