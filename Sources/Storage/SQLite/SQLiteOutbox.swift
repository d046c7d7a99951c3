import Locks

/// The outbox of a SQLite store: what is asked of it goes through the store's queue.
final class SQLiteOutbox: Outbox {
    private let queue: RequestQueue
    private let counts: Locked<OutboxCounts>

    init(_ queue: RequestQueue, pending: [String: Int]) {
        self.queue = queue
        counts = Locked(OutboxCounts(pending))
    }

    var queues: [String] { counts.withLock { Array($0.pending.keys) } }

    func pending(in queue: String) -> Int { counts.withLock { $0.pending[queue] ?? 0 } }

    /// Notes what a commit has put in.
    func added(_ entries: [OutboxEntry]) {
        if !entries.isEmpty { counts.withLock { $0.add(entries) } }
    }

    func read(
        _ name: String, limit: Int, answer: @escaping @Sendable (Result<[OutboxEntry], StoreError>) -> Void
    ) {
        let isTaken = queue.add { engine in
            do throws(SQLiteError) { answer(.success(try engine.readOutbox(name, limit: limit))) } catch {
                answer(.failure(error.storeError))
            }
        }
        if !isTaken { answer(.failure(.closed)) }
    }

    func remove(
        _ name: String, oldest count: Int, answer: @escaping @Sendable (Result<Int, StoreError>) -> Void
    ) {
        let isTaken = queue.add { [self] engine in
            do throws(SQLiteError) {
                let removed = try engine.removeFromOutbox(name, oldest: count)
                counts.withLock { $0.remove(removed, from: name) }
                answer(.success(removed))
            } catch {
                answer(.failure(error.storeError))
            }
        }
        if !isTaken { answer(.failure(.closed)) }
    }
}
