/// Finds channels that have grown old, and takes channels out of use; its statements are prepared once.
struct ChannelExpiry {
    private let page: Statement
    private let find: Statement
    private let detach: Statement
    private let leave: Statement

    init(_ database: Database) throws(SQLiteError) {
        func prepare(_ sql: String) throws(SQLiteError) -> Statement {
            try Statement(database, sql, "taking out channels")
        }
        page = try prepare("SELECT id, name, touched FROM channels WHERE id > ? ORDER BY id LIMIT ?")
        find = try prepare("SELECT id, seq, frozen, touched FROM channels WHERE name = ?")
        detach = try prepare("UPDATE channels SET name = ' ' || id, touched = NULL WHERE id = ?")
        leave = try prepare("INSERT INTO channels (name, seq, frozen, touched) VALUES (?, ?, ?, NULL)")
    }

    /// A page of the channels that nothing has changed after a moment.
    func page(_ query: AgedChannels.Query) throws(SQLiteError) -> AgedChannels {
        defer { page.reset() }
        var found = AgedChannels()
        var looked = 0
        try page.bind(1, query.after)
        try page.bind(2, Int64(query.limit))
        while try page.step() {
            looked += 1
            found.next = page.integer(0)
            guard !page.isNull(2), page.integer(2) <= query.unchangedSince else { continue }
            found.channels.append(AgedChannels.Channel(name: try page.text(1), changed: page.integer(2)))
        }
        if looked < query.limit { found.next = nil }
        return found
    }

    /// Empties a channel that nothing has changed after a moment, within the open transaction; `false`: it has changed.
    func expire(_ channel: String, unchangedSince moment: Int64) throws(SQLiteError) -> Bool {
        guard let row = try row(of: channel), let touched = row.touched, touched <= moment else { return false }
        try detach(row.id)
        try leave.bind(1, channel)
        // Below 2^53 (PROTOCOL.md section 1).
        try leave.bind(2, min(row.seq &+ 1, 1 << 53))
        try leave.bind(3, row.isFrozen)
        try leave.run()
        return true
    }

    /// Takes a channel out of use whole, within the open transaction; `false`: there is none.
    func remove(_ channel: String) throws(SQLiteError) -> Bool {
        guard let row = try row(of: channel) else { return false }
        try detach(row.id)
        return true
    }

    /// Whether a channel is there.
    func contains(_ channel: String) throws(SQLiteError) -> Bool { try row(of: channel) != nil }

    private func row(
        of channel: String
    ) throws(SQLiteError) -> (id: Int64, seq: UInt64, isFrozen: Bool, touched: Int64?)? {
        defer { find.reset() }
        try find.bind(1, channel)
        guard try find.step() else { return nil }
        return (
            find.integer(0), find.unsigned(1), find.integer(2) != 0, find.isNull(3) ? nil : find.integer(3)
        )
    }

    private func detach(_ id: Int64) throws(SQLiteError) {
        try detach.bind(1, id)
        try detach.run()
    }
}

extension Engine {
    /// A page of the channels that nothing has changed after a moment.
    func agedChannels(_ query: AgedChannels.Query) throws(SQLiteError) -> AgedChannels {
        try tables.expiry.page(query)
    }

    /// Empties those of the channels that nothing has changed after a moment, all or none, and says how many.
    mutating func expire(_ channels: [String], unchangedSince moment: Int64) throws(SQLiteError) -> Int {
        let expired = try change { () throws(SQLiteError) in
            var expired = 0
            for channel in channels where try tables.expiry.expire(channel, unchangedSince: moment) { expired += 1 }
            return expired
        }
        tables.writer.forget()
        if expired > 0 { mustSweep = true }
        return expired
    }
}
