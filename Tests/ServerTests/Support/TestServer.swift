import Foundation
import Reactions
import Storage
import Testing
import Transport

@testable import Broker
@testable import Server

/// A server of a test's own, on one loop, with its store in memory; it ends with the object.
final class TestServer: Sendable {
    static let secret = "a secret of some length"
    static let serverKey = "server-key-1"

    let server: Server
    let store: HeldStore
    let folder: URL?
    /// What the server has said in its log.
    let said = SaidLines()

    /// Starts one in development mode, or for users with tokens; `isLocal`: on a Unix socket, whose buffers are small.
    init(
        isDevelopment: Bool = true, isLocal: Bool = false, origins: [String]? = nil, loops: Int = 1,
        limits: (inout BrokerSettings.Limits) -> Void = { _ in }
    ) throws {
        var folder: URL?
        var listen = "127.0.0.1:0"
        if isLocal {
            let path = FileManager.default.temporaryDirectory.appending(path: "fanfare-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: path, withIntermediateDirectories: true)
            listen = "unix:" + path.appending(path: "s").path()
            folder = path
        }
        var namespaces = Namespace.development
        namespaces["only"] = Namespace(rules: Rules(allowed: [Reaction(canonical: "👍")]))
        namespaces["slow"] = Namespace(rates: Rates(user: Rate(perSecond: 0.4, burst: 1)))
        namespaces["few"] = Namespace(rules: Rules(maxPerUserAndMessage: 1))
        var broker = BrokerSettings(
            namespaces: namespaces,
            authenticator: Authenticator(
                tokens: TokenVerifier(secret: TestServer.secret),
                development: isDevelopment ? .init(moderators: ["mod"]) : nil, serverKeys: [TestServer.serverKey]))
        limits(&broker.limits)
        var settings = ServerSettings(
            listen: [.init(address: try SocketAddress.parse(listen))], store: .memory, origins: origins, broker: broker)
        settings.report = [
            SettingRow(name: "listen[0].address", value: listen, source: "a test"),
            SettingRow(name: "origins", value: "any", source: "a test"),
        ]
        self.folder = folder
        store = HeldStore()
        server = try Server(
            settings, store: store, loopCount: loops, log: BrokerLog { [said] in said.add($0) })
    }

    deinit {
        store.release()
        server.stop(DrainSettings(withinMilliseconds: 1_000))
        if let folder { try? FileManager.default.removeItem(at: folder) }
    }

    /// A new connection.
    func connect() throws -> HTTPSocket {
        HTTPSocket(try RawSocket(to: server.addresses[0].address))
    }

    /// One request on a connection of its own.
    func call(
        _ method: String, _ target: String, _ body: String? = nil, headers: [String: String] = [:]
    ) throws -> Answer {
        let socket = try connect()
        try socket.send(method, target, body, headers: headers)
        return try socket.answer(to: method)
    }

    /// A new WebSocket connection, which has heard `welcome`.
    func connectWebSocket(_ user: String, headers: [String: String] = [:]) throws -> WebSocketSocket {
        try WebSocketSocket(try RawSocket(to: server.addresses[0].address), user: user, headers: headers)
    }

    /// How many recipients the hub has, requests that wait among them.
    var recipientCount: Int {
        let hub = server.context.broker.hubs[0]
        return hub.loop.wait { hub.assumeIsolated { $0.connectionCount } }
    }

    /// The value of a line of `/metrics`, its name with its label.
    func metric(_ name: String) throws -> Double? {
        let line = try call("GET", "/metrics").text.split(separator: "\n").first { $0.hasPrefix(name + " ") }
        return line.flatMap { Double($0.dropFirst(name.count + 1)) }
    }

    /// Asks for a metric until it has a value; the test's own time limit bounds it.
    func awaitMetric(_ name: String, _ value: Double) throws {
        while try metric(name) != value {}
    }

    /// A signed token of a user.
    static func token(_ user: String, expires: Double = 4e9, channels: [JSONWebToken.Claims.Channel]? = nil) throws
        -> String
    {
        try JSONWebToken.sign(.init(sub: user, exp: expires, channels: channels), secret: Array(secret.utf8))
    }
}

/// What a server has said in its log.
final class SaidLines: Sendable {
    private let entries = Locked<[BrokerLog.Entry]>([])

    var all: [BrokerLog.Entry] { entries.withLock { $0 } }

    func add(_ entry: BrokerLog.Entry) {
        entries.withLock { $0.append(entry) }
    }
}

/// A store in memory whose commits wait while a test holds them.
final class HeldStore: Store {
    private let store = MemoryStore(epoch: "e1")
    private let held = Locked<[@Sendable () -> Void]?>(nil)
    private let isBroken = Locked(false)
    private let unreadable = Locked<@Sendable (String) -> Bool>({ _ in false })

    var epoch: String { store.epoch }
    var outbox: any Outbox { store.outbox }

    /// From now on commits wait.
    func hold() {
        held.withLock { $0 = [] }
    }

    /// From now on nothing can be committed, or again.
    func setBroken(_ broken: Bool) {
        isBroken.withLock { $0 = broken }
    }

    /// From now on these channels cannot be read.
    func setUnreadable(_ channels: @escaping @Sendable (String) -> Bool) {
        unreadable.withLock { $0 = channels }
    }

    /// Lets go on what waits, and what comes.
    func release() {
        let waiting = held.withLock { held in
            defer { held = nil }
            return held ?? []
        }
        for one in waiting { one() }
    }

    func load(
        _ channel: String, keysSince: Int64, answer: @escaping @Sendable (Result<ChannelImage, StoreError>) -> Void
    ) {
        let fails = unreadable.withLock { $0 }(channel)
        guard !fails else { return answer(.failure(.unavailable("broken by a test"))) }
        store.load(channel, keysSince: keysSince, answer: answer)
    }

    func commit(_ group: [ChannelWrite], answer: @escaping @Sendable (Result<Void, StoreError>) -> Void) {
        guard !isBroken.withLock({ $0 }) else { return answer(.failure(.unavailable("broken by a test"))) }
        let commit: @Sendable () -> Void = { [store] in store.commit(group, answer: answer) }
        let isHeld = held.withLock { held in
            held?.append(commit)
            return held != nil
        }
        if !isHeld { commit() }
    }

    func revoke(_ revocation: Revocation, answer: @escaping @Sendable (Result<Void, StoreError>) -> Void) {
        guard !isBroken.withLock({ $0 }) else { return answer(.failure(.unavailable("broken by a test"))) }
        store.revoke(revocation, answer: answer)
    }

    func loadRevocations(answer: @escaping @Sendable (Result<[Revocation], StoreError>) -> Void) {
        store.loadRevocations(answer: answer)
    }

    func close() -> StoreError? { store.close() }
}
