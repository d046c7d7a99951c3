import Reactions
import Transport
import Wire

/// What a channel has to say in this turn: encoded once, sorted by hub.
///
/// Replies keep their order among each other and so do events. Events gather in one batch, behind the replies of the
/// turn (so an ack comes before its event); only what begins, changes or ends a subscription cuts the batch.
struct ChannelOutbox: Sendable {
    let channel: String
    private var namespace: Namespace
    private var deliveries: [ChannelDelivery]
    /// How many subscriptions each hub has, as far as the channel knows.
    private var interest: [Interest]
    private var history: EventHistory
    /// The seq of the newest change that was let out.
    private(set) var seq: UInt64 = 0
    /// The seq at which the channel was read.
    private(set) var firstSeq: UInt64 = 0
    /// How many reactions were acked of which nothing is kept.
    private(set) var burstCount: UInt64 = 0

    // The events of this turn that are in no batch yet.
    private var frames: [UInt8] = []
    private var marks: [EventBatch.Mark] = []
    private var owns: [OwnNotice] = []

    private var changed = ChangedGroups()
    private var bursts: BurstWindow
    private var occupancy: Occupancy
    /// When the next summary may be sent, in milliseconds of the channel's clock.
    private var summaryAllowed: Int64 = 0
    private var counts = ChannelCounts()

    /// Makes an empty one; `broker` is this broker's number among several.
    init(channel: String, hubs: Int, namespace: Namespace, broker: UInt64? = nil) {
        occupancy = Occupancy(broker: broker)
        self.channel = channel
        self.namespace = namespace
        deliveries = Array(repeating: ChannelDelivery(channel: channel), count: hubs)
        interest = Array(repeating: Interest(), count: hubs)
        history = EventHistory(events: namespace.historyEvents, seconds: namespace.historySeconds)
        bursts = BurstWindow(interval: namespace.summaryIntervalMilliseconds)
    }

    /// Whether any hub has a subscription.
    var hasInterest: Bool { interest.contains { !$0.isNone } }

    /// How many subscriptions all hubs have.
    var subscriptionCount: Int { interest.reduce(0) { $0 + $1.events + $1.summaries } }

    /// Whether any hub has a subscription that hears what its user has.
    var tellsOwns: Bool { interest.contains { namespace.isAnonymous ? !$0.isNone : $0.summaries > 0 } }

    /// Who has subscriptions.
    var users: Set<String> { occupancy.present }

    /// Whether any hub has a subscription in mode `summary`: only then it is noted what changes.
    private var hasSummaries: Bool { interest.contains { $0.summaries > 0 } }

    /// Whether there is nothing to tell, now or later.
    var isEmpty: Bool { marks.isEmpty && due == nil && deliveries.allSatisfy { $0.items.isEmpty } }

    /// When something is to be told although nothing happens, in milliseconds of the channel's clock.
    var due: Int64? {
        var due = bursts.ends
        if !changed.isEmpty { due = min(due ?? summaryAllowed, summaryAllowed) }
        if let told = occupancy.due, wantsOccupancy { due = min(due ?? told, told) }
        return earliest(due, occupancy.sharedDue(asks: wantsOccupancy))
    }

    private var wantsOccupancy: Bool { interest.contains { $0.occupancy > 0 } }

    /// Takes what another broker says of its subscribers.
    mutating func hear(_ notice: SharedOccupancy.Notice, at moment: Moment) {
        occupancy.hear(notice, at: moment.clock)
    }

    /// What is to be said to other brokers of the subscribers here.
    mutating func takeNotice(at moment: Moment) -> SharedOccupancy.Notice? {
        occupancy.takeNotice(asks: wantsOccupancy, at: moment.clock)
    }

    /// The channel was read from the store and stands at `seq`.
    mutating func begin(at seq: UInt64, _ history: EventHistory? = nil) {
        self.seq = seq
        firstSeq = seq
        if let history { self.history = history }
    }

