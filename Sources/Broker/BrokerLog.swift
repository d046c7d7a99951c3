import Transport

/// Where the broker's own words go.
public struct BrokerLog: Sendable {
    /// How much a line matters.
    public enum Level: String, Sendable, CaseIterable {
        case info, warning, error
    }

    /// What a line is about that clients can bring about as often as they like.
    public enum Recurring: Sendable, CaseIterable {
        /// TLS has failed.
        case tls
        /// A connection to a listener for proxies was ended.
        case proxy
        /// A bound of connections was hit.
        case limit
        /// The store failed.
        case store
        /// The server of a hook gave no usable answer.
        case hook
        /// The service manager did not take what it was told.
        case manager
    }

    private let write: @Sendable (Level, String) -> Void
    private let throttle = LogThrottle()

    /// Makes a log that hands each line to `write`, from any thread.
    public init(write: @escaping @Sendable (Level, String) -> Void) {
        self.write = write
    }

    /// Says what happens in normal running.
    public func info(_ line: String) { write(.info, line) }
    /// Says what an operator should look at.
    public func warning(_ line: String) { write(.warning, line) }
    /// Says what went wrong.
    public func error(_ line: String) { write(.error, line) }

    /// Says what may happen over and over: of each kind at most ``LogThrottle/most`` lines in ``LogThrottle/seconds``;
    /// the next one then says how many were left out.
    public func say(_ level: Level, _ recurring: Recurring, _ line: @autoclosure () -> String) {
        switch throttle.admit(recurring, at: .now) {
        case nil: break
        case 0?: write(level, line())
        case let leftOut?: write(level, line() + " (and \(leftOut) lines of this kind were left out)")
        }
    }
}

/// Bounds how many lines of one kind are written.
final class LogThrottle: Sendable {
    /// The most lines of a kind in one stretch of time.
    static let most = 10
    /// How long the stretch is.
    static let seconds = 10

    private struct Stretch {
        var ends: MonotonicTime
        var written = 0
        var leftOut = 0
    }

    private let stretches = Locked<[BrokerLog.Recurring: Stretch]>([:])

    /// Says whether a line may be written, and how many of its kind were left out before it; `nil`: it may not.
    func admit(_ kind: BrokerLog.Recurring, at now: MonotonicTime) -> Int? {
        stretches.withLock { stretches in
            var stretch = stretches[kind] ?? Stretch(ends: now + .seconds(Self.seconds))
            defer { stretches[kind] = stretch }
            var leftOut = 0
            if now >= stretch.ends {
                leftOut = stretch.leftOut
                stretch = Stretch(ends: now + .seconds(Self.seconds))
            }
            guard stretch.written < Self.most else {
                stretch.leftOut += 1
                return nil
            }
            stretch.written += 1
            return leftOut
        }
    }
}
