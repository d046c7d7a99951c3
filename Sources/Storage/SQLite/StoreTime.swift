/// The time by which channels grow old: it follows the system's clock, but never faster than it is told.
///
/// A clock that is wrong for a while would else make everything old at once.
struct StoreTime {
    /// Version 6: the time that the store has seen, in Unix seconds; NULL: none yet.
    static let schema = """
        ALTER TABLE lives ADD COLUMN seen INTEGER;
        UPDATE lives SET seen = (SELECT max(touched) FROM channels);
        """

    private let read: Statement
    private let write: Statement

    init(_ database: Database) throws(SQLiteError) {
        let purpose = "following the clock"
        read = try Statement(database, "SELECT seen FROM lives", purpose)
        write = try Statement(database, "UPDATE lives SET seen = ?", purpose)
    }

    /// Follows a clock, in Unix seconds, forward by some seconds at most, and back at once; says what the time is then.
    func follow(_ clock: Int64, byAtMost most: Int64) throws(SQLiteError) -> Int64 {
        let seen = try seen()
        let (limit, overflow) = (seen ?? clock).addingReportingOverflow(most)
        let time = overflow ? clock : min(clock, limit)
        if time != seen {
            try write.bind(1, time)
            try write.run()
        }
        return time
    }

    private func seen() throws(SQLiteError) -> Int64? {
        defer { read.reset() }
        guard try read.step(), !read.isNull(0) else { return nil }
        return read.integer(0)
    }
}

extension Engine {
    /// Follows a clock; see ``Store/follow(clock:byAtMost:answer:)``.
    func follow(clock: Int64, byAtMost most: Int64) throws(SQLiteError) -> Int64 {
        try checkPlace()
        return try tables.time.follow(clock, byAtMost: most)
    }
}
