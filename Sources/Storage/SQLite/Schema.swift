/// The tables of a database and how older ones become today's.
struct Schema {
    /// What makes version n+1 of version n, from an empty file on; steps are added, never changed.
    var steps: [String]

    /// Today's schema.
    static let current = Schema(
        steps: [version1, OutboxTable.schema, version3, AuditWriter.schema, version5, StoreTime.schema])

    /// "FANF", in the file's header, so that `file` and we know whose it is.
    static let applicationID: Int64 = 0x4641_4E46

    /// Checks whose the file is and which version it has, and brings it to the newest one; messages name the path.
    func prepare(_ database: Database, path: String) throws(StoreError) {
        let header = try asOpening { () throws(SQLiteError) in try Header(database, path: path) }
        if !header.isNew, header.owner != Self.applicationID {
            throw .unusable("\(path) is a SQLite database of another program")
        }
        if header.version > steps.count {
            throw .unusable(
                "\(path) was made by a newer Fanfare (its schema is \(header.version), this one knows \(steps.count))")
        }
        if header.version < 0 { throw .damaged("\(path) is damaged: its schema is \(header.version)") }
        let lacking = try asOpening { () throws(SQLiteError) in
            try migrate(database, from: Int(header.version))
            return try faults(in: database)
        }
        if let fault = lacking.first { throw .damaged("\(path) is damaged: \(fault)") }
    }

    /// Checks that a file is ours and has today's tables, without changing it; messages name the path.
    func checkReadable(_ database: Database, path: String) throws(StoreError) {
        let header = try asStoreError { () throws(SQLiteError) in try Header(database, path: path) }
        if header.isNew {
            throw .unusable("\(path) is empty: who began to make it was ended; fanfare serve or import makes it whole")
        }
        guard header.owner == Self.applicationID else { throw .unusable("\(path) is no database of Fanfare's") }
        guard header.version == steps.count else {
            let hint = header.version < steps.count ? "; fanfare serve brings it to today's" : ""
            throw .unusable("\(path) has schema \(header.version), and this Fanfare reads \(steps.count)\(hint)")
        }
    }

    /// What a file says about itself.
    private struct Header {
        let owner: Int64
        let version: Int64
        let isNew: Bool

        init(_ database: Database, path: String) throws(SQLiteError) {
            owner = try database.integer("PRAGMA application_id", "reading \(path)")
            version = try database.integer("PRAGMA user_version", "reading \(path)")
            let tables = try database.integer("SELECT count(*) FROM sqlite_schema", "reading \(path)")
            isNew = owner == 0 && version == 0 && tables == 0
        }
    }

    /// All steps or none; the version and the owner are part of the transaction.
    private func migrate(_ database: Database, from version: Int) throws(SQLiteError) {
        if version == steps.count { return }
        let purpose = "bringing the database to schema \(steps.count)"
        try database.execute("BEGIN IMMEDIATE", purpose)
        do throws(SQLiteError) {
            for step in steps[version...] { try database.execute(step, purpose) }
            try database.execute(
                "PRAGMA application_id = \(Self.applicationID); PRAGMA user_version = \(steps.count)", purpose)
            try database.execute("COMMIT", purpose)
        } catch {
            if database.isInTransaction { try database.execute("ROLLBACK", purpose) }
            throw error
        }
    }
}

/// Version 1.
///
/// - `entries` is ordered by reaction first: what a moderator clears lies together, and a channel is read message by message.
/// - `keys` is only added to at its end and taken from at its start, in the order of time, which is several times faster
///   than an order by key; of two rows with the same channel, user and key the later one counts.
/// - `messages.changed` is NULL where a message has groups or entries but no record of its own.
/// - `seq`, `changed` and the like are the 64 bits of an unsigned number.
private let version1 = """
    CREATE TABLE meta (epoch TEXT NOT NULL) STRICT;
    CREATE TABLE channels (
        id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, seq INTEGER NOT NULL, frozen INTEGER NOT NULL) STRICT;
    CREATE TABLE messages (
        id INTEGER PRIMARY KEY, channel INTEGER NOT NULL, name TEXT NOT NULL, changed INTEGER,
        deleted INTEGER NOT NULL, UNIQUE (channel, name)) STRICT;
    CREATE TABLE groups (
        message INTEGER NOT NULL, reaction TEXT NOT NULL, started INTEGER NOT NULL, first INTEGER NOT NULL,
        last INTEGER NOT NULL, PRIMARY KEY (message, reaction)) STRICT, WITHOUT ROWID;
    CREATE TABLE entries (
        message INTEGER NOT NULL, reaction TEXT NOT NULL, user TEXT NOT NULL, count INTEGER NOT NULL,
        given INTEGER NOT NULL, touched INTEGER NOT NULL, at INTEGER NOT NULL, data_text TEXT, data_canonical TEXT,
        PRIMARY KEY (message, reaction, user)) STRICT, WITHOUT ROWID;
    CREATE TABLE keys (
        id INTEGER PRIMARY KEY, channel INTEGER NOT NULL, user TEXT NOT NULL, key TEXT NOT NULL, at INTEGER NOT NULL,
        body BLOB NOT NULL, answer BLOB NOT NULL) STRICT;
    CREATE INDEX keys_by_channel ON keys (channel);
    """

/// Version 3.
///
/// - `sweeps`: the entries with that reaction that were given up to the seq are not there; they are taken out of `entries`
///   little by little, and the row goes with the last of them.
/// - `lives` has one row: how often the counters began a new life in this file, and how the file was last used (see `Life`).
private let version3 = """
    CREATE TABLE sweeps (
        message INTEGER NOT NULL, reaction TEXT NOT NULL, seq INTEGER NOT NULL,
        PRIMARY KEY (message, reaction)) STRICT, WITHOUT ROWID;
    CREATE TABLE lives (life INTEGER NOT NULL, boot TEXT NOT NULL, use INTEGER NOT NULL) STRICT;
    INSERT INTO lives (life, boot, use) VALUES (0, '', 0);
    """

/// Version 5.
///
/// - `channels.touched`: when the channel last changed, in Unix seconds; NULL: nothing is there that could grow old.
/// - A channel whose name begins with a space is no channel any more: its rows are taken out little by little.
private let version5 = """
    ALTER TABLE channels ADD COLUMN touched INTEGER;
    UPDATE channels SET touched = unixepoch();
    """
