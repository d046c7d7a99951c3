import Locks

/// An outbox that lasts as long as its process.
///
/// Answers are given on the calling thread, before the call returns.
public final class MemoryOutbox: Outbox {
    private struct State {
        var queues: [String: [OutboxEntry]] = [:]
        var counts = OutboxCounts()
        var isClosed = false
    }

    private let state = Locked(State())

    /// Makes an empty outbox.
    public init() {}

    /// The queues in which entries wait; see ``Outbox/queues``.
    public var queues: [String] { state.withLock { Array($0.counts.pending.keys) } }

    /// How many entries wait in a queue; see ``Outbox/pending(in:)``.
    public func pending(in queue: String) -> Int { state.withLock { $0.counts.pending[queue] ?? 0 } }

    /// Puts entries in, each into its queue.
    public func add(_ entries: [OutboxEntry]) {
        guard !entries.isEmpty else { return }
        state.withLock { state in
            for entry in entries { state.queues[entry.queue, default: []].append(entry) }
            state.counts.add(entries)
        }
    }

    /// Reads the oldest entries; see ``Outbox/read(_:limit:answer:)``.
    public func read(
        _ queue: String, limit: Int, answer: @escaping @Sendable (Result<[OutboxEntry], StoreError>) -> Void
    ) {
        answer(
            state.withLock { state in
                state.isClosed ? .failure(.closed) : .success(Array(state.queues[queue, default: []].prefix(limit)))
            })
    }

    /// Removes the oldest entries; see ``Outbox/remove(_:oldest:answer:)``.
    public func remove(
        _ queue: String, oldest count: Int, answer: @escaping @Sendable (Result<Int, StoreError>) -> Void
    ) {
        answer(
            state.withLock { state in
                if state.isClosed { return .failure(.closed) }
                let removed = min(count, state.queues[queue]?.count ?? 0)
                state.queues[queue]?.removeFirst(removed)
                state.counts.remove(removed, from: queue)
                return .success(removed)
            })
    }

    /// Forgets everything.
    func close() {
        state.withLock { $0 = State(isClosed: true) }
    }
}
