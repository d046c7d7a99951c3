import Reactions

/// Takes swept entries out of the database, a few at a time, so that nobody's commit waits for long.
struct Sweeper {
    /// How many rows one step looks at.
    private static let rowsAtOnce = 500

    /// One row of `sweeps`, and how far it has come.
    private struct Sweep {
        var message: Int64
        var reaction: String
        var seq: UInt64
        /// The last user that was looked at.
        var user = ""

        func isSame(as other: Sweep) -> Bool {
            message == other.message && reaction == other.reaction && seq == other.seq
        }
    }

    private let first: Statement
    private let next: Statement
    private let drop: Statement
    private let end: Statement
    private var current: Sweep?

    init(_ database: Database) throws(SQLiteError) {
        func prepare(_ sql: String) throws(SQLiteError) -> Statement {
            try Statement(database, sql, "taking out what was cleared")
        }
        first = try prepare("SELECT message, reaction, seq FROM sweeps LIMIT 1")
        next = try prepare(
            """
            SELECT user, given FROM entries WHERE message = ? AND reaction = ? AND user > ? ORDER BY user
            LIMIT \(Self.rowsAtOnce)
            """)
        drop = try prepare("DELETE FROM entries WHERE message = ? AND reaction = ? AND user = ?")
        end = try prepare("DELETE FROM sweeps WHERE message = ? AND reaction = ?")
    }

    /// Goes one step on within the open transaction; `false`: there was nothing to do.
    mutating func step() throws(SQLiteError) -> Bool {
        guard let found = try find() else {
            current = nil
            return false
        }
        // A sweep that was made anew meanwhile begins anew.
        var sweep = current.flatMap { $0.isSame(as: found) ? $0 : nil } ?? found
        let (rows, gone) = try read(after: sweep)
        for user in gone { try run(drop, sweep) { statement throws(SQLiteError) in try statement.bind(3, user) } }
        if let last = rows.last, rows.count == Self.rowsAtOnce {
            sweep.user = last
            current = sweep
        } else {
            try run(end, sweep) { _ in }
            current = nil
        }
        return true
    }

    private func find() throws(SQLiteError) -> Sweep? {
        guard try first.step() else { return nil }
        defer { first.reset() }
        return Sweep(message: first.integer(0), reaction: try first.text(1), seq: first.unsigned(2))
    }

    /// The next users, and those of them whose entries are gone.
    private func read(after sweep: Sweep) throws(SQLiteError) -> (rows: [String], gone: [String]) {
        var rows: [String] = []
        var gone: [String] = []
        try next.bind(1, sweep.message)
        try next.bind(2, sweep.reaction)
        try next.bind(3, sweep.user)
        defer { next.reset() }
        while try next.step() {
            rows.append(try next.text(0))
            if next.unsigned(1) <= sweep.seq { gone.append(try next.text(0)) }
        }
        return (rows, gone)
    }

    private func run(
        _ statement: Statement, _ sweep: Sweep, _ bind: (Statement) throws(SQLiteError) -> Void
    ) throws(SQLiteError) {
        try statement.bind(1, sweep.message)
        try statement.bind(2, sweep.reaction)
        try bind(statement)
        try statement.run()
    }
}
