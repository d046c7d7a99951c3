public import Reactions

/// Keeps channels across restarts.
///
/// Calls come from any thread and never block it; answers come on a thread of the store's own choosing, so they
/// must only hand a value on. Answers to `commit` come in the order of the calls.
public protocol Store: AnyObject, Sendable {
    /// Names the life of all counters in this store; a new store has a new one.
    var epoch: String { get }

    /// Reads a channel whole; one never written is answered with a fresh image. Keys used before `keysSince`
    /// (Unix milliseconds) are left out.
    func load(
        _ channel: String, keysSince: Int64,
        answer: @escaping @Sendable (Result<ChannelImage, StoreError>) -> Void)

    /// Makes a group of outcomes durable, all or nothing. Groups that wait are committed together.
    func commit(_ group: [ChannelWrite], answer: @escaping @Sendable (Result<Void, StoreError>) -> Void)

    /// What the commits have left to be posted elsewhere.
    var outbox: any Outbox { get }

    /// Makes a revocation durable, with its entry in the audit.
    func revoke(_ revocation: Revocation, answer: @escaping @Sendable (Result<Void, StoreError>) -> Void)

    /// Reads who was revoked: of each user the latest revocation.
    func loadRevocations(answer: @escaping @Sendable (Result<[Revocation], StoreError>) -> Void)

    /// Notes that changes are told before they are committed from now on, so that a crash begins a new epoch: what was
    /// told and is lost must not be taken for what comes in its place.
    func expectLoss()

    /// Has the time by which channels grow old follow a clock, and answers what it is then.
    ///
    /// It is kept with the channels. It goes forward by `most` seconds at most, however far ahead the clock is, and back
    /// with the clock at once; both are Unix seconds.
    func follow(
        clock: Int64, byAtMost most: Int64, answer: @escaping @Sendable (Result<Int64, StoreError>) -> Void)

    /// Lists channels that nothing has changed for some time, some at once; see ``AgedChannels``.
    func agedChannels(
        _ query: AgedChannels.Query, answer: @escaping @Sendable (Result<AgedChannels, StoreError>) -> Void)

    /// Takes everything out of those of the channels that nothing has changed after a moment (Unix seconds), and answers how
    /// many that were.
    ///
    /// Their counters stay, one step on, so that nobody goes on from what is no longer there; so does that they are frozen.
    /// For channels alone that nobody has in memory: a load that is asked for later sees what is left.
    func expire(
        _ channels: [String], unchangedSince moment: Int64,
        answer: @escaping @Sendable (Result<Int, StoreError>) -> Void)

    /// How many records wait to be committed.
    var waitingRecords: Int { get }

    /// Commits what waits, then closes; later calls are answered with ``StoreError/closed``.
    ///
    /// - Returns: why what was committed may not be found again; `nil` where all is in order.
    @discardableResult
    func close() -> StoreError?
}

extension Store {
    /// Nothing, for a store whose epoch ends with its process anyway.
    public func expectLoss() {}

    /// The clock, for a store in which nothing grows old.
    public func follow(
        clock: Int64, byAtMost most: Int64, answer: @escaping @Sendable (Result<Int64, StoreError>) -> Void
    ) {
        answer(.success(clock))
    }

    /// None, for a store in which nothing grows old.
    public func agedChannels(
        _ query: AgedChannels.Query, answer: @escaping @Sendable (Result<AgedChannels, StoreError>) -> Void
    ) {
        answer(.success(AgedChannels()))
    }

    /// None, for a store in which nothing grows old.
    public func expire(
        _ channels: [String], unchangedSince moment: Int64,
        answer: @escaping @Sendable (Result<Int, StoreError>) -> Void
    ) {
        answer(.success(0))
    }

    /// None, for a store that commits at once.
    public var waitingRecords: Int { 0 }
}

/// What must have happened before a change is told (a namespace's `durability`).
public enum Durability: String, Sendable, CaseIterable {
    /// Nothing: it is written in the background, and the last moments are lost where the process crashes.
    case memory
    /// It outlives the process, however that ends; after a power cut the newest ones may be missing.
    case committed
    /// It is on the disk, and outlives a power cut.
    case synced
}

/// What one channel has for a commit.
public struct ChannelWrite: Sendable, Equatable {
    /// The channel's name.
    public var channel: String
    /// Its counter afterwards.
    public var seq: UInt64
    /// The records, in order; a later one of the same place wins.
    public var records: [Record]
    /// What is to be posted elsewhere because of them, in order.
    public var posts: [OutboxEntry]
    /// What moderators did, in order; kept where the store has an audit.
    public var audit: [AuditEntry]
    /// What must have happened before the commit is answered; a group is as durable as the most durable part of it.
    public var durability: Durability
    /// Whether it has all that the channel could not commit so far, so that it may follow a commit that failed.
    public var followsFailure: Bool

    /// Makes a write.
    public init(
        channel: String, seq: UInt64, records: [Record], posts: [OutboxEntry] = [], audit: [AuditEntry] = [],
        durability: Durability = .committed, followsFailure: Bool = false
    ) {
        self.channel = channel
        self.seq = seq
        self.records = records
        self.posts = posts
        self.audit = audit
        self.durability = durability
        self.followsFailure = followsFailure
    }
}

/// Why a store could not do what was asked.
public enum StoreError: Error, Sendable, Equatable {
    /// It cannot take it now (disk full, locked, read-only, I/O error); nothing was changed. For a person.
    case unavailable(String)
    /// The file is not one of ours, or was made by a newer version, or is damaged. For a person.
    case unusable(String)
    /// The store was closed.
    case closed

    /// The same for a person, without saying which kind it is.
    public var reason: String {
        switch self {
        case .unavailable(let reason), .unusable(let reason): reason
        case .closed: "it is closed"
        }
    }
}

extension StoreError: CustomStringConvertible {
    /// The reason, so that no line for people has the name of a case in it.
    public var description: String { reason }
}
