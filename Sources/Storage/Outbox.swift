/// What waits to be posted elsewhere: entries in queues, put there by the commit of what they tell of.
///
/// An entry stays until it is removed, across restarts where the store lasts. Calls come from any thread and never
/// block it; answers come as those of a ``Store``.
public protocol Outbox: AnyObject, Sendable {
    /// The queues in which entries wait, in no order.
    var queues: [String] { get }

    /// How many entries wait in a queue.
    func pending(in queue: String) -> Int

    /// Reads the oldest entries of a queue, at most `limit` of them, in the order in which they were committed.
    func read(
        _ queue: String, limit: Int, answer: @escaping @Sendable (Result<[OutboxEntry], StoreError>) -> Void)

    /// Removes the oldest entries of a queue, as many as there are of `count`, and answers how many that were.
    func remove(_ queue: String, oldest count: Int, answer: @escaping @Sendable (Result<Int, StoreError>) -> Void)
}

/// One thing to be posted.
public struct OutboxEntry: Sendable, Equatable {
    /// Where it waits.
    public var queue: String
    /// When it was made, in Unix milliseconds.
    public var at: Int64
    /// What is to be posted.
    public var body: [UInt8]

    /// Makes an entry.
    public init(queue: String, at: Int64, body: [UInt8]) {
        self.queue = queue
        self.at = at
        self.body = body
    }
}

/// How many entries wait, by queue.
struct OutboxCounts {
    private(set) var pending: [String: Int] = [:]

    init(_ pending: [String: Int] = [:]) {
        self.pending = pending
    }

    mutating func add(_ entries: [OutboxEntry]) {
        for entry in entries { pending[entry.queue, default: 0] += 1 }
    }

    mutating func remove(_ count: Int, from queue: String) {
        let left = (pending[queue] ?? 0) - count
        pending[queue] = left > 0 ? left : nil
    }
}
