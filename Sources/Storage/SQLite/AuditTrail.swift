import CSQLite

/// Reads the audit in a store's file: beside a broker that runs, or without one.
public enum AuditTrail {
    /// Which entries are asked for; `nil` asks for all.
    public struct Query: Sendable, Equatable {
        /// Those of this channel.
        public var channel: String?
        /// Those that concern this user.
        public var user: String?
        /// Those of this moderator.
        public var by: String?
        /// Those from this moment on, in Unix milliseconds.
        public var since: Int64?
        /// The newest so many.
        public var limit: Int

        /// Makes a query.
        public init(
            channel: String? = nil, user: String? = nil, by: String? = nil, since: Int64? = nil, limit: Int = .max
        ) {
            self.channel = channel
            self.user = user
            self.by = by
            self.since = since
            self.limit = limit
        }
    }

    /// Reads the entries that are asked for, the oldest first.
    ///
    /// - Parameters:
    ///   - file: the path of the store's file, such as `data/fanfare.db`; nothing in it is changed.
    ///   - query: which entries.
    /// - Returns: the entries.
    /// - Throws: ``StoreError/unavailable(_:)`` where it cannot be opened or read now, ``StoreError/unusable(_:)`` where it
    ///   is another program's, damaged, or of another version.
    public static func read(_ file: String, _ query: Query) throws(StoreError) -> [AuditEntry] {
        let database = try Database.open(readingStore: file)
        return try asStoreError { () throws(SQLiteError) in try entries(database, query) }
    }

    static func entries(
        _ database: Database, _ query: Query
    ) throws(SQLiteError) -> [AuditEntry] {
        let get = try Statement(
            database,
            """
            SELECT \(columns) FROM audit
            WHERE at >= ?1 AND (?2 IS NULL OR channel = ?2) AND (?3 IS NULL OR user = ?3) AND (?4 IS NULL OR by = ?4)
            ORDER BY at DESC, id DESC LIMIT ?5
            """, "reading the audit")
        try get.bind(1, query.since ?? .min)
        try get.bind(2, query.channel)
        try get.bind(3, query.user)
        try get.bind(4, query.by)
        try get.bind(5, Int64(max(0, query.limit)))
        var entries: [AuditEntry] = []
        while try get.step() { entries.append(try entry(in: get)) }
        return entries.reversed()
    }

    /// Its columns, in the order in which ``entry(in:)`` reads them.
    private static let columns = "at, action, by, channel, message, reaction, user, removed, seq"

    private static func entry(in row: Statement) throws(SQLiteError) -> AuditEntry {
        let name = try row.text(1)
        guard let action = AuditEntry.Action(rawValue: name) else {
            throw SQLiteError(
                extendedCode: SQLITE_CORRUPT, purpose: "reading the audit", message: "'\(name)' is no action")
        }
        return AuditEntry(
            at: row.integer(0), action, by: try row.text(2), channel: try row.textIfAny(3),
            message: try row.textIfAny(4), reaction: try row.textIfAny(5), user: try row.textIfAny(6),
            removed: row.unsignedIfAny(7), seq: row.unsignedIfAny(8))
    }

    /// Tells what is wrong with an entry, for each that cannot be read.
    static func check(_ database: Database, _ fault: (String) -> Void) throws(SQLiteError) {
        let get = try Statement(database, "SELECT \(columns), id FROM audit ORDER BY id", "reading the audit")
        defer { get.reset() }
        while try get.step() {
            do throws(SQLiteError) {
                _ = try entry(in: get)
            } catch {
                fault("entry \(get.integer(9)): \(error.message)")
            }
        }
    }
}
