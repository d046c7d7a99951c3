/// Takes channels that are out of use out of the database, some rows at a time, so that nobody's commit waits for long.
struct ChannelRemover {
    /// How many rows one step takes out of a table.
    private static let rowsAtOnce = 500

    private let findChannel: Statement
    private let findMessage: Statement
    private let findEntry: Statement
    private let findKey: Statement
    private let dropEntries: Statement
    private let dropMessage: [Statement]
    private let dropKeys: Statement
    private let dropChannel: Statement

    init(_ database: Database) throws(SQLiteError) {
        func prepare(_ sql: String) throws(SQLiteError) -> Statement {
            try Statement(database, sql, "taking out channels")
        }
        // All names that begin with a space.
        findChannel = try prepare("SELECT id FROM channels WHERE name >= ' ' AND name < '!' LIMIT 1")
        findMessage = try prepare("SELECT id FROM messages WHERE channel = ? LIMIT 1")
        findEntry = try prepare("SELECT 1 FROM entries WHERE message = ? LIMIT 1")
        findKey = try prepare("SELECT 1 FROM keys WHERE channel = ? LIMIT 1")
        dropEntries = try prepare(
            """
            DELETE FROM entries WHERE message = ?1 AND (reaction, user) IN
            (SELECT reaction, user FROM entries WHERE message = ?1 LIMIT \(Self.rowsAtOnce))
            """)
        dropMessage = [
            try prepare("DELETE FROM groups WHERE message = ?"), try prepare("DELETE FROM sweeps WHERE message = ?"),
            try prepare("DELETE FROM messages WHERE id = ?"),
        ]
        dropKeys = try prepare(
            "DELETE FROM keys WHERE id IN (SELECT id FROM keys WHERE channel = ? LIMIT \(Self.rowsAtOnce))")
        dropChannel = try prepare("DELETE FROM channels WHERE id = ?")
    }

    /// Goes one step on within the open transaction; `false`: there was nothing to do.
    func step() throws(SQLiteError) -> Bool {
        guard let channel = try first(findChannel) else { return false }
        if let message = try first(findMessage, of: channel) {
            try run(dropEntries, message)
            guard try first(findEntry, of: message) == nil else { return true }
            for statement in dropMessage { try run(statement, message) }
        } else {
            try run(dropKeys, channel)
            if try first(findKey, of: channel) == nil { try run(dropChannel, channel) }
        }
        return true
    }

    private func first(_ statement: Statement, of owner: Int64? = nil) throws(SQLiteError) -> Int64? {
        defer { statement.reset() }
        if let owner { try statement.bind(1, owner) }
        return try statement.step() ? statement.integer(0) : nil
    }

    private func run(_ statement: Statement, _ id: Int64) throws(SQLiteError) {
        try statement.bind(1, id)
        try statement.run()
    }
}