    /// The channel was replaced by what it has become, at `seq`: whoever follows it has missed what came between.
    mutating func restart(at seq: UInt64, _ history: EventHistory, at moment: Moment) {
        seal(at: moment)
        let missed = self.seq + 1
        self.seq = seq
        self.history = history
        changed = ChangedGroups()
        for hub in interest.indices where !interest[hub].isNone { add(.missed(from: missed), to: hub) }
    }

    /// The newest events, all that were let out.
    mutating func sealedHistory(at moment: Moment) -> EventHistory {
        seal(at: moment)
        return history
    }

    /// Goes on with other settings of the namespace.
    ///
    /// Where nobody may be named any more, the events that are held are forgotten, for they name people.
    mutating func adopt(_ namespace: Namespace, at moment: Moment) {
        seal(at: moment)
        if namespace.isAnonymous, !self.namespace.isAnonymous {
            history = EventHistory(events: namespace.historyEvents, seconds: namespace.historySeconds)
        } else {
            history.adopt(events: namespace.historyEvents, seconds: namespace.historySeconds)
        }
        bursts.adopt(interval: namespace.summaryIntervalMilliseconds)
        self.namespace = namespace
    }

    /// Subscriptions of a hub have ended.
    mutating func departed(_ gone: [Following], from hub: Int) {
        for following in gone {
            interest[hub].add(following, -1)
            occupancy.departed(following.user)
        }
        // From here on changes are not noted: for the next subscriber, what waits would be old.
        if !hasSummaries { changed = ChangedGroups() }
    }

    /// Whether all events after `seq` are held.
    mutating func canResume(after seq: UInt64, at moment: Moment) -> Bool {
        seal(at: moment)
        return history.events(after: seq, current: self.seq, at: moment.unix) != nil
    }

    /// Which groups changed after `seq` as far as it was let out; `nil` where that is not known any more.
    mutating func changes(after seq: UInt64, at moment: Moment) -> [(message: String, reactions: [Reaction])]? {
        seal(at: moment)
        return history.changes(after: seq, current: self.seq, at: moment.unix)
    }

    /// Lets a reply out, and what its changes give to tell.
    mutating func emit(_ reply: Reply, at moment: Moment) {
        counts.count(reply)
        emitReply(reply, at: moment)
        announce(reply, at: moment)
    }

    /// Lets out what a reply's changes give to tell, and not the reply, whose author is elsewhere.
    mutating func announce(_ reply: Reply, at moment: Moment) {
        for change in reply.changes {
            append(
                .event(channel: channel, change), seq: change.seq, message: change.message,
                reactions: change.reactions)
            seq = change.seq
            if hasSummaries { changed.note(change) }
        }
        if let broadcast = reply.broadcast { emitBroadcast(broadcast) }
        for own in reply.owns { emitOwn(own, isAuthor: own.user == reply.author, reply.connection) }
        if let (message, reaction) = reply.burst {
            burstCount &+= 1
            bursts.count(reaction, on: message, clock: moment.clock)
        }
    }

    /// Lets out what an operation has led to, which waits at the front of `queue`.
    mutating func emit(_ told: Told, from queue: inout ToldQueue) {
        counts.count(told)
        let (connection, hub) = (told.connection, told.connection.hub)
        queue.pass(told) { ack, events, marks in
            if ack.isEmpty {
                add(.silent(connection), to: hub)
            } else {
                let start = deliveries[hub].replies.count
                deliveries[hub].replies.append(ack)
                let range = start..<start + ack.count
                deliveries[hub].add(range, for: connection, receivedAt: told.receivedAt)
            }
            append(events, marks)
        }
    }

    /// Takes in events that are written already.
    private mutating func append(_ events: Span<UInt8>, _ more: ArraySlice<EventBatch.Mark>) {
        guard let last = more.last else { return }
        seq = last.seq
        let start = frames.count
        frames.append(events)
        for var mark in more {
            mark.frame = start + mark.frame.lowerBound..<start + mark.frame.upperBound
            marks.append(mark)
        }
    }

    /// A request was refused because too many wait.
    mutating func countOverflow(_ limit: LimitName) { counts.overflows.append(limit) }

