/// Writes the audit and the revocations; its statements are prepared once.
struct AuditWriter {
    /// Its tables: `audit` holds the names as they were, not the numbers of rows that may go; `revocations.at` is the
    /// latest moment of each user.
    static let schema = """
        CREATE TABLE audit (
            id INTEGER PRIMARY KEY, at INTEGER NOT NULL, action TEXT NOT NULL, by TEXT NOT NULL, channel TEXT,
            message TEXT, reaction TEXT, user TEXT, removed INTEGER, seq INTEGER) STRICT;
        CREATE INDEX audit_by_time ON audit (at);
        CREATE TABLE revocations (
            user TEXT NOT NULL PRIMARY KEY, at INTEGER NOT NULL, by TEXT NOT NULL) STRICT, WITHOUT ROWID;
        """

    private let putEntry: Statement
    private let putRevocation: Statement
    private let getRevocations: Statement

    init(_ database: Database) throws(SQLiteError) {
        putEntry = try Statement(
            database,
            """
            INSERT INTO audit (at, action, by, channel, message, reaction, user, removed, seq)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
            """, "saving what a moderator did")
        putRevocation = try Statement(
            database,
            """
            INSERT INTO revocations (user, at, by) VALUES (?, ?, ?)
            ON CONFLICT (user) DO UPDATE SET at = excluded.at, by = excluded.by WHERE excluded.at >= at
            """, "saving a revocation")
        getRevocations = try Statement(database, "SELECT user, at, by FROM revocations", "reading the revocations")
    }

    /// Writes an entry within the open transaction.
    func write(_ entry: AuditEntry) throws(SQLiteError) {
        try putEntry.bind(1, entry.at)
        try putEntry.bind(2, entry.action.rawValue)
        try putEntry.bind(3, entry.by)
        try putEntry.bind(4, entry.channel)
        try putEntry.bind(5, entry.message)
        try putEntry.bind(6, entry.reaction)
        try putEntry.bind(7, entry.user)
        try putEntry.bind(8, entry.removed)
        try putEntry.bind(9, entry.seq)
        try putEntry.run()
    }

    /// Writes a revocation with its entry, within the open transaction.
    func write(_ revocation: Revocation) throws(SQLiteError) {
        try put(revocation)
        try write(revocation.auditEntry)
    }

    /// Writes a revocation alone, within the open transaction.
    func put(_ revocation: Revocation) throws(SQLiteError) {
        try putRevocation.bind(1, revocation.user)
        try putRevocation.bind(2, revocation.at)
        try putRevocation.bind(3, revocation.by)
        try putRevocation.run()
    }

    /// Reads all revocations.
    func revocations() throws(SQLiteError) -> [Revocation] {
        defer { getRevocations.reset() }
        var revocations: [Revocation] = []
        while try getRevocations.step() {
            revocations.append(
                Revocation(
                    user: try getRevocations.text(0), at: getRevocations.integer(1), by: try getRevocations.text(2)))
        }
        return revocations
    }
}
