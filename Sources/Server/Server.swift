public import Broker
import Dispatch
import Storage
import Synchronization
public import Transport
import WebSocket

/// A running server: its loops, listeners, store and broker.
public final class Server: Sendable {
    /// What all HTTP connections need to know.
    let context: Context
    /// Where it listens, with the real ports.
    public let addresses: [ServerSettings.Listen]
    /// How many files the process may have open, connections among them.
    public let descriptorLimit: Int

    let started: ServerSettings
    /// The certificates in use, of each listener with TLS.
    let certificates: [TLSServerContext]
    /// Whether it was told to stop.
    let isStopped = Atomic(false)
    /// What says that no loop hangs, where somebody wants to hear it.
    let watchdog = Locked<Watchdog?>(nil)
    /// Signalled to end the notice of a stop.
    let noticeEnds = DispatchSemaphore(value: 0)
    let loops: [EventLoop]
    let store: any Store
    /// What several brokers share.
    let sharedLog: (any OperationLog)?

    /// Starts a server; it serves when this returns.
    ///
    /// - Parameters:
    ///   - settings: where it listens, what it keeps and what its broker does.
    ///   - loopCount: how many loops, and threads, serve; at least one.
    ///   - passed: sockets that are open already; each takes the place of the listener whose address it has.
    ///   - log: where its words go.
    ///   - logEnded: is told once, on any thread, when the log that brokers share has begun another life: then this
    ///     server is to be stopped.
    /// - Throws: ``ServerError`` where the store cannot be opened or an address cannot be listened on.
    public convenience init(
        _ settings: ServerSettings, loopCount: Int, passed: [PassedSocket] = [], log: BrokerLog,
        logEnded: @escaping @Sendable () -> Void = {}
    ) throws(ServerError) {
        // Before the store, which makes its folder: a start that comes to nothing leaves nothing behind.
        try Server.checkAddresses(settings, passed)
        let store = try Server.openStore(settings)
        do throws(ServerError) {
            if settings.nats != nil, (store as? SQLiteStore)?.heldMessages == true {
                log.warning(
                    "the channels in '\(settings.data)/fanfare.db' are not used: with NATS they are in the shared log alone"
                )
            }
            let sharedLog = try settings.nats.map { nats throws(ServerError) in try Server.openLog(nats, log) }
            try self.init(
                settings, store: store, sharedLog: sharedLog, loopCount: loopCount, passed: passed, log: log,
                logEnded: logEnded)
        } catch {
            store.close()
            throw error
        }
    }

    /// Starts a server over a store that is open, and a log; they are closed with the server.
    init(
        _ settings: ServerSettings, store: any Store, sharedLog: (any OperationLog)? = nil, loopCount: Int,
        passed: [PassedSocket] = [], log: BrokerLog, logEnded: @escaping @Sendable () -> Void = {}
    ) throws(ServerError) {
        descriptorLimit = raiseDescriptorLimit()
        let revocations = try Server.revocations(of: store, sharedLog, log)
        self.store = store
        self.sharedLog = sharedLog
        do throws(TransportError) {
            var loops: [EventLoop] = []
            for index in 0..<max(1, loopCount) { loops.append(try EventLoop(name: "fanfare-\(index)")) }
            self.loops = loops
        } catch {
            throw ServerError("cannot start: \(error)")
        }
        for loop in loops { loop.start() }
        let broker = Broker(
            loops: loops, store: store, sharedLog: sharedLog, settings: settings.broker, revocations: revocations,
            log: log, logEnded: logEnded)
        context = Context(
            broker: broker, access: AccessRules(settings), report: settings.report,
            facts: {
                StatusFacts(
                    storeKind: sharedLog == nil ? settings.store.rawValue : "nats",
                    isLogConnected: sharedLog?.isConnected)
            }, log: log)
        started = settings
        var addresses: [ServerSettings.Listen] = []
        var certificates: [TLSServerContext] = []
        do throws(TransportError) {
            for listen in settings.listen {
                let tls = try listen.tls.map { settings throws(TransportError) in try TLSServerContext(settings) }
                addresses += try Server.open(listen, tls, passed, context)
                if let tls { certificates.append(tls) }
            }
        } catch {
            for loop in loops { loop.stop() }
            sharedLog?.close()
            store.close()
            throw ServerError("\(error)")
        }
        self.addresses = addresses
        self.certificates = certificates
        context.certificates = certificates
        warnOfTLS()
        watchCertificates()
        warnOfMemory(settings.broker.limits)
    }

    /// Refuses addresses that cannot be listened on.
    private static func checkAddresses(
        _ settings: ServerSettings, _ passed: [PassedSocket]
    ) throws(ServerError) {
        do throws(TransportError) {
            for listen in settings.listen {
                for address in try listen.address.resolved() where !passed.contains(where: { $0.matches(address) }) {
                    try ListeningSocket.check(address)
                }
            }
        } catch {
            throw ServerError("\(error)")
        }
    }

