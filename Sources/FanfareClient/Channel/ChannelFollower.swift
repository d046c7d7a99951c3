import Reactions
import Wire

/// One subscription: where the client stands in the channel, and what each of the broker's messages means for it.
///
/// A pure value. Across reconnects nothing is missed and nothing doubled: it asks to resume after the last seq
/// that it has seen, drops what it has seen already, and takes a snapshot for all where the broker cannot resume.
struct ChannelFollower: Sendable {
    let channel: String
    let mode: Mode
    var messages: [String]?
    var wantsOccupancy: Bool
    /// The last change seen; `nil` before the first answer.
    private(set) var position: Position?
    /// The counts.
    private(set) var view = ChannelView()
    private var allowed: [Reactions.Reaction]?
    private var isLagged = false

    init(channel: String, mode: Mode, messages: [String]?, wantsOccupancy: Bool) {
        self.channel = channel
        self.mode = mode
        self.messages = messages
        self.wantsOccupancy = wantsOccupancy
    }

    /// What to send on each new connection.
    ///
    /// - Parameter startsAnew: Whether to ask for a snapshot rather than for what was missed.
    /// - Returns: A `subscribe`.
    func request(startsAnew: Bool = false) -> Request.Body {
        .subscribe(
            .init(
                channel: channel, mode: mode, messages: messages, since: startsAnew ? nil : position,
                occupancy: wantsOccupancy))
    }

    /// Whether another subscription asks for the same.
    func asksTheSame(as other: ChannelFollower) -> Bool {
        mode == other.mode && messages == other.messages && wantsOccupancy == other.wantsOccupancy
    }

    /// The state now, for someone who missed how it came about; `nil` before the first answer.
    func snapshot(_ reason: ChannelSnapshot.Reason) -> ChannelSnapshot? {
        position.map { ChannelSnapshot(view: view, epoch: $0.epoch, allowed: allowed, reason: reason) }
    }

    /// Takes one of the broker's messages.
    ///
    /// - Returns: What to tell; `nil` where the message is of another channel, or no news.
    mutating func take(_ message: BrokerMessage) -> ChannelUpdate? {
        switch message {
        case .subscribed(let subscribed) where subscribed.channel == channel:
            return take(subscribed)
        case .event(channel, let change):
            guard advance(to: change.seq) else { return nil }
            view.apply(change)
            return .event(change)
        case .summary(channel, let seq, let deltas):
            guard advance(to: seq) else { return nil }
            view.apply(deltas, seq: seq)
            return .summary(seq: seq, deltas)
        case .own(channel, let message, let own, let seq, _):
            return .own(message: message, own, seq: seq)
        case .occupancy(channel, let connections, let users):
            return .occupancy(connections: connections, users: users)
        case .burst(channel, let message, let counts, let window, let at):
            return .burst(Burst(message: message, counts: counts, windowMilliseconds: window, at: at))
        case .frozen(channel, let isFrozen, let by):
            view.isFrozen = isFrozen
            return .frozen(isFrozen, by: by)
        case .lagged(channel, _, _):
            isLagged = true
            return nil
        default: return nil
        }
    }

    /// The broker's answer to a subscription, or the fresh start after `lagged`.
    private mutating func take(_ subscribed: Subscribed) -> ChannelUpdate? {
        allowed = subscribed.allowed
        let wasLagged = isLagged
        isLagged = false
        if subscribed.isRecovered, position != nil {
            // What was missed follows; all that is known stays true. Frozen or not is not among the events.
            guard view.isFrozen != subscribed.isFrozen else { return nil }
            view.isFrozen = subscribed.isFrozen
            return .frozen(subscribed.isFrozen, by: "")
        }
        position = Position(epoch: subscribed.epoch, seq: subscribed.seq)
        view = ChannelView(
            subscribed.messages ?? [], seq: subscribed.seq, isComplete: subscribed.more == nil,
            isFrozen: subscribed.isFrozen)
        return snapshot(wasLagged ? .lagged : .subscribed).map(ChannelUpdate.snapshot)
    }

    /// Moves on to a seq; `false` where it was seen before, or no answer to the subscription has come yet.
    private mutating func advance(to seq: UInt64) -> Bool {
        guard let known = position?.seq, seq > known else { return false }
        position?.seq = seq
        return true
    }
}
