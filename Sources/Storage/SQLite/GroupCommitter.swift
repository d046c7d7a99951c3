import Reactions

/// Serves the requests on the store's thread: joins commits that wait into one transaction, answers in order.
struct GroupCommitter {
    private struct Commit {
        /// Only the names matter from here on.
        let group: [ChannelWrite]
        let refusal: StoreError?
        let answer: @Sendable (Result<Void, StoreError>) -> Void
    }

    /// Where a transaction ends although more waits: a bound on what one failure or one wait concerns.
    private static let maximumRecords = 100_000

    private var engine: Engine
    private let outbox: SQLiteOutbox
    private var failed = FailedChannels()
    private var batch = WriteBatch()
    private var commits: [Commit] = []
    private var refused: Set<String> = []

    init(_ engine: Engine, _ outbox: SQLiteOutbox) {
        self.engine = engine
        self.outbox = outbox
    }

    /// Serves a queue until it is closed and empty; gives what is wrong at the end.
    mutating func serve(_ queue: RequestQueue) -> StoreError? {
        var requests: [StoreRequest] = []
        while queue.take(&requests, waits: !engine.mustSweep) {
            for request in requests { serve(request) }
            flush()
            requests.removeAll(keepingCapacity: true)
            if engine.mustSweep { engine.sweep() }
        }
        return engine.finish(isComplete: failed.isEmpty)
    }

    private mutating func serve(_ request: StoreRequest) {
        switch request {
        case .commit(let group, let answer):
            add(group, refusal: failed.refusal(of: group), answer)
        case .refuse(let group, let reason, let answer):
            add(group, refusal: reason, answer)
        case .expectLoss: engine.expectLoss()
        case .load(let channel, let keysSince, let answer):
            load(channel, keysSince: keysSince, answer)
        case .work(let work):
            flush()
            work(&engine)
        }
    }

    private mutating func add(
        _ group: [ChannelWrite], refusal: StoreError?, _ answer: @escaping @Sendable (Result<Void, StoreError>) -> Void
    ) {
        if refusal == nil {
            failed.begin(group)
            for write in group { batch.add(write) }
        } else {
            failed.insert(group)
            for write in group { refused.insert(write.channel) }
        }
        commits.append(Commit(group: group, refusal: refusal, answer: answer))
        if batch.recordCount >= Self.maximumRecords { flush() }
    }

    /// Commits the batch and answers all that wait for it.
    private mutating func flush() {
        if commits.isEmpty { return }
        var result = Result<Void, StoreError>.success(())
        if !batch.channels.isEmpty {
            do throws(SQLiteError) {
                try engine.write(batch)
                for channel in batch.channels { outbox.added(channel.posts) }
            } catch {
                result = .failure(error.storeError)
            }
        }
        for commit in commits {
            if case .failure = result, commit.refusal == nil { failed.insert(commit.group) }
            commit.answer(commit.refusal.map { .failure($0) } ?? result)
        }
        commits.removeAll(keepingCapacity: true)
        batch = WriteBatch()
        refused.removeAll()
    }

    /// Reads a channel, after what was handed over for it before; other channels' commits go on gathering.
    private mutating func load(
        _ channel: String, keysSince: Int64, _ answer: @Sendable (Result<ChannelImage, StoreError>) -> Void
    ) {
        if batch.contains(channel) || refused.contains(channel) { flush() }
        do throws(SQLiteError) {
            let image = try engine.read(channel, keysSince: keysSince)
            failed.remove(channel)
            answer(.success(image))
        } catch {
            answer(.failure(error.storeError))
        }
    }
}
