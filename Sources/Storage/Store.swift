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

    /// Commits what waits, then closes; later calls are answered with ``StoreError/closed``.
    func close()
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

    /// Makes a write.
    public init(channel: String, seq: UInt64, records: [Record], posts: [OutboxEntry] = []) {
        self.channel = channel
        self.seq = seq
        self.records = records
        self.posts = posts
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
}
