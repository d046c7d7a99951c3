import Reactions
import Transport
import Wire

/// One recipient's subscription to one channel, on the recipient's hub.
final class Subscription {
    unowned let recipient: Recipient
    let audience: Audience
    // There is one of these for each connection at least: the order of the properties leaves few gaps.
    var following: Following
    /// Whether the channel was asked for fresh state.
    var isResynchronizing = false
    /// Mode `summary`: so much changed meanwhile that it is no longer held; the channel will be asked for fresh state.
    var isOutdated = false
    /// Its place among the audience's subscriptions of its mode.
    fileprivate var index: UInt32 = 0
    /// The channel's seq of which all was told when the subscription began.
    var start: UInt64 = 0
    /// What waits for a reader that cannot be written to now; few ever have any.
    private var waiting: Waiting?
    /// 0: nothing was missed.
    private var firstMissed: UInt64 = 0

    /// Mode `events`: the first event that a slow reader did not get; events are withheld until the channel has
    /// answered with fresh state.
    var missedFrom: UInt64? {
        get { firstMissed == 0 ? nil : firstMissed }
        set { firstMissed = newValue ?? 0 }
    }

    /// A place for what waits.
    private final class Waiting {
        var backlog = Backlog()
    }

    init(_ recipient: Recipient, to audience: Audience, _ following: Following) {
        self.recipient = recipient
        self.audience = audience
        self.following = following
    }

    func watches(_ message: String) -> Bool {
        following.filter?.contains(message) ?? true
    }

    /// What waits for a reader that cannot be written to now, merged.
    var backlog: Backlog? { waiting?.backlog }

    /// Changes what waits for the reader, and counts it.
    func withBacklog(_ change: (inout Backlog) -> Void) {
        let waiting = waiting ?? Waiting()
        self.waiting = waiting
        let before = waiting.backlog.bytes
        change(&waiting.backlog)
        recipient.heldBytes += waiting.backlog.bytes - before
    }

    /// Takes what waits for the reader.
    func takeBacklog() -> Backlog? {
        guard let held = backlog else { return nil }
        waiting = nil
        recipient.heldBytes -= held.bytes
        return held
    }
}

/// What waits for a slow reader, and does not grow with the rate: the newest of each.
struct Backlog {
    private(set) var changed = ChangedGroups()
    /// The newest `own` of each message.
    private(set) var owns: [String: SharedBytes] = [:]
    private(set) var bursts: [String: Burst] = [:]
    /// The newest occupancy.
    var occupancy: SharedBytes?
    /// The newest message to all that is no change.
    var notice: SharedBytes?
    /// About as much as it takes in memory and on the wire, which are alike.
    private(set) var bytes = 0

    /// What an entry takes besides its words.
    static let entryBytes = 64

    /// Takes in newer numbers.
    mutating func merge(_ newer: [SummaryDelta], seq: UInt64) {
        bytes += changed.merge(newer, seq: seq)
    }

    /// Takes in what the user has on a message now.
    mutating func replaceOwn(on message: String, by frame: SharedBytes) {
        let before = owns.updateValue(frame, forKey: message)
        bytes += frame.count + (before.map { -$0.count } ?? message.utf8.count + Backlog.entryBytes)
    }

    /// Adds a burst to the one of its message that waits.
    mutating func add(_ burst: Burst) {
        let before = bursts[burst.message]?.bytes ?? 0
        defer { bytes += (bursts[burst.message]?.bytes ?? 0) - before }
        guard var waiting = bursts[burst.message] else {
            bursts[burst.message] = burst
            return
        }
        for reaction in burst.reactions { waiting.reactions.count(reaction.reaction, reaction.count) }
        waiting.windowMilliseconds += burst.at - waiting.at
        waiting.at = burst.at
        bursts[burst.message] = waiting
    }

    /// Takes out what a subscription no longer watches.
    mutating func keep(only watched: Set<String>) {
        changed.keep(only: watched)
        owns = owns.filter { watched.contains($0.key) }
        bursts = bursts.filter { watched.contains($0.key) }
        bytes = changed.bytes + bursts.values.reduce(0) { $0 + $1.bytes }
        for (message, frame) in owns { bytes += message.utf8.count + Backlog.entryBytes + frame.count }
    }
}

extension Burst {
    /// About as much as it takes.
    fileprivate var bytes: Int {
        reactions.reduce(message.utf8.count + Backlog.entryBytes) { $0 + $1.reaction.text.utf8.count + 32 }
    }
}

/// All subscriptions of one hub to one channel.
final class Audience {
    let channel: String
    private(set) var events: ContiguousArray<Subscription> = []
    private(set) var summaries: ContiguousArray<Subscription> = []
    /// Those who hear of their own reactions on other connections, by user.
    private(set) var byUser: [String: [Subscription]] = [:]
    /// The subscriptions that ended since the channel was last told.
    var departures: [Following] = []
    /// Whether subscribers in mode `events` hear of their own reactions too.
    private(set) var isAnonymous: Bool

    init(channel: String, isAnonymous: Bool) {
        self.channel = channel
        self.isAnonymous = isAnonymous
    }

    var isEmpty: Bool { events.isEmpty && summaries.isEmpty }

    /// Goes on with the other kind of namespace, where it is one.
    func adopt(isAnonymous: Bool) {
        guard isAnonymous != self.isAnonymous else { return }
        self.isAnonymous = isAnonymous
        byUser = [:]
        for list in [events, summaries] {
            for subscription in list where hearsOfOwn(subscription) {
                byUser[subscription.following.user, default: []].append(subscription)
            }
        }
    }

    func add(_ subscription: Subscription) {
        switch subscription.following.mode {
        case .events: Audience.add(subscription, to: &events)
        case .summary: Audience.add(subscription, to: &summaries)
        }
        if hearsOfOwn(subscription) { byUser[subscription.following.user, default: []].append(subscription) }
    }

    func remove(_ subscription: Subscription) {
        switch subscription.following.mode {
        case .events: Audience.remove(subscription, from: &events)
        case .summary: Audience.remove(subscription, from: &summaries)
        }
        departures.append(subscription.following)
        guard hearsOfOwn(subscription) else { return }
        byUser[subscription.following.user]?.removeAll { $0 === subscription }
        if byUser[subscription.following.user]?.isEmpty == true { byUser[subscription.following.user] = nil }
    }

    private func hearsOfOwn(_ subscription: Subscription) -> Bool {
        subscription.following.mode == .summary || isAnonymous
    }

    private static func add(_ subscription: Subscription, to list: inout ContiguousArray<Subscription>) {
        subscription.index = UInt32(list.count)
        list.append(subscription)
    }

    /// The last one takes its place.
    private static func remove(_ subscription: Subscription, from list: inout ContiguousArray<Subscription>) {
        let last = list.removeLast()
        guard last !== subscription else { return }
        last.index = subscription.index
        list[Int(subscription.index)] = last
    }
}
