import Reactions
import Storage
import Transport
import Wire

/// One channel: orders what is asked of it, and says what its subscribers hear.
///
/// It runs on its home loop and none of its methods waits, so each of them is atomic. Replies and events leave in the
/// order of the requests, and none before the store has what they tell of: a request that changes something, and all
/// that come after it, wait for the group that the change is committed with. Where the namespace's durability is
/// `memory`, nothing waits, and what the store could not take is offered to it again.
actor Channel: LoopActor {
    /// What waits for its group to be committed.
    struct Waiting {
        enum Content {
            /// An operation, of which all is written already.
            case told(Told)
            case reply(Whole)
        }

        var group: UInt64
        var content: Content

        var told: Told? { if case .told(let told) = content { told } else { nil } }
        var reply: Reply? { if case .reply(let whole) = content { whole.reply } else { nil } }
    }

    /// A request with its reply, apart from those that are written already, which are many more and small.
    final class Whole: Sendable {
        let request: ChannelRequest
        let reply: Reply

        init(_ request: ChannelRequest, _ reply: Reply) {
            self.request = request
            self.reply = reply
        }
    }

    /// What the store was given, until it has answered.
    struct HandedOver {
        var group: UInt64
        var records: [Record]
        var posts: [OutboxEntry]
        var audit: [AuditEntry]
    }

    nonisolated let loop: EventLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe loop.asUnownedSerialExecutor()  // the actor holds the loop
    }

    nonisolated let name: String
    let epoch: String
    private(set) var namespace: Namespace
    let maxWaiting: Int
    var limiter: ChannelLimiter

    var ledger = Ledger()
    var outbox: ChannelOutbox
    /// Where changes go by way of a log that several brokers share; `nil`: they do not.
    var line: LogLine?
    /// While the store is asked for the channel: what came meanwhile.
    var unread: [ChannelRequest]? = []
    var waiting: [Waiting] = []
    var told = ToldQueue()
    /// How many of those that wait begin a subscription.
    var waitingSubscriptions = 0
    var records: [Record] = []
    /// Where the changes wait that are to be posted; `nil`: they are not.
    private var postQueue: String?
    var posts: [OutboxEntry] = []
    /// What moderators did, for the same commit as the records.
    var audit: [AuditEntry] = []
    /// What was handed to the store and not committed yet, by group.
    var uncommitted: [HandedOver] = []
    /// The newest group with a change that was told before it is committed; `nil`: there is none.
    var toldGroup: UInt64?
    /// When what the store refused is offered again, in milliseconds of the clock.
    var retryAt: Int64?

    /// Makes a channel that waits for its image from the store; its namespace stands under the name `entry`.
    init(
        name: String, epoch: String, namespace: Namespace, entry: String, limiter: ChannelLimiter, maxWaiting: Int,
        hubs: Int, loop: EventLoop, line: LogLine? = nil
    ) {
        self.name = name
        self.epoch = epoch
        self.namespace = namespace
        self.limiter = limiter
        self.maxWaiting = maxWaiting
        self.loop = loop
        self.line = line
        postQueue = namespace.outbound?.webhook == nil ? nil : entry
        outbox = ChannelOutbox(channel: name, hubs: hubs, namespace: namespace, broker: line?.writer)
    }

    /// Whether nobody listens and nothing waits, so that the channel may leave memory.
    var isIdle: Bool {
        unread == nil && waiting.isEmpty && !hasUncommitted && !outbox.hasInterest && outbox.isEmpty
            && (line?.isIdle ?? true)
    }

    // MARK: Requests

    /// Takes a request; a change it makes belongs to the store's commit `group`.
    func handle(_ request: ChannelRequest, group: UInt64, at moment: Moment) {
        guard unread == nil else { return holdUnread(request) }
        if line != nil { return handleLogged(request, at: moment) }
        let before = records.count
        if isFull(for: request) {
            release(overflow(of: request), to: request, with: nil, at: moment)
        } else if case .operation(let operation) = request.body {
            carryOut(operation, for: request, group: group, at: moment)
        } else {
            let reply = answer(to: request, at: moment)
            release(reply, to: request, with: waitsFor(group, since: before), at: moment)
        }
    }

    /// The group that what was just done waits for, where it has made records; `nil`: it need not wait for its own.
    private func waitsFor(_ group: UInt64, since before: Int) -> UInt64? {
        guard records.count > before else { return nil }
        guard namespace.durability == .memory else { return group }
        toldGroup = group
        return nil
    }

    /// Lets a reply out when its group is committed, and all that is before it.
    private func release(_ reply: Reply, to request: ChannelRequest, with group: UInt64?, at moment: Moment) {
        guard let group = group ?? waiting.last?.group else { return outbox.emit(reply, at: moment) }
        if reply.beginsSubscription { waitingSubscriptions += 1 }
        waiting.append(Waiting(group: group, content: .reply(Whole(request, reply))))
    }

    /// Lets out what is written of an operation when its group is committed, and all that is before it.
    private func release(_ new: Told, with group: UInt64?) {
        if let group = group ?? waiting.last?.group {
            waiting.append(Waiting(group: group, content: .told(new)))
        } else {
            outbox.emit(new, from: &told)
            told.tidy()
        }
    }

    /// Whether a request is one too many.
    ///
    /// What is refused still takes its place among those that wait, or its refusal would overtake the replies before it.
    /// So this bounds what waits with its effects; how much waits in all is bounded by what each connection may ask.
    private func isFull(for request: ChannelRequest) -> Bool {
        waiting.count >= maxWaiting && !request.body.isNeverRefused
    }

    func overflow(of request: ChannelRequest) -> Reply {
        outbox.countOverflow(.waitingRequests)
        return refusal(of: request, .unavailable, "too many requests wait for this channel")
    }

    func answer(to request: ChannelRequest, at moment: Moment) -> Reply {
        switch request.body {
        // What changes the channel is carried out instead, and never comes here.
        case .operation: refusal(of: request, .unavailable, "it cannot be done now; a retry is safe")
        case .subscribe(let subscribe): subscribed(subscribe, for: request, at: moment)
        case .watch(let messages, let newly): watched(messages, newly: newly, for: request)
        case .unsubscribe: unsubscribed(for: request)
        case .revoke: revoked(for: request)
        case .reactors(let message, let reaction, let limit, let after):
            reactors(on: message, with: reaction, limit: limit, after: after, for: request)
        case .list(let list): listed(list, for: request)
        case .refused(let code, let words), .refusedSubscription(let code, let words):
            refusal(of: request, code, words)
        case .resynchronize(let from, let filter): resynchronized(from: from, filter: filter, for: request)
        }
    }

    /// Does what an operation asks for, unless it is refused, and tells of it.
    private func carryOut(
        _ operation: Operation, for request: ChannelRequest, group: UInt64, at moment: Moment
    ) {
        let before = records.count
        do throws(Refusal) {
            let plan = try Channel.judge(operation, by: &ledger, namespace.rules, at: moment)
            if let refused = plan.isDuplicate ? nil : refusal(now: moment, of: request) {
                return release(refused, to: request, with: nil, at: moment)
            }
            guard plan.concernsOneUser, !namespace.isAnonymous, !mayTellOwns else {
                let (reply, outcome) = commit(plan, operation, for: request)
                records += outcome.records
                note(reply.changes, of: operation, outcome, at: moment)
                return release(reply, to: request, with: waitsFor(group, since: before), at: moment)
            }
            // Nobody hears more of it than the ack and the events, which are written at once.
            let outcome = ledger.commit(plan, records: &records)
            if let postQueue { post(outcome.changes, in: postQueue) }
            let new = told.write(
                outcome, for: request.origin, channel: name, isCounted: namespace.rules.policy == .multiple)
            release(new, with: waitsFor(group, since: before))
        } catch {
            let reply = refusal(of: request, ErrorCode(error), error.words(on: operation.named, by: namespace.rules))
            release(reply, to: request, with: nil, at: moment)
        }
    }

    /// Why nothing may be changed at the moment; `nil`: it may.
    private func refusal(now moment: Moment, of request: ChannelRequest) -> Reply? {
        if isBehind {
            return refusal(of: request, .unavailable, "the store takes nothing now, and too much waits for it")
        }
        guard limiter.isLimiting, let wait = limiter.take(for: request.origin.asker, at: moment.clock) else {
            return nil
        }
        let words = "too fast; wait as long as this says"
        return refusal(of: request, .rateLimited, words, retryAfterMilliseconds: wait)
    }

    // The ledger comes as `inout`, for what only reads a property of an actor copies it first.
    static func judge(
        _ operation: Operation, by ledger: inout Ledger, _ rules: Rules, at moment: Moment
    ) throws(Refusal) -> Plan {
        try ledger.judge(operation, rules: rules, at: moment.unix)
    }

    /// Whether anyone hears what users have, or will when the requests that wait are answered.
    private var mayTellOwns: Bool { waitingSubscriptions > 0 || outbox.tellsOwns }

    /// Does what was judged, and tells what is to be answered and heard.
    func commit(_ plan: Plan, _ operation: Operation, for request: ChannelRequest) -> (Reply, Outcome) {
        let before = plan.sweptMessage.map { holders(of: $0) } ?? []
        let outcome = ledger.commit(plan)
        var reply = reply(
            to: request,
            .ack(
                id: request.origin.id, channel: name, outcome.answer, isDuplicate: outcome.isDuplicate,
                isCounted: namespace.rules.policy == .multiple))
        reply.changes = namespace.isAnonymous ? outcome.changes.map(\.withoutNames) : outcome.changes
        reply.result = ReactionResult(outcome)
        if !outcome.isDuplicate, mayTellOwns {
            reply.owns = Channel.owns(after: outcome, before, in: &ledger)
        }
        if namespace.rules.policy == .ephemeral, outcome.answer.result == .added, !outcome.isDuplicate {
            reply.burst = outcome.answer.reaction.map { (operation.message, $0) }
        }
        if case .freeze(let isFrozen) = operation.action, outcome.answer.result == .changed {
            reply.broadcast = .frozen(channel: name, isFrozen: isFrozen, by: operation.user)
        }
        return (reply, outcome)
    }

    /// Keeps what is to be posted of a change that this broker made, and told already, with its line in the audit.
    func note(_ changes: [Change], of operation: Operation, _ outcome: Outcome, at moment: Moment) {
        if let entry = auditEntry(for: operation, outcome, at: moment) { audit.append(entry) }
        if let postQueue { post(changes, in: postQueue) }
    }

    /// Has changes posted with the commit that they belong to.
    private func post(_ changes: [Change], in queue: String) {
        for change in changes { posts.append(WebhookBatch.entry(change, in: name, epoch: epoch, queue: queue)) }
    }

    /// Who follows the channel, or will when the requests that wait are answered, and has something on a message.
    private func holders(of message: String) -> [OwnChange] {
        var users = outbox.users
        for waiting in waiting {
            if case .subscribe(let following, _) = waiting.reply?.effect { users.insert(following.user) }
        }
        return users.lazy.map { [ledger] user in
            OwnChange(user: user, message: message, own: ledger.own(of: user, on: message), seq: ledger.seq)
        }.filter { !$0.own.isEmpty }
    }

    /// Goes on with other settings of its namespace, which stand under the name `entry`.
    func adopt(_ namespace: Namespace, entry: String, at moment: Moment) {
        limiter.adopt(entry: entry, namespace)
        postQueue = namespace.outbound?.webhook == nil ? nil : entry
        guard namespace != self.namespace else { return }
        self.namespace = namespace
        outbox.adopt(namespace, at: moment)
        guard namespace.isAnonymous else { return }
        removeNames()
    }

    /// Takes the names of those who reacted out of what waits.
    private func removeNames() {
        var written = waiting.compactMap(\.told)
        told.removeNames(from: &written, channel: name)
        var next = written.makeIterator()
        for index in waiting.indices {
            switch waiting[index].content {
            case .told: if let told = next.next() { waiting[index].content = .told(told) }
            case .reply(let whole):
                var reply = whole.reply
                reply.changes = reply.changes.map(\.withoutNames)
                waiting[index].content = .reply(Whole(whole.request, reply))
            }
        }
    }

    /// Whether a subscriber who has seen `seq` can go on from there at once.
    func canResume(after seq: UInt64, at moment: Moment) -> Bool {
        waiting.isEmpty && outbox.canResume(after: seq, at: moment)
    }

    /// Which groups of which messages changed after `seq`, up to the ledger's; `nil` where that is not known any more.
    func changes(after seq: UInt64, at moment: Moment) -> [(message: String, reactions: [Reaction])]? {
        guard seq <= ledger.seq else { return nil }
        let released = outbox.seq
        guard let known = seq < released ? outbox.changes(after: seq, at: moment) : [] else { return nil }
        return known + unreleasedChanges.filter { $0.seq > seq }.map { ($0.message, Array($0.reactions)) }
    }

    /// What changed and waits for the store, in no order.
    private var unreleasedChanges: [(seq: UInt64, message: String, reactions: Few<Reaction>)] {
        let replies = waiting.lazy.compactMap(\.reply).flatMap(\.changes)
        return told.waitingMarks.map { ($0.seq, $0.message, $0.reactions) }
            + replies.map { ($0.seq, $0.message, $0.reactions) }
    }

    // MARK: Hubs

    /// Subscriptions of a hub have ended.
    func departed(_ gone: [Following], from hub: Int) {
        outbox.departed(gone, from: hub)
    }

    /// Whether there may be something to tell without another request, now or later.
    var hasToTell: Bool { line != nil || due != nil }

    /// When something is to be told although nothing happens, in milliseconds of the clock.
    var due: Int64? {
        guard let due = earliest(Channel.due(of: &outbox), line == nil ? nil : line?.due) else { return retryAt }
        return min(due, retryAt ?? due)
    }

    // As `inout`, for what only reads a property of an actor copies it first.
    private static func due(of outbox: inout ChannelOutbox) -> Int64? { outbox.due }

    /// What each hub is to be told since this was last asked.
    func takeDeliveries(at moment: Moment) -> [(hub: Int, delivery: ChannelDelivery)] {
        outbox.take(at: moment)
    }

    /// What was counted since this was last asked.
    func takeCounts() -> ChannelCounts {
        outbox.takeCounts()
    }

    /// Whether anything was counted.
    var hasCounts: Bool { outbox.hasCounts }

    /// For how long a used key is remembered, in milliseconds.
    static let keyLifetime: Int64 = 600_000

    /// How many cleared entries give their memory back in a minute in which nobody reacts; some milliseconds.
    private static let reclaimedAtOnce = 20_000

    /// Drops used keys that have outlived their time, and memory of what was cleared.
    func forgetKeys(now: Int64) {
        // Several brokers that share a log go by its time alone.
        if line == nil { ledger.forgetKeys(before: now - Channel.keyLifetime) }
        ledger.reclaim(Channel.reclaimedAtOnce)
    }
}
