import Reactions
import Storage

/// Where a channel stands in a log that several brokers share, and what waits for it there.
///
/// One batch of the channel is on its way at a time, so that the order of requests is that of the log; what comes
/// meanwhile is the next batch. It is answered when it comes back by the log, with the outcome that every broker finds.
struct LogLine: Sendable {
    /// The batch on its way.
    struct InFlight: Sendable {
        var number: UInt64
        var bytes: [UInt8]
        /// How many operations are in it; 0: it only finds out whether the log can be written to again, and lets nothing
        /// through any more that was given up before it.
        var operations: Int
        /// For how long it is still tried, in milliseconds.
        var patience: Int64
        /// How long it is left alone before it is tried again, and until when, in milliseconds (of the channel's clock).
        var wait: Int64
        var retryAt: Int64
        /// When it was sent first.
        var sentAt: Moment
        /// Where it stands, where that is known before it has come back.
        var position: UInt64?
        /// Why the log has refused it, where that was its last answer.
        var refusal: String?
        /// Whether it stood ahead of what is known, so that the channel is what is wrong and not the log.
        var wasPassedBy = false
    }

    /// How long a batch is tried before its requests are refused, in milliseconds.
    static let patience: Int64 = 5_000
    /// How long after it was sent first a batch is sent again at all, in milliseconds: much less than writers are remembered.
    static let outlived: Int64 = 60_000
    /// How long an answer is awaited before the batch is sent again, in milliseconds.
    static let resendDelay: Int64 = 1_000
    /// How long nothing is sent after a refusal, in milliseconds.
    static let refusalDelay: Int64 = 200
    /// How long a batch that is known to stand in the log may take to come back before it is read, in milliseconds.
    static let returnDelay: Int64 = 300
    /// How many operations a batch has at most.
    static let maxOperations = 500
    /// How long after something was found missing it is looked for again, in milliseconds.
    static let gapDelay: Int64 = 10_000
    /// How many entries are held that came before their time.
    static let maxEarly = 4_096
    /// Every so many batches the writer of the last one keeps a snapshot.
    static let snapshotEvery: UInt64 = 512

    /// Names this broker among those that write.
    let writer: UInt64
    var progress = LogProgress()
    var queue = LogQueue()
    /// What a change needs besides: a clock that agrees with the log's; `nil`: that has none.
    let clock: LogClock?
    /// Whether a batch has come back since that was last asked.
    var hasReturned = false
    /// How many bytes the log takes in one batch.
    let maxBatchBytes: Int
    /// How many bytes of requests may wait.
    let maxWaitingBytes: Int
    /// About how many wait until the channel is read.
    var unreadBytes = 0
    var inFlight: InFlight?
    /// Entries that came before those ahead of them, or while the log is being read.
    var early: [(entry: LogEntry, previous: UInt64)] = []
    /// Whether the log was asked for what is missing.
    var isReading = false
    /// When the log is to be asked for what may be missing, in milliseconds of the channel's clock; `nil`: nothing may be.
    var readAt: Int64?
    /// Whether all of it is to be read, since what is known is not what the log has.
    var mustReadAll = false
    /// What is wrong with the channel's part of the log, so that this broker cannot know what it comes to; `nil`: nothing.
    var fault: LogFault?
    /// What this broker has answered for, and what of that the log was seen to have lost, until that is told.
    var acked = AckedBatches()
    var lost: AckedBatches.Loss?
    /// Whether the other brokers are to be told what this one has come to, and whether one has told the same since that was
    /// last so.
    var isMarkDue = false
    var isMarkKnown = false
    /// Whether other brokers were seen to have applied something else.
    var doubt = LogDoubt()
    /// How often in a row the log ended before what is known.
    var timesLess = 0
    /// Whether the first item waits until the log was read, since its author has seen more than this broker has.
    var isHeldBack = false
    /// Whether a snapshot is due.
    var isSnapshotDue = false

    init(writer: UInt64, maxBatchBytes: Int, maxWaitingBytes: Int, clock: LogClock? = nil) {
        self.writer = writer
        self.clock = clock
        self.maxBatchBytes = maxBatchBytes
        self.maxWaitingBytes = maxWaitingBytes
    }

    /// Whether a batch was given up, and the log has taken none since.
    var isDown: Bool { inFlight.map { $0.operations == 0 } ?? false }

    /// Whether something waits for the log.
    var hasPending: Bool { !queue.isEmpty || inFlight.map { $0.operations > 0 } ?? false }

    /// Whether nothing waits, and nothing is on its way.
    var isIdle: Bool { queue.isEmpty && inFlight == nil && !isReading }

    /// When something is to be done although nothing happens, in milliseconds of the channel's clock.
    var due: Int64? {
        let read = isReading ? nil : readAt
        return [inFlight?.retryAt, read].compactMap(\.self).min()
    }

    /// Leaves the batch on its way alone for some milliseconds.
    mutating func wait(_ milliseconds: Int64, from clock: Int64) {
        inFlight?.wait = milliseconds
        inFlight?.retryAt = clock + milliseconds
    }

    /// Notes that something may be missing.
    mutating func mustRead(at clock: Int64) {
        if fault == .laterVersion { return }
        readAt = min(readAt ?? clock, clock)
    }

    /// Notes that something may be missing, and that what is known is to be told, unless another broker has told the same.
    mutating func look(at clock: Int64) {
        mustRead(at: clock)
        isMarkDue = !isMarkKnown
        isMarkKnown = false
    }

    /// Keeps an entry until those ahead of it are there.
    mutating func hold(_ entry: LogEntry, previous: UInt64) {
        // Those that come first are needed first; the rest is read again. NATS tells now and then one before another.
        guard early.count < LogLine.maxEarly else { return }
        let index = early.lastIndex { $0.entry.position < entry.position } ?? -1
        early.insert((entry, previous), at: index + 1)
    }

    /// Takes the entries among those that are held that come next, one after the other, and lets go of what is known
    /// already.
    mutating func takeEarly() -> [LogEntry] {
        var next: [LogEntry] = []
        var (position, taken) = (progress.position, 0)
        for (entry, previous) in early {
            if entry.position > position {
                guard previous == position else { break }
                next.append(entry)
                position = entry.position
            }
            taken += 1
        }
        early.removeFirst(taken)
        return next
    }
}

/// What a channel wants of the log.
struct LogWork: Sendable {
    /// A batch to append, the name by which it is known again, and how many operations are in it.
    var append: (number: UInt64, bytes: [UInt8], operations: Int)?
    /// Whether a batch was given up.
    var hasGivenUp = false
    /// What is wrong with the log, since a batch has not come back for too long; for a person.
    var trouble: String?
    /// Whether a batch has come back.
    var hasReturned = false
    /// What is to be read.
    var read: Read?
    /// What is to be said to the other brokers.
    var say: [[UInt8]] = []
    /// Whether another broker was seen to have applied something else.
    var isInDoubt = false
    /// What is wrong with the channel's part of the log; `nil`: nothing.
    var fault: LogFault?
    /// What the log has lost of what this broker has answered for.
    var lost: AckedBatches.Loss?
    /// A snapshot to keep.
    var snapshot: (position: UInt64, bytes: @Sendable () -> [UInt8])?

    /// How much of the log to read.
    enum Read: Sendable {
        case all
        case after(UInt64)

        /// The last entry that is known; `nil`: none is.
        var known: UInt64? {
            if case .after(let position) = self { position } else { nil }
        }
    }
}

/// The earlier of two times of which there may be none.
func earliest(_ one: Int64?, _ other: Int64?) -> Int64? {
    guard let one, let other else { return one ?? other }
    return min(one, other)
}
