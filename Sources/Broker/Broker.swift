public import Storage
public import Transport

/// A whole broker: a hub on each loop, and the store behind them.
public final class Broker: Sendable {
    /// The hubs, one a loop.
    public let hubs: [Hub]
    /// What the broker does now.
    public var settings: BrokerSettings { inForce.withLock { $0 } }
    /// Who is connected.
    public let admissions = Admissions()
    /// Whether there is memory for more of them.
    public let memory = MemoryGuard()
    /// Whether the store takes changes.
    public let storeHealth: StoreHealth
    private let inForce: Locked<BrokerSettings>
    private let store: any Store
    private let revocations: Revocations

    /// Makes a broker and starts its hubs; the loops must be running.
    ///
    /// `revocations` are those that the store has. With a `sharedLog` the channels are what that has, as in all brokers
    /// that share it; the store then keeps this broker's audit and what is to be posted elsewhere. Where that log begins
    /// another life, `logEnded` is called, once: this broker can append nothing any more, and another one has to begin.
    public init(
        loops: [EventLoop], store: any Store, sharedLog: (any OperationLog)? = nil, settings: BrokerSettings,
        revocations: Revocations = Revocations(), log: BrokerLog,
        logEnded: @escaping @Sendable () -> Void = {}
    ) {
        let settings = settings.heeding(revocations)
        let storeHealth = StoreHealth(hasSharedLog: sharedLog != nil)
        self.storeHealth = storeHealth
        inForce = Locked(settings)
        self.store = store
        self.revocations = revocations
        let buckets = SharedBuckets()
        let hubs = loops.enumerated().map { index, loop in
            Hub(
                index: index, loop: loop, store: store, sharedLog: sharedLog, health: storeHealth, settings: settings,
                buckets: buckets, log: log)
        }
        let mailboxes = hubs.map { hub in
            Mailbox<HubMessage>(on: hub.loop) { messages in hub.onLoop { $0.receive(messages) } }
        }
        for hub in hubs {
            hub.loop.execute { hub.onLoop { $0.start(hubs: mailboxes) } }
        }
        self.hubs = hubs
        guard let sharedLog else { return }
        let reader = SharedRevocations(
            load: { [weak sharedLog] answer in sharedLog?.loadRevocations(answer: answer) },
            later: { [loop = loops[0]] body in
                loop.execute { loop.schedule(Alarm(body), after: SharedRevocations.pause) }
            },
            heed: { [revocations] in Broker.heed($0, revocations, mailboxes) })
        sharedLog.start { [revocations] event in
            switch event {
            case .mayHaveMissed:
                for mailbox in mailboxes { mailbox.post(.mayHaveMissed) }
                reader.read()
            case .revoked(let revocation): Broker.heed(revocation, revocations, mailboxes)
            case .lost(let reason):
                storeHealth.logWasLost(reason)
                log.error("the shared log is lost: \(reason); the broker is not ready until it is back")
            case .found:
                storeHealth.logIsBack()
                log.info("the shared log is back")
                for mailbox in mailboxes { mailbox.post(.mayHaveMissed) }
                reader.read()
            case .clock(let difference):
                let moment = Moment(unix: wallClockMilliseconds(), clock: MonotonicTime.now.milliseconds)
                guard let (fault, isNew) = storeHealth.logClock?.adopt(difference, at: moment), isNew else { break }
                if let fault {
                    log.error("\(fault): changes are refused until they agree; set the clock that is wrong")
                } else {
                    log.info("this broker's clock agrees again with that of the log's servers")
                }
            case .replaced(let reason):
                storeHealth.logWasLost(reason)
                log.error(
                    "the shared log has begun another life: \(reason); the broker ends, and has to be started anew")
                logEnded()
            case .forbidden(let words): log.say(.error, .store, "NATS does not permit something: \(words)")
            }
        }
    }

    /// A user was revoked, by whichever broker.
    private static func heed(
        _ revocation: Revocation, _ revocations: Revocations, _ mailboxes: [Mailbox<HubMessage>]
    ) {
        guard !revocations.cover(revocation.user, issued: revocation.at) else { return }
        revocations.add(revocation)
        for mailbox in mailboxes { mailbox.post(.sendAway(revocation)) }
    }

    /// Goes on with other settings: for new requests and connections, and for the channels that are there.
    public func adopt(_ settings: BrokerSettings) {
        let settings = settings.heeding(revocations)
        inForce.withLock { $0 = settings }
        if settings.expectsLoss { store.expectLoss() }
        for hub in hubs {
            hub.loop.execute { hub.onLoop { $0.adopt(settings) } }
        }
    }

    /// Calls `done` once a hub, on its loop, when the store has committed all that was changed there.
    public func whenCommitted(_ done: @escaping @Sendable () -> Void) {
        for hub in hubs {
            hub.loop.execute { hub.onLoop { $0.whenCommitted(done) } }
        }
    }

    /// Takes no more requests, and says goodbye to every connection when it has the answers to what it asked, and where it
    /// follows channels what all others asked of them; `done` is called once a hub, on its loop, when its last connection is
    /// gone.
    public func drain(_ drain: DrainSettings, done: @escaping @Sendable () -> Void) {
        let spread = Int64(drain.spreadMilliseconds)
        let limit = Duration.milliseconds(drain.withinMilliseconds / 2)
        // An answer may be there before its event has been posted to all hubs. When each loop has come to another turn since
        // the last answer, all is posted; and a closure that comes later runs behind what was posted.
        let told = Countdown(hubs.count) { [hubs] in
            for hub in hubs { hub.loop.execute { hub.onLoop { $0.sayGoodbyeToFollowers() } } }
        }
        let settled = Countdown(hubs.count) { [hubs] in
            for hub in hubs { hub.loop.execute { told.count() } }
        }
        for hub in hubs {
            hub.loop.execute {
                hub.onLoop {
                    $0.drain(spread: spread, settlingWithin: limit, settled: { settled.count() }, done: done)
                }
            }
        }
    }
}

extension BrokerSettings {
    /// The same settings, with which tokens that were revoked are refused.
    fileprivate func heeding(_ revocations: Revocations) -> BrokerSettings {
        var settings = self
        settings.authenticator.revocations = revocations
        return settings
    }
}
