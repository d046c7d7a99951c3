public import Reactions

/// A store in one SQLite file, the default.
///
/// One thread owns the database; callers only put requests into its queue, so they never wait. All commits that
/// wait are joined into one transaction, and while it is being committed the next ones gather. What was committed
/// outlives this process, even when it is killed; what was to be synced is on the disk.
public final class SQLiteStore: Store {
    /// The name of this store's life, made with the file and kept in it.
    public let epoch: String
    /// Whether it had a message of any channel when it was opened.
    public let heldMessages: Bool
    /// What the commits have left to be posted elsewhere, kept in the same file.
    public let outbox: any Outbox
    private let queue: RequestQueue
    private let thread: StoreThread

    /// Opens a database, making the file and its folder where they are missing, for their owner alone.
    ///
    /// - Parameters:
    ///   - file: its path, such as `data/fanfare.db`; files with the same name and a suffix lie beside it.
    ///   - expectsLoss: whether changes are told before they are committed; see ``Store/expectLoss()``.
    /// - Throws: ``StoreError/unavailable(_:)`` where the file cannot be made, opened or locked (another broker has it),
    ///   ``StoreError/unusable(_:)`` where it is another program's, damaged, or of a newer version.
    public convenience init(file: String, expectsLoss: Bool = false) throws(StoreError) {
        var settings = SQLiteSettings()
        settings.expectsLoss = expectsLoss
        try self.init(file: file, settings: settings)
    }

    /// Opens a database with other settings than the usual ones.
    init(file: String, settings: SQLiteSettings) throws(StoreError) {
        let engine = try Engine(file: file, settings: settings)
        let queue = RequestQueue(maximumRecords: settings.maximumWaitingRecords)
        epoch = engine.epoch
        heldMessages = try engine.holdsMessages()
        let outbox = SQLiteOutbox(queue, pending: try engine.pendingInOutbox())
        self.outbox = outbox
        self.queue = queue
        thread = try StoreThread {
            var committer = GroupCommitter(engine, outbox)
            queue.end(committer.serve(queue))
        }
    }

    deinit {
        close()
    }

    /// Reads a channel on the store's thread; see ``Store/load(_:keysSince:answer:)``.
    public func load(
        _ channel: String, keysSince: Int64,
        answer: @escaping @Sendable (Result<ChannelImage, StoreError>) -> Void
    ) {
        if !queue.add(load: channel, keysSince: keysSince, answer: answer) { answer(.failure(.closed)) }
    }

    /// Commits a group together with all others that wait; see ``Store/commit(_:answer:)``.
    public func commit(_ group: [ChannelWrite], answer: @escaping @Sendable (Result<Void, StoreError>) -> Void) {
        if !queue.add(commit: group, answer: answer) { answer(.failure(.closed)) }
    }

    /// Has the next crash begin a new epoch; see ``Store/expectLoss()``.
    public func expectLoss() {
        queue.addExpectLoss()
    }

    /// How many records wait, those of the commit under way not counted.
    public var waitingRecords: Int { queue.recordCount }

    /// Commits a revocation after all that was handed over before; see ``Store/revoke(_:answer:)``.
    public func revoke(_ revocation: Revocation, answer: @escaping @Sendable (Result<Void, StoreError>) -> Void) {
        let isTaken = queue.add { engine in
            answer(Result { () throws(SQLiteError) in try engine.write(revocation) }.mapError(\.storeError))
        }
        if !isTaken { answer(.failure(.closed)) }
    }

    /// Reads who was revoked; see ``Store/loadRevocations(answer:)``.
    public func loadRevocations(answer: @escaping @Sendable (Result<[Revocation], StoreError>) -> Void) {
        let isTaken = queue.add { engine in
            answer(Result { () throws(SQLiteError) in try engine.revocations() }.mapError(\.storeError))
        }
        if !isTaken { answer(.failure(.closed)) }
    }

    /// Follows the clock by which channels grow old; see ``Store/follow(clock:byAtMost:answer:)``.
    public func follow(
        clock: Int64, byAtMost most: Int64, answer: @escaping @Sendable (Result<Int64, StoreError>) -> Void
    ) {
        let isTaken = queue.add { engine in
            let time = Result { () throws(SQLiteError) in try engine.follow(clock: clock, byAtMost: most) }
            answer(time.mapError(\.storeError))
        }
        if !isTaken { answer(.failure(.closed)) }
    }

    /// Lists channels by age, after all that was handed over before; see ``Store/agedChannels(_:answer:)``.
    public func agedChannels(
        _ query: AgedChannels.Query, answer: @escaping @Sendable (Result<AgedChannels, StoreError>) -> Void
    ) {
        let isTaken = queue.add { engine in
            answer(Result { () throws(SQLiteError) in try engine.agedChannels(query) }.mapError(\.storeError))
        }
        if !isTaken { answer(.failure(.closed)) }
    }

    /// Empties channels at once, and takes their rows out little by little; see
    /// ``Store/expire(_:unchangedSince:answer:)``.
    public func expire(
        _ channels: [String], unchangedSince moment: Int64,
        answer: @escaping @Sendable (Result<Int, StoreError>) -> Void
    ) {
        let isTaken = queue.add { engine in
            do throws(SQLiteError) {
                answer(.success(try engine.expire(channels, unchangedSince: moment)))
            } catch {
                answer(.failure(error.storeError))
            }
        }
        if !isTaken { answer(.failure(.closed)) }
    }

    /// Commits what waits, leaves everything in the one file and ends the thread; see ``Store/close()``.
    ///
    /// Called from an answer, it returns before that is done.
    @discardableResult
    public func close() -> StoreError? {
        if queue.close() { thread.join() }
        return queue.fault
    }
}
