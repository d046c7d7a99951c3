internal import Transport
internal import WebSocket

/// What a group of connections does once they are open.
protocol ConnectionOwner: AnyObject {
    /// The `welcome` has come; the group calls ``Connector/settle(_:)`` when the connection is ready for the run.
    func connectionDidOpen(_ connection: LoadConnection)
    /// A text message has come.
    func connection(_ connection: LoadConnection, didReceive text: Span<UInt8>, at time: UInt64)
    /// An open connection has ended without our asking; the answer is whether that was to be expected.
    func connectionDidEnd(_ connection: LoadConnection) -> Bool
}

extension ConnectionOwner {
    func connectionDidEnd(_ connection: LoadConnection) -> Bool { false }
}

/// Opens the connections of a group on one loop, so many at once, and keeps count of them.
final class Connector: TimerHandler {
    /// What a broker's message may be at most: snapshots of large channels are the longest.
    static let limits = WebSocketLimits(maxFrameBytes: 8 << 20, maxMessageBytes: 8 << 20, maxFragments: 1024)
    /// Between two looks at what takes too long.
    private static let period = Duration.milliseconds(250)

    let loop: EventLoop
    /// Notices when the loop is held up.
    let watch: LoopWatch
    let dial: Dial
    /// What hears of the connections; it holds the connector too, until ``close()``.
    var owner: (any ConnectionOwner)?
    /// What the group has counted, the connector's own numbers included.
    var tally = Tally()
    /// What is unusual about a connection, by its number.
    var traits: (Int) -> Traits = { _ in Traits() }
    /// Those that are open, by number.
    private(set) var connections: [Int: LoadConnection] = [:]

    private let prefix: String
    private let timeout: UInt64
    private var waiting = Queue<Int>()
    private var atOnce = 1
    private var unsettled: [Int: LoadConnection] = [:]
    private var failures = 0
    private var isPumping = false
    private var isTicking = false
    private var isClosed = false
    private var whenDone: (() -> Void)?
    private var scratch: [UInt8] = []

    /// What is unusual about a connection.
    struct Traits: OptionSet {
        let rawValue: UInt8
        /// The request of the upgrade goes out one byte at a time.
        static let bytewise = Traits(rawValue: 1)
        /// The kernel keeps little of what was not read, so that the server notices.
        static let smallBuffer = Traits(rawValue: 2)
        /// It reads only so fast (``Connector/bytesPerSecond``), once it is ready for the run.
        static let throttled = Traits(rawValue: 4)
    }

    /// How many bytes a second throttled connections read.
    var bytesPerSecond = 0

    /// Makes a connector.
    ///
    /// - Parameters:
    ///   - prefix: What the users' names begin with, behind the plan's own prefix: `sub`.
    ///   - setting: What all groups of the run share.
    ///   - loop: Where the connections live.
    init(prefix: String, _ setting: Setting, loop: EventLoop) {
        self.prefix = prefix
        dial = setting.dial
        self.loop = loop
        watch = LoopWatch(on: loop)
        timeout = setting.plan.connectTimeout.nanoseconds
    }

    /// The user's name of a connection, behind the plan's prefix.
    func name(_ number: Int) -> String { "\(prefix)-\(number + 1)" }

    /// Opens connections.
    ///
    /// - Parameters:
    ///   - numbers: Which ones.
    ///   - atOnce: How many may be on their way.
    ///   - whenDone: Called once, when each is settled or has failed. Where as many as may be on their way have failed and
    ///     none has opened, the rest is not tried.
    func open(_ numbers: Range<Int>, atOnce: Int, whenDone: @escaping () -> Void) {
        for number in numbers { waiting.append(number) }
        self.atOnce = max(1, atOnce)
        self.whenDone = whenDone
        pump()
    }

    /// Opens connections again that have ended.
    ///
    /// - Parameters:
    ///   - numbers: Which ones.
    ///   - isStorm: All at once, however many are on their way.
    func reopen(_ numbers: [Int], isStorm: Bool = false) {
        if isStorm { atOnce = .max }
        for number in numbers { waiting.append(number) }
        pump()
    }

