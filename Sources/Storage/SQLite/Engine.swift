import CSQLite
import Reactions

/// How a database is opened.
struct SQLiteSettings: Sendable {
    /// What must have happened before a commit is answered.
    enum Durability: String, Sendable {
        /// It outlives this process, however that ends; after a power cut the newest ones may be missing.
        case committed = "NORMAL"
        /// It is on the disk.
        case synced = "FULL"
    }

    var durability = Durability.committed
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
    private let database: Database
    private let reader: ChannelReader
    private let writer: ChannelWriter
    private let outbox: OutboxTable
    private let begin: Statement
    private let beginReading: Statement
    private let commit: Statement
    private let rollback: Statement

    /// Opens a file, making it and its folder where they are missing.
    init(file: String, settings: SQLiteSettings = SQLiteSettings(), schema: Schema = .current) throws(StoreError) {
        let file = try DatabaseFile(file)
        let lock = try file.lock()
        try file.create()
        let database = try Self.open(file, lock: lock, settings: settings)
        try schema.prepare(database, path: file.path)
        self = try asStoreError { () throws(SQLiteError) in try Engine(database, settings: settings) }
    }

    private static func open(
        _ file: DatabaseFile, lock: consuming FileLock, settings: SQLiteSettings
    ) throws(StoreError) -> Database {
        do throws(SQLiteError) {
            let database = try Database(path: file.path, lock: lock)
            database.setBusyTimeout(milliseconds: settings.busyTimeoutMilliseconds)
            return database
        } catch {
            throw error.storeError
        }
    }

    private init(_ database: Database, settings: SQLiteSettings) throws(SQLiteError) {
        try Self.configure(database, settings)
        self.database = database
        epoch = try Self.readEpoch(database)
        reader = try ChannelReader(database)
        writer = try ChannelWriter(database)
        outbox = try OutboxTable(database)
        begin = try Statement(database, "BEGIN IMMEDIATE", "saving changes")
        beginReading = try Statement(database, "BEGIN", "reading a channel")
        commit = try Statement(database, "COMMIT", "saving changes")
        rollback = try Statement(database, "ROLLBACK", "taking back changes")
    }

    private static func configure(_ database: Database, _ settings: SQLiteSettings) throws(SQLiteError) {
        let purpose = "setting up the database"
        try database.execute("PRAGMA journal_mode = WAL", purpose)
        try database.execute("PRAGMA synchronous = \(settings.durability.rawValue)", purpose)
        try database.execute("PRAGMA journal_size_limit = \(64 << 20)", purpose)
        // 16 MiB: with SQLite's usual 4 the same pages are copied into the file, and synced, several times as often.
        try database.execute("PRAGMA wal_autocheckpoint = 4000", purpose)
        try database.execute("PRAGMA cache_size = -\(64 << 10)", purpose)
        if let pages = settings.maximumPages { try database.execute("PRAGMA max_page_count = \(pages)", purpose) }
    }

    /// The store's epoch, made with the first opening: 80 random bits.
    private static func readEpoch(_ database: Database) throws(SQLiteError) -> String {
        let purpose = "reading the epoch"
        let get = try Statement(database, "SELECT epoch FROM meta", purpose)
        if try get.step() {
            defer { get.reset() }
            return try get.text(0)
        }
        let alphabet = Array("abcdefghijklmnopqrstuvwxyz234567")
        let epoch = String((0..<16).map { _ in alphabet[Int.random(in: 0..<32)] })
        let put = try Statement(database, "INSERT INTO meta (epoch) VALUES (?)", purpose)
        try put.bind(1, epoch)
        try put.run()
        return epoch
    }

    /// Commits a batch, all or nothing; refused while the file is not in its place.
    func write(_ batch: WriteBatch) throws(SQLiteError) {
        do throws(SQLiteError) {
            if database.hasMoved {
                throw SQLiteError(
                    extendedCode: SQLITE_READONLY, purpose: "saving changes",
                    message: "the file was moved or removed")
            }
            try transaction(begin) { () throws(SQLiteError) in
                try writer.write(batch)
                for channel in batch.channels { try outbox.add(channel.posts) }
            }
        } catch {
            writer.forget()
            throw error
        }
    }

    /// Reads a channel as of one moment.
    func read(_ channel: String, keysSince: Int64) throws(SQLiteError) -> ChannelImage {
        try transaction(beginReading) { () throws(SQLiteError) in try reader.read(channel, keysSince: keysSince) }
    }

    /// How many entries wait in the outbox, by queue.
    func pendingInOutbox() throws(StoreError) -> [String: Int] {
        try asStoreError { () throws(SQLiteError) in try outbox.pending() }
    }

    /// The oldest entries of a queue of the outbox.
    func readOutbox(_ queue: String, limit: Int) throws(SQLiteError) -> [OutboxEntry] {
        try outbox.read(queue, limit: limit)
    }

    /// Removes the oldest entries of a queue of the outbox, all or none, and says how many.
    func removeFromOutbox(_ queue: String, oldest count: Int) throws(SQLiteError) -> Int {
        try transaction(begin) { () throws(SQLiteError) in try outbox.remove(queue, oldest: count) }
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

    /// Leaves everything in the one file, unless a reader of another program still needs the write-ahead log.
    func finish() {
        database.setBusyTimeout(milliseconds: 1_000)
        try? database.checkpoint()
    }
}