    /// Whether anything was counted.
    var hasCounts: Bool { !counts.isEmpty }

    /// What was counted since this was last asked.
    mutating func takeCounts() -> ChannelCounts {
        defer { counts = ChannelCounts() }
        return counts
    }

    /// What each hub is to be told; afterwards the outbox is empty but for what is due later.
    mutating func take(at moment: Moment) -> [(hub: Int, delivery: ChannelDelivery)] {
        seal(at: moment)
        takeOwns()
        takeSummary(at: moment)
        takeBursts(at: moment)
        takeOccupancy(at: moment)
        var taken: [(hub: Int, delivery: ChannelDelivery)] = []
        for hub in deliveries.indices where !deliveries[hub].items.isEmpty {
            taken.append((hub, deliveries[hub]))
            deliveries[hub] = ChannelDelivery(channel: channel)
        }
        return taken
    }
}

// MARK: - Replies

extension ChannelOutbox {
    private mutating func emitReply(_ reply: Reply, at moment: Moment) {
        let connection = reply.connection
        let hub = connection.hub
        defer { if reply.isBulky { add(.answered(connection), to: hub) } }
        switch reply.effect {
        case .none:
            guard reply.message != nil else { return add(.silent(connection), to: hub) }
            let receivedAt = reply.result == nil ? 0 : reply.receivedAt
            deliveries[hub].add(write(reply.message, to: hub), for: connection, receivedAt: receivedAt)
        case .refuseSubscription:
            add(.notSubscribed(connection, write(reply.message, to: hub)), to: hub)
        case .watch(let filter):
            tellAll(at: moment)
            add(.watched(connection, write(reply.message, to: hub), filter: filter), to: hub)
        case .unsubscribe:
            tellAll(at: moment)
            add(.unsubscribed(connection, write(reply.message, to: hub)), to: hub)
        case .resynchronize:
            seal(at: moment)
            let start = write(reply.message, to: hub).lowerBound
            let end = write(reply.followUp, to: hub).upperBound
            add(.resynchronized(connection, start..<end, seq: seq), to: hub)
        case .subscribe(let following, let resume):
            emitSubscribed(reply, following, resume: resume, at: moment)
        }
    }

    private mutating func emitSubscribed(
        _ reply: Reply, _ following: Following, resume: UInt64?, at moment: Moment
    ) {
        tellAll(at: moment)
        let connection = reply.connection
        var message = reply.message
        var missed: [EventBatch] = []
        if following.mode == .events, let resume,
            let events = history.events(after: resume, current: seq, at: moment.unix)
        {
            missed = events
            message = message.map { $0.recovered(at: resume) }
        }
        let start = write(message, to: connection.hub).lowerBound
        let end = write(reply.followUp, to: connection.hub).upperBound
        interest[connection.hub].add(following)
        occupancy.arrived(following.user)
        add(.subscribed(connection, start..<end, following, missed: missed, seq: seq), to: connection.hub)
    }

    private mutating func add(_ item: ChannelDelivery.Item, to hub: Int) {
        deliveries[hub].items.append(item)
    }

    private mutating func write(_ message: BrokerMessage?, to hub: Int) -> Range<Int> {
        let start = deliveries[hub].replies.count
        if let message { message.append(frameTo: &deliveries[hub].replies) }
        return start..<deliveries[hub].replies.count
    }
}

// MARK: - What subscribers hear

extension ChannelOutbox {
    /// Makes the events so far a batch, for all hubs that listen and for those who resume.
    private mutating func seal(at moment: Moment) {
        guard !marks.isEmpty else { return }
        let batch = EventBatch(bytes: SharedBytes(frames), marks: marks)
        frames.removeAll(keepingCapacity: true)
        marks = []
        history.append(batch, at: moment.unix)
        for hub in interest.indices where interest[hub].events > 0 { add(.events(batch), to: hub) }
    }

    /// Lets out what is older than the reply that comes next: it is for those who were subscribed before that.
    private mutating func tellAll(at moment: Moment) {
        seal(at: moment)
        takeOwns()
    }

