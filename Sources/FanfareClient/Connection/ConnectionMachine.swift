/// The life of a client's connection: a value that is told what happened and says what to do.
///
/// No clock, no socket, no randomness of its own: time is a duration since any fixed moment, and a generator is handed
/// in. Whoever drives it carries out the actions and sends ``Event/timer`` when ``deadline`` has come.
struct ConnectionMachine: Sendable {
    /// What happened.
    enum Event: Sendable, Equatable {
        /// The client wants to be connected.
        case start
        /// The broker said welcome.
        case welcomed(user: String?, heartbeat: Duration)
        /// The broker said welcome to nobody: it would refuse all that is asked, and close later.
        case unrecognized(String)
        /// The broker said goodbye; `retryAfter` is `nil` where coming back is no use.
        case goodbye(code: UInt16, reason: String, retryAfter: Duration?)
        /// The connection that was asked for is gone, or did not come about.
        case lost(Loss)
        /// The deadline may have come.
        case timer
        /// The client wants no more.
        case close
    }

    /// What to do.
    enum Action: Sendable, Equatable {
        /// Begin a connection.
        case open
        /// End the connection at once, and hear no more of it.
        case drop
        /// Close the connection with code 1000, and hear no more of it.
        case leave
        /// Subscribe again, and send again what has no answer.
        case resume
        /// Tell everyone who waits for anything that it will not come.
        case finish(CloseReason)
    }

    /// How long a connection must have lasted for the back-off to start anew.
    static let stability = Duration.seconds(5)
    /// What is added to the broker's heartbeat before silence counts as loss (PROTOCOL.md section 8).
    static let grace = Duration.seconds(10)
    /// How many tokens in a row may be refused: the first may have been an old one.
    static let maxRefusedTokens = 2
    /// How long a broker that said goodbye may take to close.
    static let farewellPatience = Duration.seconds(5)
    /// What a broker's `retry_after_ms` is cut to.
    static let longestWait = Duration.seconds(86_400)

    /// How the client stands with its broker.
    private(set) var state: ConnectionState?
    /// When to send ``Event/timer``; `nil`: not at all.
    private(set) var deadline: Duration?
    /// Why there is no connection, since it was lost or the first attempt at it failed.
    private(set) var lastLoss: Loss?
    private var backoff = Backoff()
    private var patience: Duration
    /// When the broker last said welcome; `nil`: never.
    private var connectedSince: Duration?
    private var silenceAllowed = Duration.zero
    private let renewsTokens: Bool
    /// How many attempts in a row, none of them greeted, ended because of the token.
    private var refusedTokens = 0
    private var farewell: (code: UInt16, reason: String, retryAfter: Duration?)?

    /// Makes a machine at rest.
    ///
    /// - Parameters:
    ///   - connectTimeout: How long an attempt may take, from its start to the broker's welcome.
    ///   - renewsTokens: Whether each attempt may have a new token, so that a refused one is no reason to give up.
    init(connectTimeout: Duration, renewsTokens: Bool = false) {
        patience = connectTimeout
        self.renewsTokens = renewsTokens
    }

    /// Whether the next attempt needs another token than the last one had.
    var needsNewToken: Bool { refusedTokens > 0 }

    /// Notes that something was heard: while connected it pushes the deadline out.
    mutating func heard(at now: Duration) {
        guard case .connected = state, farewell == nil else { return }
        deadline = now + silenceAllowed
    }

    /// Takes one event and says what to do, in order.
    mutating func handle(
        _ event: Event, at now: Duration, using generator: inout some RandomNumberGenerator
    ) -> [Action] {
        if case .closed = state { return [] }
        switch event {
        case .start: return state == nil ? open(at: now) : []
        case .welcomed(let user, let heartbeat): return welcomed(user, heartbeat: heartbeat, at: now)
        case .unrecognized(let why): return [.leave] + finish(.unauthorized(why))
        case .goodbye(let code, let reason, let retryAfter):
            // The first one counts: a broker that says it again and again is left nevertheless.
            guard farewell == nil else { return [] }
            farewell = (code, reason, retryAfter)
            deadline = now + Self.farewellPatience
            return []
        case .lost(let loss): return lost(loss, at: now, using: &generator)
        case .timer: return timer(at: now, using: &generator)
        case .close:
            let hadConnection = isOpen
            return (hadConnection ? [.leave] : []) + finish(.requested)
        }
    }

