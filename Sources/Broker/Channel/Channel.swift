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
actor Channel {
    /// A reply that waits for its group to be committed.
    private struct Waiting {
        var group: UInt64
        var request: ChannelRequest
        var reply: Reply
    }

    /// What the store was given, until it has answered.
    private struct HandedOver {
        var group: UInt64
        var records: [Record]
        var posts: [OutboxEntry]
        var audit: [AuditEntry]
    }

    private nonisolated let loop: EventLoop
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
    private var waiting: [Waiting] = []
    /// How many of those that wait begin a subscription.
    private var waitingSubscriptions = 0
    private var records: [Record] = []
    /// Where the changes wait that are to be posted; `nil`: they are not.
    private var postQueue: String?
    private var posts: [OutboxEntry] = []
    /// What moderators did, for the same commit as the records.
    private var audit: [AuditEntry] = []
    /// What was handed to the store and not committed yet, by group.
    private var uncommitted: [HandedOver] = []
    /// The newest group with a change that was told before it is committed; `nil`: there is none.
    private var toldGroup: UInt64?
    /// When what the store refused is offered again, in milliseconds of the clock.
    private var retryAt: Int64?

    /// How many records may be told of and not committed; at the bound changes are refused until the store goes on.
    private static let maxUncommitted = 65_536
    /// How long the store is left alone after a failure, in milliseconds.
    private static let retryDelay: Int64 = 500

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
        let reply = isFull(for: request) ? overflow(of: request) : answer(to: request, at: moment)
        var hasChanged = records.count > before
        if hasChanged, namespace.durability == .memory {
            toldGroup = group
            hasChanged = false
        }
        if hasChanged || !waiting.isEmpty {
            let group = hasChanged ? group : waiting[waiting.count - 1].group
            if reply.beginsSubscription { waitingSubscriptions += 1 }
            waiting.append(Waiting(group: group, request: request, reply: reply))
        } else {
            outbox.emit(reply, at: moment)
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
        case .operation(let operation): apply(operation, for: request, at: moment)
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

    private func apply(_ operation: Operation, for request: ChannelRequest, at moment: Moment) -> Reply {
        do throws(Refusal) {
            let plan = try Channel.judge(operation, by: &ledger, namespace.rules, at: moment)
            if !plan.isDuplicate, isBehind {
                return refusal(of: request, .unavailable, "the store takes nothing now, and too much waits for it")
            }
            if !plan.isDuplicate, let wait = limiter.take(for: request.origin.asker, at: moment.clock) {
                let words = "too fast; wait as long as this says"
                return refusal(of: request, .rateLimited, words, retryAfterMilliseconds: wait)
            }
            let (reply, outcome) = commit(plan, operation, for: request)
            // Shared where it is all there is.
            if records.isEmpty { records = outcome.records } else { records += outcome.records }
            if let entry = auditEntry(for: operation, outcome, at: moment) { audit.append(entry) }
            if let postQueue { post(reply.changes, in: postQueue) }
            return reply
        } catch {
            return refusal(of: request, ErrorCode(error), error.words(on: operation.named, by: namespace.rules))
        }
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
    @inline(__always)  // a reply is large, and this is on the path of every reaction
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
    func note(_ reply: Reply, of operation: Operation, _ outcome: Outcome, at moment: Moment) {
        if let entry = auditEntry(for: operation, outcome, at: moment) { audit.append(entry) }
        if let postQueue { post(reply.changes, in: postQueue) }
    }

    /// Has changes posted with the commit that they belong to.
    private func post(_ changes: [Change], in queue: String) {
        for change in changes { posts.append(WebhookBatch.entry(change, in: name, epoch: epoch, queue: queue)) }
    }

    /// Who follows the channel, or will when the requests that wait are answered, and has something on a message.
    private func holders(of message: String) -> [OwnChange] {
        var users = outbox.users
        for waiting in waiting {
            if case .subscribe(let following, _) = waiting.reply.effect { users.insert(following.user) }
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
        for index in waiting.indices {
            waiting[index].reply.changes = waiting[index].reply.changes.map(\.withoutNames)
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
        let unreleased = waiting.lazy.flatMap(\.reply.changes).filter { $0.seq > seq }
        return known + unreleased.map { ($0.message, $0.reactions) }
    }

    // MARK: The store

    /// Whether the store must be asked for the channel (again).
    var isUnread: Bool { unread != nil }

    /// Takes what the store had (`nil`: it could not be read), and answers what came meanwhile.
    func loaded(_ image: ChannelImage?, group: UInt64, at moment: Moment) {
        guard let requests = unread else { return }
        guard let image else {
            unread = requests.filter { $0.body.waitsForStore }
            line?.unreadBytes = 0
            for request in requests where !request.body.waitsForStore {
                outbox.emit(answerWithoutStore(to: request), at: moment)
            }
            return
        }
        unread = nil
        ledger = Ledger(image)
        outbox.begin(at: image.seq)
        for request in requests { handle(request, group: group, at: moment) }
    }

    func answerWithoutStore(to request: ChannelRequest) -> Reply {
        switch request.body {
        case .unsubscribe: unsubscribed(for: request)
        case .revoke: revoked(for: request)
        case .refused(let code, let words), .refusedSubscription(let code, let words):
            refusal(of: request, code, words)
        default: refusal(of: request, .unavailable, "the store cannot be read now")
        }
    }

    /// What is to be committed with a group since this was last asked; `nil`: nothing.
    func takeWrite(for group: UInt64, at moment: Moment) -> ChannelWrite? {
        guard !records.isEmpty || !posts.isEmpty || !audit.isEmpty, moment.clock >= retryAt ?? .min else { return nil }
        // What goes by way of the log is told before this store has its part.
        if line != nil { toldGroup = group }
        let write = ChannelWrite(
            channel: name, seq: ledger.seq, records: records, posts: posts, audit: audit,
            durability: namespace.durability, followsFailure: retryAt != nil)
        uncommitted.append(HandedOver(group: group, records: records, posts: posts, audit: audit))
        (records, posts, audit) = ([], [], [])
        retryAt = nil
        return write
    }

    /// How many requests wait for the store.
    var waitingCount: Int { waiting.count + (unread?.count ?? 0) }

    /// How many records the store has not been given yet, or gave back.
    var heldRecords: Int { records.count }

    /// Whether the store has not committed all that was changed.
    var hasUncommitted: Bool {
        !records.isEmpty || !posts.isEmpty || !audit.isEmpty || !uncommitted.isEmpty || (line?.hasPending ?? false)
    }

    /// Whether so much was told of and is not committed that nothing more may be.
    private var isBehind: Bool {
        namespace.durability == .memory
            && uncommitted.reduce(records.count) { $0 + $1.records.count } >= Channel.maxUncommitted
    }

    /// The store has the groups up to this one: what waited for them goes out.
    func committed(upTo group: UInt64, at moment: Moment) {
        uncommitted.removeAll { $0.group <= group }
        if let told = toldGroup, told <= group { toldGroup = nil }
        var done = 0
        while done < waiting.count, waiting[done].group <= group {
            if waiting[done].reply.beginsSubscription { waitingSubscriptions -= 1 }
            outbox.emit(waiting[done].reply, at: moment)
            done += 1
        }
        waiting.removeFirst(done)
    }

    /// The store refused a group: the operations that rest on it are refused, and the channel is to be read again.
    ///
    /// What changes nothing is asked again then, and the refusals keep their places among the replies. Where something of
    /// it was told already nothing is taken back: all of it is offered to the store again, later.
    func failed(at moment: Moment) {
        let lost = uncommitted
        uncommitted = []
        guard toldGroup == nil else {
            records = lost.flatMap(\.records) + records
            posts = lost.flatMap(\.posts) + posts
            audit = lost.flatMap(\.audit) + audit
            retryAt = moment.clock + Channel.retryDelay
            return
        }
        let words = "the store cannot take it now; nothing was changed, and a retry is safe"
        let again = waiting.map { waiting in
            var request = waiting.request
            if case .operation = request.body { request.body = .refused(.unavailable, words) }
            return request
        }
        unread = (unread ?? []) + again
        waiting = []
        waitingSubscriptions = 0
        records = []
        posts = []
        audit = []
    }

    // MARK: Hubs

    /// Subscriptions of a hub have ended.
    func departed(_ gone: [Following], from hub: Int) {
        outbox.departed(gone, from: hub)
    }

    /// When something is to be told although nothing happens, in milliseconds of the clock.
    var due: Int64? {
        guard let due = earliest(outbox.due, line?.due) else { return retryAt }
        return min(due, retryAt ?? due)
    }

    /// What each hub is to be told since this was last asked.
    func takeDeliveries(at moment: Moment) -> [(hub: Int, delivery: ChannelDelivery)] {
        outbox.take(at: moment)
    }

    /// What was counted since this was last asked.
    func takeCounts() -> ChannelCounts {
        outbox.takeCounts()
    }

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
