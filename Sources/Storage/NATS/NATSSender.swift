import Locks

/// A connection and what is subscribed to by it; for one thread.
///
/// The library comes back by itself from what it takes for a loss. It gives up where the servers refuse it twice, as they do
/// while their users are changed, or end it for a reason that it does not know; and a subscription that the servers did not
/// permit, or do not permit any more, never comes back. Then another connection takes its place.
final class NATSSender {
    private final class Held {
        let receive: @Sendable (borrowing NATSMessage) -> Void
        var subscription: NATSSubscription?

        init(_ receive: @escaping @Sendable (borrowing NATSMessage) -> Void) { self.receive = receive }
    }

    /// Notes that a subscription is not permitted.
    private final class Refusals: Sendable {
        private let isNoted = Locked(false)

        func note(_ event: NATSConnectionEvent) {
            guard case .forbidden(let words) = event, words.lowercased().contains("subscription") else { return }
            isNoted.withLock { $0 = true }
        }

        var areNoted: Bool { isNoted.withLock { $0 } }
        func forget() { isNoted.withLock { $0 = false } }
    }

    /// Milliseconds between two attempts to connect anew: the shortest time, and the longest one where that did not help.
    private static let pause = 1_000
    private static let longestPause = 60_000

    private let settings: NATSSettings
    private let tell: @Sendable (NATSConnectionEvent) -> Void
    private var connection: NATSConnection
    private var subscriptions: [String: Held] = [:]
    /// What is to be subscribed when there is a connection again: meanwhile the library may keep its lock for long.
    private var waiting: Set<String> = []
    /// What is to be let go of then.
    private var left: [Held] = []
    private let refusals = Refusals()
    private var lastAttempt = SystemClock.now
    private var pause = NATSSender.pause

    /// Connects.
    init(_ settings: NATSSettings, tell: @escaping @Sendable (NATSConnectionEvent) -> Void) throws(StoreError) {
        self.settings = settings
        self.tell = { [refusals] event in
            refusals.note(event)
            tell(event)
        }
        connection = try NATSConnection(settings, NATSConnection.Observer(tell: self.tell))
    }

    var isConnected: Bool { connection.isConnected }
    var maxPayload: Int { connection.maxPayload }

    /// Sends a message; `false` where it could not even be put behind those that wait.
    func publish(_ bytes: [UInt8], to subject: String, reply: String?, headers: [(String, String)]) -> Bool {
        connection.publish(bytes, to: subject, reply: reply, headers: headers)
    }

    /// Has what comes for a subject told, by this connection and those that take its place.
    func subscribe(_ subject: String, _ receive: @escaping @Sendable (borrowing NATSMessage) -> Void) {
        let held = Held(receive)
        if isConnected { held.subscription = connection.subscribe(subject, receive) }
        if held.subscription == nil { waiting.insert(subject) }
        let before = subscriptions.updateValue(held, forKey: subject)
        if let before, !isConnected { left.append(before) }
    }

    func unsubscribe(_ subject: String) {
        guard let held = subscriptions.removeValue(forKey: subject) else { return }
        waiting.remove(subject)
        if !isConnected { left.append(held) }
    }

    /// Does what had to wait for a connection.
    private func catchUp() {
        guard isConnected, !waiting.isEmpty || !left.isEmpty else { return }
        left = []
        let before = waiting.count
        waiting = waiting.filter { subject in
            guard let held = subscriptions[subject] else { return false }
            held.subscription = connection.subscribe(subject, held.receive)
            return held.subscription == nil
        }
        if waiting.count < before { tell(.mayHaveMissed) }
    }

    /// Does what had to wait for a connection, and puts another one in the place of one that has given up, or that was
    /// refused a subscription, as soon as the servers take one.
    func mend() {
        catchUp()
        let now = SystemClock.now
        let isRefused = refusals.areNoted
        guard connection.isClosed || isRefused, now - lastAttempt >= pause else { return }
        pause = isRefused && now - lastAttempt < 2 * pause ? min(2 * pause, NATSSender.longestPause) : NATSSender.pause
        lastAttempt = now
        do throws(StoreError) { try replace() } catch { return }
        tell(.mayHaveMissed)
    }

    private func replace() throws(StoreError) {
        refusals.forget()
        let another = try NATSConnection(settings, NATSConnection.Observer(tell: tell))
        waiting = []
        left = []
        for (subject, held) in subscriptions { held.subscription = another.subscribe(subject, held.receive) }
        connection = another
    }

    func close() {
        subscriptions = [:]
        left = []
    }
}
