/// A log of operations that several brokers share: what stands in it is the truth, and each broker makes its channels
/// from it.
///
/// Each channel has its own entries, at positions that only grow. Calls come from any thread and never block it;
/// answers come on a thread of the log's own choosing, so they must only hand a value on.
public protocol OperationLog: AnyObject, Sendable {
    /// Names the life of all counters in this log; a new log has a new one.
    var epoch: String { get }

    /// Whether its servers can be reached, as far as that is known.
    var isConnected: Bool { get }

    /// In which of its parts a channel stands, which may fail one by one.
    func part(of channel: String) -> Int

    /// How large an entry may be, in bytes; a larger one is refused.
    var maxEntryBytes: Int { get }

    /// Tells what is appended to a channel from now on, by whomever, until ``unfollow(_:)``.
    ///
    /// Entries may come late, twice or not at all: each tells which one was before it.
    func follow(_ channel: String, tell: @escaping @Sendable (LogNews) -> Void)

    /// Ends ``follow(_:tell:)``.
    func unfollow(_ channel: String)

    /// Reads what a channel has: all up to a moment after the call, so nothing that was answered before it is missing.
    ///
    /// - Parameters:
    ///   - channel: the channel.
    ///   - position: what is known already; `nil`: nothing, so begin with the newest snapshot.
    ///   - answer: gets what follows.
    func read(
        _ channel: String, after position: UInt64?,
        answer: @escaping @Sendable (Result<LogReading, StoreError>) -> Void)

    /// Appends to a channel; what is appended again, since it was not answered, is one more entry.
    ///
    /// - Parameters:
    ///   - bytes: the entry.
    ///   - channel: the channel.
    ///   - answer: gets where it stands, or why that is not known.
    func append(
        _ bytes: [UInt8], to channel: String, answer: @escaping @Sendable (Result<UInt64, AppendFailure>) -> Void)

    /// Keeps a snapshot of what a channel is after the entry at a position, and lets go of entries that no reader needs
    /// any more. Where a newer one is there, or one not much older, it does nothing.
    func keepSnapshot(of channel: String, at position: UInt64, bytes: @escaping @Sendable () -> [UInt8])

    /// Says something to all who follow a channel; it is kept nowhere.
    func say(_ bytes: [UInt8], about channel: String)

    /// Revokes on all brokers, for good.
    func revoke(_ revocation: Revocation, answer: @escaping @Sendable (Result<Void, StoreError>) -> Void)

    /// Reads who was revoked.
    func loadRevocations(answer: @escaping @Sendable (Result<[Revocation], StoreError>) -> Void)

    /// Begins to tell of what concerns no single channel.
    func start(tell: @escaping @Sendable (LogEvent) -> Void)

    /// Lets go; later calls are answered with ``StoreError/closed``, or not at all.
    func close()
}

/// An entry of a channel's log.
public struct LogEntry: Sendable, Equatable {
    /// Where it stands.
    public var position: UInt64
    /// What was appended.
    public var bytes: [UInt8]

    /// Makes an entry.
    public init(position: UInt64, bytes: [UInt8]) {
        self.position = position
        self.bytes = bytes
    }
}

/// What a follower of a channel hears.
public enum LogNews: Sendable, Equatable {
    /// An entry, and where the one before it stands (0: there is none).
    case entry(LogEntry, previous: UInt64)
    /// What a broker says.
    case said([UInt8])
}

/// What concerns no single channel.
public enum LogEvent: Sendable, Equatable {
    /// Entries may have been missed; what was followed is to be read.
    case mayHaveMissed
    /// A user was revoked.
    case revoked(Revocation)
    /// The log does not answer any more; for a person.
    case lost(String)
    /// It answers again.
    case found
    /// What time it is for its servers: their Unix milliseconds, less the milliseconds of the clock that is never set
    /// (`CLOCK_MONOTONIC`); told when it begins, and again and again.
    case clock(Int64)
    /// It has begun another life, so that this broker's epoch is over: it can append nothing any more. For a person.
    case replaced(String)
    /// Something was refused that this broker has no right to; for a person.
    case forbidden(String)
}

/// What was read of a channel.
public struct LogReading: Sendable, Equatable {
    /// The channel after the entry at a position, where reading began with it.
    public struct Snapshot: Sendable, Equatable {
        /// The position.
        public var position: UInt64
        /// What was kept.
        public var bytes: [UInt8]

        /// Makes a snapshot.
        public init(position: UInt64, bytes: [UInt8]) {
            self.position = position
            self.bytes = bytes
        }
    }

    /// How it stands to what is known already.
    public enum Kind: Sendable, Equatable {
        /// It goes on from there.
        case more
        /// It is all that there is, and takes the place of what is known.
        case whole
        /// The log ends before what is known, so it has lost its end, or who answered is behind.
        case less
    }

    /// How it stands to what is known already.
    public var kind: Kind
    /// Where to begin; `nil`: with what is known already, or with a fresh channel.
    public var snapshot: Snapshot?
    /// All entries behind it, in order.
    public var entries: [LogEntry]
    /// The last entry that there was when reading began, known or not; `nil`: there was none.
    public var last: LogEntry?

    /// Makes a reading.
    public init(_ kind: Kind = .more, snapshot: Snapshot? = nil, entries: [LogEntry] = [], last: LogEntry? = nil) {
        self.kind = kind
        self.snapshot = snapshot
        self.entries = entries
        self.last = last
    }
}

/// Why it is not known where an entry stands.
public enum AppendFailure: Error, Sendable, Equatable {
    /// It was not appended and will not be: there is no majority, or no room. For a person.
    case refused(String)
    /// It may have been appended, or may be yet.
    case undecided
}
