import CSQLite
import Reactions

/// How a database is opened.
struct SQLiteSettings: Sendable {
    /// Whether changes are told before they are committed, so that a crash begins a new epoch.
    var expectsLoss = false
    /// Names the time since the machine was last started.
    var boot = Life.currentBoot
    /// How long a commit waits for a lock of another program, such as a shell.
    var busyTimeoutMilliseconds: CInt = 5_000
    /// How many pages of 4,096 bytes the file may have; a test's way to a full disk.
    var maximumPages: Int?
    /// How many records may wait to be committed; commits above that are refused.
    var maximumWaitingRecords = 1_000_000
}

/// The database with its statements, as the store's thread uses it.
struct Engine {
    let epoch: String
    let database: Database
    var tables: StoreTables
    var life: Life
    /// Whether a commit is on the disk when it is done (`synchronous` is FULL, not NORMAL).
    private var isSyncing = true
    /// Whether a sync has failed, so that what is in the write-ahead log may never get to the disk, whatever a later one says.
    private var mustEmptyLog = false
    /// Whether there may be something to take out that was swept.
    var mustSweep = true
    private var isSweepingPaused = false
    /// The time of the newest key that was written last, in Unix milliseconds; at first anything is before it.
    private var lastKey = Int64.max
    let begin: Statement
    private let beginReading: Statement
    let commit: Statement
    let rollback: Statement

    /// Opens a file, making it and its folder where they are missing.
    init(file: String, settings: SQLiteSettings = SQLiteSettings(), schema: Schema = .current) throws(StoreError) {
        let file = try DatabaseFile(file)
        let locks = try file.lock()
        let database = try Self.open(file, locks: locks, settings: settings)
        try schema.prepare(database, path: file.path)
        database.noteStore()
        self = try asOpening { () throws(SQLiteError) in try Engine(database, settings: settings) }
    }

    private static func open(
        _ file: DatabaseFile, locks: consuming DatabaseLocks, settings: SQLiteSettings
    ) throws(StoreError) -> Database {
        do throws(SQLiteError) {
            let database = try Database(path: file.path, locks: locks)
            database.setBusyTimeout(milliseconds: settings.busyTimeoutMilliseconds)
            return database
        } catch {
            throw error.storeError
        }
    }

    private init(_ database: Database, settings: SQLiteSettings) throws(SQLiteError) {
        try Self.configure(database, settings)
        self.database = database
        tables = try StoreTables(database)
        life = try Life(tables.life, boot: settings.boot)
        if settings.expectsLoss { try life.note(.daring) }
        let first = try Self.makeEpoch(database)
        epoch = Life.name(first: first, number: life.number)
        begin = try Statement(database, "BEGIN IMMEDIATE", "saving changes")
        beginReading = try Statement(database, "BEGIN", "reading a channel")
        commit = try Statement(database, "COMMIT", "saving changes")
        rollback = try Statement(database, "ROLLBACK", "taking back changes")
        database.noteSize()
    }

    private static func configure(_ database: Database, _ settings: SQLiteSettings) throws(SQLiteError) {
        let purpose = "setting up the database"
        try database.execute("PRAGMA journal_mode = WAL", purpose)
        try database.execute("PRAGMA synchronous = FULL", purpose)
        try database.execute("PRAGMA journal_size_limit = \(64 << 20)", purpose)
        // 16 MiB: with SQLite's usual 4 the same pages are copied into the file, and synced, several times as often.
        try database.execute("PRAGMA wal_autocheckpoint = 4000", purpose)
        try database.execute("PRAGMA cache_size = -\(64 << 10)", purpose)
        if let pages = settings.maximumPages { try database.execute("PRAGMA max_page_count = \(pages)", purpose) }
    }

    /// The name of the file's first life; `nil`: it has none yet.
    static func epoch(in database: Database) throws(SQLiteError) -> String? {
        let get = try Statement(database, "SELECT epoch FROM meta", "reading the epoch")
        defer { get.reset() }
        return try get.step() ? try get.text(0) : nil
    }

    /// The same, made with the first opening.
    private static func makeEpoch(_ database: Database) throws(SQLiteError) -> String {
        if let epoch = try epoch(in: database) { return epoch }
        let epoch = Life.newName()
        let put = try Statement(database, "INSERT INTO meta (epoch) VALUES (?)", "making the epoch")
        try put.bind(1, epoch)
        try put.run()
        return epoch
    }

    /// Commits a batch, all or nothing; refused while the file is not in its place.
    mutating func write(_ batch: WriteBatch) throws(SQLiteError) {
        do throws(SQLiteError) {
            try checkPlace()
            if batch.isSynced { try emptyLog() }
            try setSyncing(batch.isSynced)
            let newestKey = batch.newestKey ?? lastKey
            try transaction(begin) { () throws(SQLiteError) in
                if newestKey < lastKey &- keyLead { try tables.writer.bringBackKeys(to: newestKey) }
                try tables.writer.write(batch)
                for channel in batch.channels { try tables.outbox.add(channel.posts) }
            }
            lastKey = newestKey
            if batch.hasSweeps || isSweepingPaused { mustSweep = true }
        } catch {
            if error.isFailedSync { mustEmptyLog = true }
            tables.writer.forget()
            throw error
        }
    }

