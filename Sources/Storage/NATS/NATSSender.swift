/// A connection and what is subscribed to by it; for one thread.
///
/// The library comes back by itself from what it takes for a loss. It gives up where the servers refuse it twice, as they do
/// while their users are changed, or end it for a reason that it does not know: then another connection takes its place.
final class NATSSender {
    private final class Held {
        let receive: @Sendable (borrowing NATSMessage) -> Void
        var subscription: NATSSubscription?

        init(_ receive: @escaping @Sendable (borrowing NATSMessage) -> Void) { self.receive = receive }
    }

    /// Milliseconds between two attempts to connect anew.
    private static let pause = 1_000

    private let settings: NATSSettings
    private let tell: @Sendable (NATSConnectionEvent) -> Void
    private var connection: NATSConnection
    private var subscriptions: [String: Held] = [:]
    private var nextAttempt = SystemClock.now

    /// Connects.
    init(_ settings: NATSSettings, tell: @escaping @Sendable (NATSConnectionEvent) -> Void) throws(StoreError) {
        self.settings = settings
        self.tell = tell
        connection = try NATSConnection(settings, NATSConnection.Observer(tell: tell))
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
        held.subscription = connection.subscribe(subject, receive)
        subscriptions[subject] = held
    }

    func unsubscribe(_ subject: String) {
        subscriptions[subject] = nil
    }

    /// Puts another connection in the place of one that has given up, as soon as the servers take one.
    func replaceClosed() {
        guard connection.isClosed, SystemClock.now >= nextAttempt else { return }
        nextAttempt = SystemClock.now + NATSSender.pause
        do throws(StoreError) { try replace() } catch { return }
        tell(.mayHaveMissed)
    }

    private func replace() throws(StoreError) {
        let another = try NATSConnection(settings, NATSConnection.Observer(tell: tell))
        for (subject, held) in subscriptions { held.subscription = another.subscribe(subject, held.receive) }
        connection = another
    }

    func close() {
        subscriptions = [:]
    }
}
