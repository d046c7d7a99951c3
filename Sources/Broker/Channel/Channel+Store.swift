import Reactions
import Storage
import Wire

// What a channel has of the store, and what waits for it.
extension Channel {
    /// How many records may be told of and not committed; at the bound changes are refused until the store goes on.
    private static let maxUncommitted = 65_536
    /// How long the store is left alone after a failure, in milliseconds.
    private static let retryDelay: Int64 = 500

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
        default: refusal(of: request, .unavailable, line?.fault?.rawValue ?? "the store cannot be read now")
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
    var isBehind: Bool {
        namespace.durability == .memory
            && uncommitted.reduce(records.count) { $0 + $1.records.count } >= Channel.maxUncommitted
    }

    /// The store has the groups up to this one: what waited for them goes out.
    func committed(upTo group: UInt64, at moment: Moment) {
        uncommitted.removeAll { $0.group <= group }
        if let told = toldGroup, told <= group { toldGroup = nil }
        var done = 0
        while done < waiting.count, waiting[done].group <= group {
            switch waiting[done].content {
            case .told(let ready): outbox.emit(ready, from: &told)
            case .reply(let whole):
                if whole.reply.beginsSubscription { waitingSubscriptions -= 1 }
                outbox.emit(whole.reply, at: moment)
            }
            done += 1
        }
        waiting.removeFirst(done)
        told.tidy()
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
        var ids = told.ids(of: waiting.lazy.compactMap(\.told)).makeIterator()
        let again = waiting.map { waiting in
            switch waiting.content {
            case .told(let told):
                let origin = Origin(
                    connection: told.connection, user: "", id: ids.next() ?? nil, wantsReply: true,
                    receivedAt: told.receivedAt)
                return ChannelRequest(channel: name, origin: origin, body: .refused(.unavailable, words))
            case .reply(let whole):
                var request = whole.request
                if case .operation = request.body { request.body = .refused(.unavailable, words) }
                return request
            }
        }
        unread = (unread ?? []) + again
        waiting = []
        told = ToldQueue()
        waitingSubscriptions = 0
        records = []
        posts = []
        audit = []
    }
}