    private var isOpen: Bool {
        switch state {
        case .connecting, .connected: true
        case nil, .waiting, .closed: false
        }
    }

    private mutating func open(at now: Duration) -> [Action] {
        state = .connecting
        deadline = now + patience
        farewell = nil
        return [.open]
    }

    private mutating func welcomed(_ user: String?, heartbeat: Duration, at now: Duration) -> [Action] {
        guard case .connecting = state else { return [] }
        state = .connected(user: user)
        connectedSince = now
        lastLoss = nil
        refusedTokens = 0
        silenceAllowed = min(max(heartbeat, .zero), Self.longestWait) + Self.grace
        deadline = now + silenceAllowed
        return [.resume]
    }

    private mutating func timer(at now: Duration, using generator: inout some RandomNumberGenerator) -> [Action] {
        guard let deadline, now >= deadline else { return [] }
        switch state {
        case .waiting: return open(at: now)
        case .connecting: return [.drop] + lost(.noWelcome, at: now, using: &generator)
        case .connected: return [.drop] + lost(.silent, at: now, using: &generator)
        case nil, .closed: return []
        }
    }

    private mutating func lost(
        _ loss: Loss, at now: Duration, using generator: inout some RandomNumberGenerator
    ) -> [Action] {
        guard isOpen else { return [] }
        var loss = loss
        if let farewell { loss = .closed(code: farewell.code, reason: farewell.reason) }
        if renewsTokens, loss.isOfToken { refusedTokens += 1 }
        if let reason = finalReason(of: loss) { return finish(reason) }
        lastLoss = loss
        let wasStable = isStable(at: now)
        if wasStable { backoff.reset() }
        var wait: Duration
        if let asked = farewell?.retryAfter {
            // A broker that greets and sends away in one breath must not be asked again in a tight loop.
            wait = wasStable ? asked : max(asked, backoff.next(using: &generator))
        } else if case .rejected(_, let asked?, _) = loss {
            // Many may have been told the same.
            wait = asked + backoff.next(using: &generator)
        } else {
            wait = backoff.next(using: &generator)
        }
        wait = min(max(wait, .zero), Self.longestWait)
        state = .waiting(retryAfter: wait, loss)
        deadline = now + wait
        farewell = nil
        return []
    }

    private func isStable(at now: Duration) -> Bool {
        guard case .connected = state, let connectedSince else { return false }
        return now - connectedSince >= Self.stability
    }

    private func finalReason(of loss: Loss) -> CloseReason? {
        switch loss {
        case _ where loss.isOfToken && (1...Self.maxRefusedTokens).contains(refusedTokens): return nil
        case .rejected(status: 401, _, let words):
            return .unauthorized(Self.line("the broker does not accept the token (HTTP status 401)", words))
        case .closed(code: 4001, let reason):
            let words = reason.isEmpty ? nil : reason
            return .unauthorized(Self.line("the token ran out or none was given (close code 4001)", words))
        case .closed(code: 4003, let reason): return .unwanted(code: 4003, reason: reason)
        case .impossible(let why) where connectedSince == nil: return .unreachable(why)
        case .rejected where connectedSince == nil && !loss.mayPass:
            return .unreachable(loss.description)
        default:
            guard let farewell, farewell.retryAfter == nil else { return nil }
            return .unwanted(code: farewell.code, reason: farewell.reason)
        }
    }

    private static func line(_ what: String, _ words: String?) -> String { words.map { "\(what): \($0)" } ?? what }

    private mutating func finish(_ reason: CloseReason) -> [Action] {
        state = .closed(reason)
        deadline = nil
        return [.finish(reason)]
    }
}