    private mutating func append(_ event: BrokerMessage, seq: UInt64, message: String, reactions: Few<Reaction>) {
        let start = frames.count
        event.append(frameTo: &frames)
        marks.append(EventBatch.Mark(seq: seq, message: message, reactions: reactions, frame: start..<frames.count))
    }

    private mutating func emitBroadcast(_ message: BrokerMessage) {
        append(message, seq: 0, message: "", reactions: .none)
        let frame = frame(message)
        for hub in interest.indices where interest[hub].summaries > 0 { add(.notice(frame), to: hub) }
    }

    private mutating func emitOwn(_ own: OwnChange, isAuthor: Bool, _ connection: ConnectionKey) {
        guard tellsOwns else { return }
        let message = BrokerMessage.own(
            channel: channel, message: own.message, own: own.own, seq: own.seq,
            isCounted: namespace.rules.policy == .multiple)
        owns.append(
            OwnNotice(
                user: own.user, message: own.message, frame: frame(message), author: isAuthor ? connection : nil))
    }

    private mutating func takeOwns() {
        for own in owns {
            for hub in interest.indices {
                guard interest[hub].summaries > 0 || (namespace.isAnonymous && interest[hub].events > 0) else {
                    continue
                }
                add(.own(own, isForAll: namespace.isAnonymous), to: hub)
            }
        }
        owns = []
    }

    /// Sends a summary where something changed and the interval is over; the first one after a quiet time at once.
    private mutating func takeSummary(at moment: Moment) {
        guard !changed.isEmpty, moment.clock >= summaryAllowed else { return }
        let message = BrokerMessage.summary(channel: channel, seq: changed.seq, messages: changed.messages)
        let batch = SummaryBatch(seq: changed.seq, messages: changed.messages, frame: frame(message))
        for hub in interest.indices where interest[hub].summaries > 0 { add(.summary(batch), to: hub) }
        changed = ChangedGroups()
        summaryAllowed = moment.clock + Int64(namespace.summaryIntervalMilliseconds)
    }

    private mutating func takeBursts(at moment: Moment) {
        for burst in bursts.take(at: moment) {
            let frame = frame(burst.message(in: channel))
            for hub in interest.indices where !interest[hub].isNone { add(.burst(burst, frame), to: hub) }
        }
    }

    private mutating func takeOccupancy(at moment: Moment) {
        guard wantsOccupancy, let numbers = occupancy.take(at: moment) else { return }
        let frame = frame(
            .occupancy(
                channel: channel, connections: UInt64(numbers.connections), users: UInt64(numbers.users)))
        for hub in interest.indices where interest[hub].occupancy > 0 { add(.occupancy(frame), to: hub) }
    }

    private func frame(_ message: BrokerMessage) -> SharedBytes {
        var bytes: [UInt8] = []
        message.append(frameTo: &bytes)
        return SharedBytes(bytes)
    }
}

extension Burst {
    /// The burst as subscribers get it.
    func message(in channel: String) -> BrokerMessage {
        .burst(
            channel: channel, message: message, reactions: reactions, windowMilliseconds: windowMilliseconds, at: at)
    }
}

extension Change {
    /// The groups that it changed.
    var reactions: Few<Reaction> {
        switch kind {
        case .added(let group, _, _), .removed(let group, _), .updated(let group, _): .one(group.reaction)
        case .replaced(let group, let previous, _): .many([previous.reaction, group.reaction])
        case .cleared(let groups, _, _, _, _, _): Few(groups.map(\.reaction))
        }
    }
}

extension BrokerMessage {
    /// A `subscribed` that says: go on from `seq`, what you missed follows.
    func recovered(at seq: UInt64) -> BrokerMessage {
        guard case .subscribed(var subscribed) = self else { return self }
        subscribed.seq = seq
        subscribed.isRecovered = true
        subscribed.messages = nil
        subscribed.more = nil
        return .subscribed(subscribed)
    }
}
