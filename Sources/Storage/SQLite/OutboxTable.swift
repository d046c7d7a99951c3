/// The table of what waits to be posted; its statements are prepared once.
struct OutboxTable {
    /// Makes the table.
    ///
    /// `id` is the order of the commits within a queue; a number is used again only when nothing older waits.
    static let schema = """
        CREATE TABLE outbox (id INTEGER PRIMARY KEY, queue TEXT NOT NULL, at INTEGER NOT NULL, body BLOB NOT NULL) STRICT;
        CREATE INDEX outbox_by_queue ON outbox (queue);
        """

    private let put: Statement
    private let oldest: Statement
    private let drop: Statement
    private let count: Statement

    init(_ database: Database) throws(SQLiteError) {
        put = try Statement(database, "INSERT INTO outbox (queue, at, body) VALUES (?, ?, ?)", "saving changes")
        oldest = try Statement(
            database, "SELECT at, body FROM outbox WHERE queue = ? ORDER BY id LIMIT ?", "reading the outbox")
        drop = try Statement(
            database,
            "DELETE FROM outbox WHERE id IN (SELECT id FROM outbox WHERE queue = ? ORDER BY id LIMIT ?) RETURNING 1",
            "emptying the outbox")
        count = try Statement(database, "SELECT queue, count(*) FROM outbox GROUP BY queue", "reading the outbox")
    }

    /// Adds entries within the open transaction.
    func add(_ entries: [OutboxEntry]) throws(SQLiteError) {
        for entry in entries {
            try put.bind(1, entry.queue)
            try put.bind(2, entry.at)
            try put.bind(3, entry.body)
            try put.run()
        }
    }

    /// The oldest entries of a queue.
    func read(_ queue: String, limit: Int) throws(SQLiteError) -> [OutboxEntry] {
        defer { oldest.reset() }
        var entries: [OutboxEntry] = []
        try oldest.bind(1, queue)
        try oldest.bind(2, Int64(limit))
        while try oldest.step() {
            entries.append(OutboxEntry(queue: queue, at: oldest.integer(0), body: oldest.bytes(1)))
        }
        return entries
    }

    /// Removes the oldest entries of a queue within the open transaction, and says how many.
    func remove(_ queue: String, oldest count: Int) throws(SQLiteError) -> Int {
        defer { drop.reset() }
        var removed = 0
        try drop.bind(1, queue)
        try drop.bind(2, Int64(count))
        while try drop.step() { removed += 1 }
        return removed
    }

    /// How many entries wait, by queue.
    func pending() throws(SQLiteError) -> [String: Int] {
        defer { count.reset() }
        var pending: [String: Int] = [:]
        while try count.step() { pending[try count.text(0)] = Int(clamping: count.integer(1)) }
        return pending
    }
}
