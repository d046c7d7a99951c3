import Storage
import Transport

@testable import Broker

/// A log that answers no append, and whose reads fail when the test says so.
final class SilentLog: OperationLog {
    let epoch = "held"
    let isConnected = true
    let maxEntryBytes = 1 << 20
    private let isUnreadable = Locked(false)
    /// How many parts it has.
    private let parts: Int

    init(parts: Int = 1) {
        self.parts = parts
    }

    /// The number behind a channel's colon says in which part it is.
    func part(of channel: String) -> Int {
        (channel.split(separator: ":").last.flatMap { Int($0) } ?? 0) % parts
    }

    func follow(_ channel: String, tell: @escaping @Sendable (LogNews) -> Void) {}
    func unfollow(_ channel: String) {}

    /// From now on nothing can be read, or again.
    func setUnreadable(_ unreadable: Bool) {
        isUnreadable.withLock { $0 = unreadable }
    }

    func read(
        _ channel: String, after position: UInt64?,
        answer: @escaping @Sendable (Result<LogReading, StoreError>) -> Void
    ) {
        let fails = isUnreadable.withLock { $0 }
        answer(
            fails ? .failure(.unavailable("broken by a test")) : .success(LogReading(position == nil ? .whole : .more)))
    }

    func append(
        _ bytes: [UInt8], to channel: String, answer: @escaping @Sendable (Result<UInt64, AppendFailure>) -> Void
    ) {}

    func keepSnapshot(of channel: String, at position: UInt64, bytes: @escaping @Sendable () -> [UInt8]) {}
    func say(_ bytes: [UInt8], about channel: String) {}

    func revoke(_ revocation: Revocation, answer: @escaping @Sendable (Result<Void, StoreError>) -> Void) {
        answer(.success(()))
    }

    func loadRevocations(answer: @escaping @Sendable (Result<[Revocation], StoreError>) -> Void) {
        answer(.success([]))
    }

    func start(tell: @escaping @Sendable (LogEvent) -> Void) {
        tell(.clock(wallClockMilliseconds() - MonotonicTime.now.milliseconds))
    }

    func close() {}
}