    /// Listens at an address (at each, where a name has several); answers with the real ports.
    private static func open(
        _ listen: ServerSettings.Listen, _ tls: TLSServerContext?, _ passed: [PassedSocket], _ context: Context
    ) throws(TransportError) -> [ServerSettings.Listen] {
        var opened: [ServerSettings.Listen] = []
        for address in try listen.address.resolved() {
            var place = listen
            let mine = passed.filter { $0.matches(address) }
            let socket = mine.isEmpty ? try ListeningSocket(address) : ListeningSocket(mine, as: address)
            try open(socket, tls, listen, context)
            place.address = socket.address
            opened.append(place)
        }
        return opened
    }

    /// Listens at an address on every loop.
    private static func open(
        _ socket: ListeningSocket, _ tls: TLSServerContext?, _ place: ServerSettings.Listen, _ context: Context
    ) throws(TransportError) {
        for hub in context.broker.hubs {
            try hub.loop.wait { () throws(TransportError) in
                let listener = try Listener(
                    on: hub.loop, socket: socket, tls: tls,
                    proxies: place.takesProxyProtocol ? context.proxies(of: hub) : nil,
                    handshakeTimeout: { .milliseconds(hub.limits.handshakeMilliseconds) }
                ) { stream in
                    HTTPConnection.serve(stream, hub: hub, context: context, deflate: place.compression.deflate)
                }
                hub.keep(listener)
            }
        }
    }

    /// How long a log that is shared may take to tell who was revoked: there may be no majority for a while.
    private static let patience = Duration.seconds(60)

    /// Asks the store, or the log that is shared, who was revoked, before anybody is let in.
    private static func revocations(
        of store: any Store, _ sharedLog: (any OperationLog)?, _ log: BrokerLog
    ) throws(ServerError) -> Revocations {
        let deadline = MonotonicTime.now + patience
        var isTold = false
        while true {
            do throws(StoreError) { return Revocations(try readRevocations(of: store, sharedLog)) } catch {
                guard sharedLog != nil, case .unavailable(let reason) = error, MonotonicTime.now < deadline else {
                    throw ServerError(
                        "cannot read \(sharedLog == nil ? "the store" : "the shared log"): \(error.reason)")
                }
                if !isTold { log.warning("waiting for the shared log, to read who was revoked: \(reason)") }
                isTold = true
                _ = DispatchSemaphore(value: 0).wait(timeout: .now() + .milliseconds(250))
            }
        }
    }

    private static func readRevocations(
        of store: any Store, _ sharedLog: (any OperationLog)?
    ) throws(StoreError) -> [Revocation] {
        let answer = Locked<Result<[Revocation], StoreError>?>(nil)
        let done = DispatchSemaphore(value: 0)
        let take: @Sendable (Result<[Revocation], StoreError>) -> Void = { result in
            answer.withLock { $0 = result }
            done.signal()
        }
        if let sharedLog { sharedLog.loadRevocations(answer: take) } else { store.loadRevocations(answer: take) }
        done.wait()
        return try answer.withLock { $0 }?.get() ?? []
    }

    private static func openLog(_ settings: NATSSettings, _ log: BrokerLog) throws(ServerError) -> any OperationLog {
        do throws(StoreError) {
            return try NATSLog(
                settings, waiting: { log.warning("waiting for NATS at \(settings.places): \($0)") },
                remark: { log.warning($0) })
        } catch {
            throw ServerError("cannot share a log by NATS: \(error.reason)")
        }
    }

    private static func openStore(_ settings: ServerSettings) throws(ServerError) -> any Store {
        switch settings.store {
        case .memory: return MemoryStore(epoch: String(UInt64.random(in: .min ... .max), radix: 36))
        case .sqlite:
            do throws(StoreError) {
                return try SQLiteStore(
                    file: settings.data + "/fanfare.db", expectsLoss: settings.broker.expectsLoss)
            } catch {
                throw ServerError("cannot open the store in '\(settings.data)': \(error.reason)")
            }
        }
    }
}

extension EventLoop {
    /// Runs `work` on the loop and waits for what it gives; from other threads only.
    func wait<Result: Sendable, Failure: Error>(
        _ work: @escaping @Sendable () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let answer = Locked<Swift.Result<Result, Failure>?>(nil)
        let done = DispatchSemaphore(value: 0)
        execute {
            let result = Swift.Result<Result, Failure>(catching: work)
            answer.withLock { $0 = result }
            done.signal()
        }
        done.wait()
        guard let result = answer.withLock({ $0 }) else { preconditionFailure("the loop has answered") }
        return try result.get()
    }
}