    /// Ends an open connection on purpose.
    func leave(_ connection: LoadConnection, _ manner: LoadConnection.Manner) {
        guard connections.removeValue(forKey: connection.number) != nil else { return }
        unsettled[connection.number] = nil
        tally.left += 1
        connection.end(manner)
    }

    /// Closes all connections.
    func close() {
        isClosed = true
        waiting = Queue()
        for connection in unsettled.values { connection.end(.abrupt) }
        for connection in connections.values { connection.end(.orderly) }
        unsettled = [:]
        connections = [:]
        owner = nil
    }

    /// Says that a connection is ready for the run.
    func settle(_ connection: LoadConnection) {
        guard unsettled.removeValue(forKey: connection.number) != nil else { return }
        pump()
    }

    /// Whether a connection was ready for the run once.
    func isSettled(_ connection: LoadConnection) -> Bool { unsettled[connection.number] == nil }

    /// Gives a connection up that cannot be made ready.
    func fail(_ connection: LoadConnection, _ reason: String) {
        guard unsettled.removeValue(forKey: connection.number) != nil else { return }
        if connections.removeValue(forKey: connection.number) != nil { tally.dropped += 1 }
        connection.end(.abrupt)
        countFailure(reason)
        pump()
    }

    /// Lends the loop's buffer, empty; what it held is gone afterwards, its memory is kept for the next one.
    func withScratch(_ body: (inout [UInt8]) -> Void) {
        var buffer = scratch
        scratch = []
        body(&buffer)
        guard buffer.capacity <= 1 << 20 else { return }
        buffer.removeAll(keepingCapacity: true)
        scratch = buffer
    }

    // MARK: What connections say

    func opened(_ connection: LoadConnection, at time: UInt64) {
        tally.opened += 1
        tally.welcome.record((time - min(time, connection.startedAt)) / 1000)
        connections[connection.number] = connection
        owner?.connectionDidOpen(connection)
    }

    func ended(_ connection: LoadConnection, wasOpen: Bool, reason: String) {
        let wasSettled = unsettled.removeValue(forKey: connection.number) == nil
        if let code = connection.closeCode { tally.closeCodes[code, default: 0] += 1 }
        if wasOpen, connections.removeValue(forKey: connection.number) != nil {
            if owner?.connectionDidEnd(connection) == true {
                tally.left += 1
                return pump()
            }
            tally.dropped += 1
        }
        if wasSettled {
            tally.count("connection: \(reason)")
        } else {
            countFailure(reason)
        }
        pump()
    }

    // MARK: TimerHandler

    func timerFired(_ now: MonotonicTime) {
        isTicking = false
        let late = unsettled.values.filter { now.nanoseconds > $0.startedAt + timeout }
        for connection in late { fail(connection, "took too long") }
        tick()
    }

    private func tick() {
        guard !isTicking, !unsettled.isEmpty else { return }
        isTicking = true
        loop.schedule(self, after: Connector.period)
    }

    // MARK: The ramp

    private func pump() {
        // An attempt that fails at once comes back here from inside.
        guard !isPumping, !isClosed else { return }
        isPumping = true
        while unsettled.count < atOnce, let number = waiting.popFirst() { start(number) }
        isPumping = false
        tick()
        if unsettled.isEmpty, let done = whenDone {
            whenDone = nil
            done()
        }
    }

    private func start(_ number: Int) {
        let connection = LoadConnection(number: number, connector: self)
        unsettled[number] = connection
        do {
            try connection.start()
        } catch {
            unsettled[number] = nil
            countFailure("\(error)")
        }
    }

    private func countFailure(_ reason: String) {
        tally.failed += 1
        tally.count("connect: \(reason)")
        failures += 1
        if failures >= atOnce, connections.isEmpty { waiting = Queue() }
    }
}
