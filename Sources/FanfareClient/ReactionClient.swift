import Wire

#if !FANFARE_URLSESSION
public import Transport
#endif

/// A client of one broker: follows channels and reacts, over one connection that comes back by itself.
///
/// It connects when something is first asked of it, reconnects with full jitter, resumes each channel where it was, and sends
/// unanswered requests again under their keys. It lives on an event loop, by default one that all clients of the process
/// share. Who follows a channel keeps it alive; ``close()`` ends it in order, and when it goes without that, its connection is
/// broken off when the broker next says something, which it does every 25 s.
public actor ReactionClient {
    /// The loop that the client lives on.
    public nonisolated let loop: ClientLoop
    /// Where the broker is.
    public nonisolated let url: BrokerURL
    let identity: Identity
    let options: ClientOptions
    var machine: ConnectionMachine
    var connection: Connection?
    var outbox = Outbox<Request.Body, ReplyContinuation>()
    var subscriptions: [String: Subscription] = [:]
    /// Each subscribe and each watch that has no answer yet.
    var subscribing: [UInt64: Subscribing] = [:]
    var watching: [UInt64: Watching] = [:]
    /// Those for whom a ``ChannelReactions`` waits, by channel.
    var feeds: [String: [AttachedFeed]] = [:]
    var renewal = TokenRenewal()
    private var generator = SystemRandomNumberGenerator()
    private var connectionCount: UInt64 = 0
    private var leaving: Connection?
    private var closers: [CheckedContinuation<Void, Never>] = []
    private var armed: (deadline: Duration, timer: ClientTimer)?

    /// Runs the client on its loop.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }

    /// Makes a client that is not connected yet.
    ///
    /// - Parameters:
    ///   - url: Where the broker is; see ``BrokerURL``.
    ///   - identity: Who the client says it is.
    ///   - options: Time-outs, certificates and more.
    ///   - loop: The loop to live on, running; `nil`: the one that all clients of the process share.
    /// - Throws: ``ClientError``: `invalidURL`, or `transport` where no loop can be made.
    public init(
        url: String, identity: Identity = .none, options: ClientOptions = ClientOptions(), loop: ClientLoop? = nil
    ) throws(ClientError) {
        self.url = try BrokerURL(url)
        self.identity = identity
        self.options = options
        self.loop = if let loop { loop } else { try ClientLoop.ofClients.get() }
        let renewsTokens = if case .tokens = identity { true } else { false }
        machine = ConnectionMachine(connectTimeout: options.connectTimeout, renewsTokens: renewsTokens)
    }

    /// How the client stands with its broker; `nil` before anything was asked of it.
    public var state: ConnectionState? { machine.state }

    /// Closes the connection with code 1000 and ends everything: sequences end, requests without an answer fail with `closed`.
    ///
    /// It returns when the broker has closed too, after about 2 s at most. A closed client stays closed.
    public func close() async {
        handle(.close)
        guard leaving != nil else { return }
        await withCheckedContinuation { closers.append($0) }
    }

    /// The connection that was left is gone.
    private func left() {
        leaving = nil
        for closer in closers { closer.resume() }
        closers = []
    }

    /// Runs something on the client's loop, in the order of the calls.
    nonisolated func onLoop(_ work: @escaping @Sendable (isolated ReactionClient) -> Void) {
        loop.execute { self.assumeIsolated(work) }
    }

    // MARK: The connection's life

    var now: Duration { loop.time }

    var isConnected: Bool {
        if case .connected = machine.state { true } else { false }
    }

    /// Why there is no connection, for a person; `nil` while there is one.
    var outageDescription: String? {
        switch machine.state {
        case nil, .connecting, .waiting:
            machine.lastLoss.map { "no connection to \(url): \($0)" } ?? "no connection to \(url) yet"
        case .closed(let reason): reason.description
        case .connected: nil
        }
    }

    /// Begins to connect, unless that was done.
    func start() {
        if machine.state == nil { handle(.start) }
    }

    /// Lets the machine judge an event and does what it says.
    func handle(_ event: ConnectionMachine.Event) {
        let before = machine.state
        let actions = machine.handle(event, at: now, using: &generator)
        if !isConnected {
            // Nobody answers any more, and the next connection asks again.
            subscribing = [:]
            watching = [:]
        }
        if let state = machine.state, state != before {
            for subscription in subscriptions.values { subscription.push(.connection(state)) }
            feedAll(.connection(state))
            options.stateChanged?(state)
        }
        for action in actions { perform(action) }
        arm()
    }

    func perform(_ action: ConnectionMachine.Action) {
        switch action {
        case .open: open()
        case .drop:
            connection?.abandon()
            connection = nil
        case .leave:
            leaving = connection
            connection = nil
            leaving?.leave { [weak self] in self?.assumeIsolated { $0.left() } }
        case .resume:
            for channel in subscriptions.keys { subscribe(to: channel) }
            resendRequests()
        case .finish(let reason): finish(reason)
        }
    }

    private func finish(_ reason: CloseReason) {
        if let armed { loop.cancel(armed.timer) }
        armed = nil
        let error = ClientError(reason)
        for waiter in outbox.takeAll() { waiter.resume(returning: .failure(error)) }
        for subscription in subscriptions.values { subscription.finish(reason == .requested ? nil : error) }
        subscriptions = [:]
        feeds = [:]
    }

    private func open() {
        connectionCount += 1
        let number = connectionCount
        let url = url
        let tokens = tokenSource
        // Names are looked up by a call that blocks, so not on the loop.
        renewal.isAwaited = tokens != nil
        Task.detached { [weak self] in
            do {
                if let tokens { await self?.hold(try await tokens(), for: number) }
            } catch {
                await self?.fail(number, "there is no token: \(error)")
                return
            }
            let route = Route.find(url)
            await self?.connect(number, by: route)
        }
    }

    /// Keeps the token that an attempt asked for; one that comes too late is for the next attempt.
    private func hold(_ token: String, for number: UInt64) {
        if number == connectionCount { renewal.isAwaited = false }
        if number == connectionCount || renewal.token == nil { hold(token) }
    }

    /// Ends an attempt to connect for which no token came in time.
    private func giveUpTokenIfDue() {
        guard renewal.isAwaited, machine.state == .connecting, let deadline = machine.deadline, now >= deadline
        else { return }
        let seconds = options.connectTimeout.components.seconds
        fail(connectionCount, "there is no token: what gives it has not answered within \(seconds) s")
    }

    private func fail(_ number: UInt64, _ why: String) {
        guard number == connectionCount, machine.state == .connecting else { return }
        renewal.isAwaited = false
        handle(.lost(.unreachable(why)))
    }

    private func connect(_ number: UInt64, by route: Result<Route, Loss>) {
        guard number == connectionCount, machine.state == .connecting else { return }
        do throws(Loss) {
            let connection = makeConnection(number)
            try connection.start(by: try route.get(), on: loop)
            self.connection = connection
        } catch {
            handle(.lost(error))
        }
    }

    private func makeConnection(_ number: UInt64) -> Connection {
        let upgrade = Upgrade(url: url, target: url.target(for: identity), token: token, options: options)
        return Connection(number: number, upgrade) { [weak self] event in
            // A connection lives on the client's loop and reports from there.
            self?.assumeIsolated { $0.take(event, from: number) }
            return self != nil
        }
    }

    private func take(_ event: ConnectionEvent, from number: UInt64) {
        guard connection?.number == number else { return }
        switch event {
        case .messages(let messages):
            machine.heard(at: now)
            for message in messages where connection?.number == number { take(message) }
        case .lost(let loss):
            connection = nil
            handle(.lost(loss))
        }
    }

    // MARK: Time

    /// Has the loop call back at the next deadline.
    func arm() {
        let deadlines = [machine.deadline, outbox.nextDeadline, nextSubscriptionDeadline, renewal.due]
        guard let next = deadlines.compactMap({ $0 }).min() else { return }
        if let armed {
            // One that comes too early looks again; only a later one must be replaced.
            guard next < armed.deadline else { return }
            loop.cancel(armed.timer)
        }
        let timer = loop.call(after: next - now) { [weak self] in self?.assumeIsolated { $0.deadlineCame() } }
        armed = (next, timer)
    }

    private func deadlineCame() {
        armed = nil
        if let heardAt = connection?.heardAt { machine.heard(at: heardAt) }
        expireRequests()
        expireSubscriptions(at: now)
        giveUpTokenIfDue()
        renewTokenIfDue()
        handle(.timer)
    }
}
