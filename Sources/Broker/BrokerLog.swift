public import HTTP
import Transport
import Wire

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
        /// The broker ended a connection that it does not want to go on with.
        case ended
        /// An HTTP request was answered with a status of 500 or above.
        case answer

        /// What is left out where a line is.
        var words: String {
            switch self {
            case .tls: "on TLS that failed"
            case .proxy: "on connections to listeners for proxies that were ended"
            case .limit: "on bounds that were hit"
            case .store: "on the store"
            case .hook: "on hooks"
            case .manager: "on the service manager"
            case .ended: "on connections that were ended"
            case .answer: "on answers with a status of 500 or above"
            }
        }
    }

    /// One line.
    public struct Entry: Sendable, Equatable {
        /// How much it matters.
        public var level: Level
        /// What it says.
        public var line: String
        /// The trace of the request that it belongs to; `nil` where it belongs to none, or that had none.
        public var trace: TraceContext?

        /// Makes an entry.
        public init(level: Level, line: String, trace: TraceContext? = nil) {
            self.level = level
            self.line = line
            self.trace = trace
        }
    }

    private let write: @Sendable (Entry) -> Void
    private let throttle = LogThrottle()
    /// What someone should look at.
    let recent = RecentLines()

    /// Makes a log that hands each line to `write`, from any thread.
    public init(write: @escaping @Sendable (Entry) -> Void) {
        self.write = write
    }

    /// Says what happens in normal running.
    public func info(_ line: String, trace: TraceContext? = nil) { put(.info, line, trace) }
    /// Says what an operator should look at.
    public func warning(_ line: String) { put(.warning, line) }
    /// Says what went wrong.
    public func error(_ line: String, trace: TraceContext? = nil) { put(.error, line, trace) }

    /// Says what may happen over and over: of each kind at most ``LogThrottle/most`` lines in ``LogThrottle/seconds``;
    /// the next one then says how many were left out.
    public func say(
        _ level: Level, _ recurring: Recurring, trace: TraceContext? = nil, _ line: @autoclosure () -> String
    ) {
        switch throttle.admit(recurring, at: .now) {
        case nil: break
        case 0?: put(level, line(), trace)
        case let leftOut?: put(level, line() + " (left out: \(counted(leftOut, "line")) of this kind)", trace)
        }
    }

    /// Says how many lines were left out of each kind since the last one was written; to be called at the end.
    public func sayLeftOut() {
        for (kind, count) in throttle.takeLeftOut() { put(.info, "left out: \(counted(count, "line")) \(kind.words)") }
    }

    private func put(_ level: Level, _ line: String, _ trace: TraceContext? = nil) {
        if level != .info { recent.add(level, line) }
        write(Entry(level: level, line: line, trace: trace))
    }
}

/// The last warnings and errors, for those who look at the broker.
final class RecentLines: Sendable {
    /// How many are kept.
    static let most = 50
    /// How much of each, in characters.
    static let longest = 400

    private let lines = Locked<[BrokerStatus.Problem]>([])

    /// Those that are kept, oldest first.
    var all: [BrokerStatus.Problem] { lines.withLock { $0 } }

    fileprivate func add(_ level: BrokerLog.Level, _ line: String) {
        let problem = BrokerStatus.Problem(
            at: wallClockMilliseconds(), level: level.rawValue, line: String(line.prefix(RecentLines.longest)))
        lines.withLock { lines in
            if lines.count == RecentLines.most { lines.removeFirst() }
            lines.append(problem)
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

    /// How many lines of each kind were left out since the last one was written; they are told then.
    func takeLeftOut() -> [(BrokerLog.Recurring, Int)] {
        stretches.withLock { stretches in
            BrokerLog.Recurring.allCases.compactMap { kind in
                guard let count = stretches[kind]?.leftOut, count > 0 else { return nil }
                stretches[kind]?.leftOut = 0
                return (kind, count)
            }
        }
    }

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