    /// Has all that was committed in the file itself, and nothing in the log that a failed sync may have left out: the system
    /// takes that for written, and what is synced behind it would be lost with it.
    private mutating func emptyLog() throws(SQLiteError) {
        guard mustEmptyLog else { return }
        try database.checkpoint()
        mustEmptyLog = false
    }

    /// Has SQLite sync the write-ahead log with each commit, or leave that to the system.
    private mutating func setSyncing(_ isSyncing: Bool) throws(SQLiteError) {
        guard isSyncing != self.isSyncing else { return }
        try database.execute("PRAGMA synchronous = \(isSyncing ? "FULL" : "NORMAL")", "setting up the database")
        self.isSyncing = isSyncing
    }

    /// Takes some of what was swept, and of channels that are gone, out of the database; after a failure not before the next commit that succeeds.
    mutating func sweep() {
        do throws(SQLiteError) {
            var sweeper = tables.sweeper
            try setSyncing(false)
            mustSweep = try change { () throws(SQLiteError) in
                if try sweeper.step() { return true }
                guard try tables.remover.step() else { return false }
                tables.writer.forget()
                return true
            }
            tables.sweeper = sweeper
            isSweepingPaused = false
        } catch {
            mustSweep = false
            isSweepingPaused = true
        }
    }

    /// Notes that changes are told before they are committed from now on.
    mutating func expectLoss() {
        // Where this cannot be written nothing can be committed either, and commits say so.
        try? note(.daring)
    }

    private mutating func note(_ use: Life.Use) throws(SQLiteError) {
        try checkPlace()
        try setSyncing(true)
        try life.note(use)
    }

    /// Commits a revocation; refused while the file is not in its place.
    func write(_ revocation: Revocation) throws(SQLiteError) {
        try change { () throws(SQLiteError) in try tables.audit.write(revocation) }
    }

    /// Reads who was revoked.
    func revocations() throws(SQLiteError) -> [Revocation] {
        try tables.audit.revocations()
    }

    /// Refuses what would be written where the next start does not find it, or would make damage worse.
    func checkPlace() throws(SQLiteError) {
        guard let fault = placeFault else { return }
        throw SQLiteError(extendedCode: SQLITE_READONLY, purpose: "saving changes", message: fault)
    }

    private var placeFault: String? {
        if database.noteSize() { return "the file was cut short" }
        return database.hasMoved ? "the file was moved or removed" : nil
    }

    /// Reads a channel as of one moment.
    func read(_ channel: String, keysSince: Int64) throws(SQLiteError) -> ChannelImage {
        try transaction(beginReading) { () throws(SQLiteError) in try tables.reader.read(channel, keysSince: keysSince)
        }
    }

    /// How many entries wait in the outbox, by queue.
    func pendingInOutbox() throws(StoreError) -> [String: Int] {
        try asStoreError { () throws(SQLiteError) in try tables.outbox.pending() }
    }

    /// Whether there is a message of any channel.
    func holdsMessages() throws(StoreError) -> Bool {
        try asStoreError { () throws(SQLiteError) in
            try Statement(database, "SELECT 1 FROM messages LIMIT 1", "looking for channels").step()
        }
    }

    /// The oldest entries of a queue of the outbox.
    func readOutbox(_ queue: String, limit: Int) throws(SQLiteError) -> [OutboxEntry] {
        try tables.outbox.read(queue, limit: limit)
    }

    /// Removes the oldest entries of a queue of the outbox, all or none, and says how many.
    func removeFromOutbox(_ queue: String, oldest count: Int) throws(SQLiteError) -> Int {
        try change { () throws(SQLiteError) in try tables.outbox.remove(queue, oldest: count) }
    }

    /// Changes something in one transaction, all or nothing; refused while the file is not in its place.
    func change<Value>(_ body: () throws(SQLiteError) -> Value) throws(SQLiteError) -> Value {
        try checkPlace()
        return try transaction(begin, body)
    }

    private func transaction<Value>(
        _ begin: Statement, _ body: () throws(SQLiteError) -> Value
    ) throws(SQLiteError) -> Value {
        try begin.run()
        do throws(SQLiteError) {
            let value = try body()
            try commit.run()
            return value
        } catch {
            // Some errors have rolled back already. Where rolling back fails too, the next `begin` says so.
            if database.isInTransaction { try? rollback.run() }
            throw error
        }
    }

    /// A setting of the database's, by the name of its pragma.
    func setting(_ name: String) throws(SQLiteError) -> Int64 {
        try database.integer("PRAGMA \(name)", "reading \(name)")
    }

    /// Leaves everything in the one file, unless a reader of another program still needs the write-ahead log; a file that was
    /// cut short is left as it is, with the log beside it.
    ///
    /// - Parameter isComplete: whether nothing is missing that was handed over.
    /// - Returns: what is wrong with the file, for a person.
    @discardableResult
    mutating func finish(isComplete: Bool) -> StoreError? {
        database.setBusyTimeout(milliseconds: 1_000)
        let fault = placeFault
        if database.isCut {
            database.leaveFile()
        } else {
            if isComplete { try? note(.closed) }
            try? database.checkpoint()
        }
        return fault.map { .unusable("\($0) while it was in use: put a copy in its place (fanfare backup makes them)") }
    }
}
