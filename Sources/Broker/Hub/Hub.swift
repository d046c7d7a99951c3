import Reactions
import Storage
public import Transport
import Wire

/// All that one loop owns: the connections that it accepted, and the channels that live on it.
///
/// Everything here runs on the loop, without waiting. What is for another loop goes as a value into the other hub's
/// mailbox; what is for this one is a plain call.
public actor Hub: LoopActor {
    /// The loop that it runs on.
    public nonisolated let loop: EventLoop
    /// The loop, as what runs the actor.
    public nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe loop.asUnownedSerialExecutor()  // the actor holds the loop
    }
    nonisolated let index: Int

    /// What is in force here; connections and channels read it, and all of them run on the loop.
    public nonisolated var settings: BrokerSettings { unsafe settingsOnLoop.settings }
    /// The bounds alone, without a copy of the rest; on the loop only.
    public nonisolated var limits: BrokerSettings.Limits { unsafe settingsOnLoop.settings.limits }
    /// Whether any namespace has a hook; on the loop only.
    nonisolated var hasHooks: Bool { unsafe settingsOnLoop.settings.hasHooks }
    // Read and replaced on the loop alone, where nothing else runs meanwhile: a lock would cost every message.
    nonisolated(unsafe) var settingsOnLoop: SettingsInForce
    // Touched on the loop alone, as the settings are.
    /// What compresses for all connections here.
    nonisolated(unsafe) let compressor = SharedCompressor()
    private let buckets: SharedBuckets
    nonisolated let health: StoreHealth
    /// The life of all channels' counters.
    nonisolated let epoch: String
    let store: any Store
    /// The log that brokers share; `nil`: this one is alone.
    let sharedLog: (any OperationLog)?
    /// What this hub's batches are known by, and the number of the next one.
    let writer = UInt64.random(in: 1 ... .max)
    var batchNumber: UInt64 = 1
    /// Channels whose log is to be looked at since something may have been missed, and since it is their turn.
    var unchecked: [String] = []
    var uncheckedInRound: [String] = []
    /// The time by which channels grow old, in Unix seconds, and whether the clock is far ahead of it.
    var storeTime: Int64 = 0
    var isClockAhead = false
    let log: BrokerLog
    /// Channels that may be let go to make room, in no order.
    var candidates: [String] = []
    /// The mailboxes of all hubs, this one's too, by index.
    private(set) var hubs: [Mailbox<HubMessage>] = []

    /// Who is here, by slot.
    var recipients = SlotTable<Recipient>()
    var audiences: [String: Audience] = [:]
    /// Audiences that lost subscriptions in this turn.
    var departed: [Audience] = []
    /// The listeners of this loop.
    var listeners: [Listener] = []
    // Touched on the loop alone, as the settings are.
    nonisolated(unsafe) var isDrainingOnLoop = false
    /// Whether it comes to its end, and takes no more requests; on the loop only.
    nonisolated var isDraining: Bool { unsafe isDrainingOnLoop }
    /// Those whose answers are waited for at the end, and within how many milliseconds all are to come back.
    var unsettled: [Recipient] = []
    /// Those who have theirs, and hear at the end what others are still to bring about.
    var followers: [Recipient] = []
    /// What to call when nobody waits for an answer any more.
    var whenSettled: (@Sendable () -> Void)?
    var goodbyeSpread: Int64 = 0
    /// What to call when the last connection is gone.
    var whenEmpty: (@Sendable () -> Void)?
    /// What to call when the store has committed all that was changed.
    var whenAllIsCommitted: (@Sendable () -> Void)?
    /// How many connections that speak HTTP asked for something here.
    var exchanges: UInt64 = 0
    var metrics = HubMetrics()
    /// When someone last looked where most happens, and what was seen.
    var lastLook = (at: MonotonicTime.now, activity: HubActivity())
    /// Spreads the heartbeats of those who come.
    var phases = EvenSpread(from: UInt64.random(in: 0 ... .max))
    /// The senders of the webhooks that live here, by queue.
    var senders: [String: WebhookSender] = [:]
    /// Asks the servers of hooks.
    private(set) lazy var hookClient = HTTPClient(on: loop, maxConnections: 32, maxWaiting: 1_024)
    var told = ToldThisTurn()

    /// Requests for channels here that are handed over together; several in a row for one channel enter it once.
    var gathered: [ChannelRequest] = []
    var isGathering = false

    var residents: [String: Resident] = [:]
    /// Residents that may have something to commit or to tell.
    private var marked: [Resident] = []
    var writes: [ChannelWrite] = []
    private var writers: [Resident] = []
    /// The channels in the group that is being committed.
    private var committing: [Resident] = []
    var isCommitting = false
    /// Whether the store is looked at, since a channel could not be read.
    var isLooking = false
    /// The queues of the outbox that the group puts something into.
    private var posting: Set<String> = []
    private var commitBegan = MonotonicTime(nanoseconds: 0)
    private(set) var group: UInt64 = 1

    init(
        index: Int, loop: EventLoop, store: any Store, sharedLog: (any OperationLog)?, health: StoreHealth,
        settings: BrokerSettings, buckets: SharedBuckets, log: BrokerLog
    ) {
        self.index = index
        self.loop = loop
        self.store = store
        self.sharedLog = sharedLog
        unsafe settingsOnLoop = SettingsInForce(settings)
        self.health = health
        self.buckets = buckets
        epoch = sharedLog?.epoch ?? store.epoch
        self.log = log
    }

    /// Enters the hub from a callback on its own loop, with something that belongs to that.
    nonisolated func enter<Value>(with value: Value, _ body: @Sendable (isolated Hub, Value) -> Void) {
        // Both are this loop's, and nothing changes threads here.
        nonisolated(unsafe) let value = value
        onLoop { unsafe body($0, value) }
    }

    /// Begins to work; called once, on the loop.
    func start(hubs: [Mailbox<HubMessage>]) {
        self.hubs = hubs
        boundClosing()
        loop.atTurnEnd { [unowned self] in endTurn() }
        loop.afterWrites { [unowned self] now, left in
            if !told.isEmpty { told.record(in: &metrics, at: now, left: left) }
        }
        loop.atEnd { [unowned self] in letGo() }
        scheduleSweep()
        scheduleExpiry()
        scheduleLogCheck()
        adoptWebhooks()
    }

    /// The time in Unix milliseconds.
    var now: Int64 { wallClockMilliseconds() }

    var moment: Moment {
        Moment(unix: now, clock: loop.now.milliseconds)
    }

    // MARK: Messages

    func receive(_ messages: [HubMessage]) {
        gather {
            for message in messages {
                if case .request(let request) = message {
                    gathered.append(request)
                } else {
                    // What came first is first.
                    handleGathered()
                    receive(message)
                }
            }
        }
    }

    private func receive(_ message: HubMessage) {
        switch message {
        case .request: break  // gathered, see above
        case .delivery(let delivery): deliver(delivery)
        case .departed(let channel, let hub, let gone): departed(gone, from: hub, of: channel)
        case .loaded(let channel, let result): loaded(channel, result)
        case .looked(let result): looked(result)
        case .stored(let group, let result, let time): stored(group, result, at: time)
        case .metricsAsked(let key, let withActivity): tellMetrics(to: key, withActivity: withActivity)
        case .metrics(let metrics, let activity, let key):
            (recipients[key] as? MetricsRequest)?.take(metrics, activity)
        case .webhook(let queue, let message): senders[queue]?.receive(message)
        case .revoked(let revocation, let result, let key): revoked(revocation, result, for: key)
        case .sendAway(let revocation): sendAway(revocation)
        case .timed(let time): timed(time)
        case .aged(let page): aged(page)
        case .expire(let channels, let moment): expire(channels, unchangedSince: moment)
        case .expired(let result): expired(result)
        case .heard(let channel, let news): heard(channel, news)
        case .read(let channel, let result): read(channel, result)
        case .appended(let channel, let number, let result): appended(channel, number, result)
        case .mayHaveMissed: checkAll()
        }
    }

    /// The index of the hub on which a channel lives.
    nonisolated func home(of channel: String, among count: Int) -> Int {
        var hash = StableHash()
        hash.combine(channel)
        return Int(hash.value % UInt64(count))
    }

    func home(of channel: String) -> Int { home(of: channel, among: hubs.count) }

    // MARK: Channels that live here

    /// A channel that is in memory, or comes there.
    func resident(_ name: String) throws(RequestRefusal) -> Resident {
        if let resident = residents[name] {
            read(resident, name)
            return resident
        }
        guard let namespace = settings.namespace(of: name) else {
            throw RequestRefusal(.forbidden, "there is no namespace for the channel '\(name)'")
        }
        try makeRoom()
        let entry = settings.namespaceEntry(of: name)
        let channel = Channel(
            name: name, epoch: epoch, namespace: namespace, entry: entry,
            limiter: ChannelLimiter(buckets, entry: entry, namespace),
            maxWaiting: settings.limits.waitingRequests,
            hubs: hubs.count, loop: loop, line: sharedLog.map(makeLine))
        let resident = Resident(channel, at: loop.now)
        residents[name] = resident
        follow(name)
        read(resident, name)
        return resident
    }

    /// How many records wait in the store's own queue.
    nonisolated var waitingRecords: Int { store.waitingRecords }

    func mark(_ resident: Resident) {
        guard !resident.isMarked else { return }
        resident.isMarked = true
        marked.append(resident)
    }

    /// Comes back to a channel that has something to tell later.
    private func wake(_ resident: Resident, at due: Int64, clock: Int64) {
        if let timer = resident.timer {
            guard due < timer.due else { return }
            loop.cancel(timer.token)
        }
        let alarm = Alarm { [unowned self, name = resident.channel.name] in
            guard let resident = residents[name] else { return }
            resident.timer = nil
            mark(resident)
        }
        resident.timer = (loop.schedule(alarm, after: .milliseconds(max(1, due - clock))), due)
    }

    private func departed(_ gone: [Following], from hub: Int, of name: String) {
        guard let resident = residents[name] else { return }
        let mayTell = resident.channel.onLoop { channel in
            channel.departed(gone, from: hub)
            return channel.hasToTell
        }
        if mayTell { mark(resident) }
    }

    /// Lets go of the channels and the mailboxes, which hold the hub; nothing runs here any more.
    func letGoOfChannels() {
        hubs = []
        residents = [:]
        marked = []
        writes = []
        writers = []
        committing = []
        // What waits for a hook holds the hub as well.
        hookClient = HTTPClient(on: loop, maxConnections: 0, maxWaiting: 0)
    }

    // MARK: The end of a turn

    /// Sends what the turn's requests led to: writes to the store, replies and events to the hubs.
    private func endTurn() {
        repeat {
            tellMarked()
            if !departed.isEmpty {
                for audience in departed { tellDepartures(of: audience) }
                departed.removeAll(keepingCapacity: true)
            }
        } while !marked.isEmpty
        unsafe compressor.endTurn()
        if !unsettled.isEmpty { sayGoodbye() }
        commit()
        reportIfCommitted()
    }

    private func tellMarked() {
        while let resident = marked.popLast() {
            resident.isMarked = false
            let (group, moment) = (group, moment)
            if sharedLog != nil { workOnLog(of: resident, at: moment) }
            let (write, deliveries, due, counts) = resident.channel.onLoop {
                (
                    $0.takeWrite(for: group, at: moment), $0.takeDeliveries(at: moment), $0.due,
                    $0.hasCounts ? $0.takeCounts() : nil
                )
            }
            if let counts { metrics.count(counts) }
            if let due { wake(resident, at: due, clock: moment.clock) }
            if let write {
                writes.append(write)
                writers.append(resident)
            }
            let releasedAt = (resident.releasedAt ?? loop.now).nanoseconds
            resident.releasedAt = nil
            for (hub, var delivery) in deliveries {
                delivery.releasedAt = releasedAt
                send(delivery, to: hub)
            }
        }
    }

    func send(_ delivery: ChannelDelivery, to hub: Int) {
        if hub == index { deliver(delivery) } else { hubs[hub].post(.delivery(delivery)) }
    }

    private func tellDepartures(of audience: Audience) {
        guard !audience.departures.isEmpty else { return }
        let home = home(of: audience.channel)
        let gone = audience.departures
        audience.departures = []
        if audience.isEmpty, let index = audiences.index(forKey: audience.channel),
            audiences.values[index] === audience
        {
            audiences.remove(at: index)
        }
        if home == index {
            departed(gone, from: index, of: audience.channel)
        } else {
            hubs[home].post(.departed(audience.channel, hub: index, gone))
        }
    }

    // MARK: The store

    /// Hands the gathered writes to the store; while it commits them, the next ones gather.
    ///
    /// Only at the end of a turn, when all that belongs to the group has been taken from the channels.
    private func commit() {
        guard !isCommitting, !writes.isEmpty else { return }
        isCommitting = true
        committing = writers
        commitBegan = .now
        // Where brokers share a log, changes are committed there; here are only posts and the audit.
        if sharedLog == nil { metrics.commitRecords.record(UInt64(writes.reduce(0) { $0 + $1.records.count })) }
        let (committed, inbox) = (group, hubs[index])
        for write in writes { for post in write.posts { posting.insert(post.queue) } }
        store.commit(writes) { inbox.post(.stored(committed, $0, at: .now)) }
        writes = []
        writers = []
        group += 1
    }

    private func stored(_ group: UInt64, _ result: Result<Void, StoreError>, at time: MonotonicTime) {
        let (channels, moment) = (committing, moment)
        committing = []
        isCommitting = false
        let posted = posting
        posting = []
        if sharedLog == nil { metrics.commits.record(from: commitBegan.nanoseconds, to: time) }
        switch result {
        case .success:
            if health.tookChanges() { log.info("the store takes changes again") }
            tellSenders(of: posted)
            for resident in channels {
                resident.releasedAt = time
                resident.channel.onLoop { $0.committed(upTo: group, at: moment) }
                mark(resident)
            }
        case .failure(let error):
            metrics.commitFailures += 1
            health.refusedChanges(error.reason, at: time)
            log.say(
                .error, .store,
                "the store refused the changes of \(counted(channels.count, "channel")): \(error.reason)")
            for resident in channels { giveUp(resident, at: moment) }
        }
    }

    /// Refuses what rests on a write that failed, and reads the channel again.
    private func giveUp(_ resident: Resident, at moment: Moment) {
        let name = resident.channel.name
        resident.isUnread = resident.channel.onLoop { channel in
            channel.failed(at: moment)
            return channel.isUnread
        }
        writes.removeAll { $0.channel == name }
        writers.removeAll { $0 === resident }
        read(resident, name)
        mark(resident)
    }
}
