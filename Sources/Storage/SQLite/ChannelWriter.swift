import Reactions

/// Writes batches; its statements are prepared once.
struct ChannelWriter {
    private let channels: NamedRows
    private let messages: NamedRows
    private let putGroup: Statement
    private let dropGroup: Statement
    private let putSweep: Statement
    private let putEntry: Statement
    private let dropEntry: Statement
    private let putKey: Statement
    private let dropKeys: Statement
    private let moveKeys: Statement
    private let audit: AuditWriter

    init(_ database: Database) throws(SQLiteError) {
        func prepare(_ sql: String) throws(SQLiteError) -> Statement {
            try Statement(database, sql, "saving changes")
        }
        channels = NamedRows(
            find: try prepare("SELECT id FROM channels WHERE name = ?1"),
            update: try prepare(
                "UPDATE channels SET seq = ?3, frozen = coalesce(?4, frozen), touched = unixepoch() WHERE id = ?5"),
            insert: try prepare(
                "INSERT INTO channels (name, seq, frozen, touched) VALUES (?1, ?3, coalesce(?4, 0), unixepoch())"))
        messages = NamedRows(
            find: try prepare("SELECT id FROM messages WHERE name = ?1 AND channel = ?2"),
            update: try prepare(
                "UPDATE messages SET changed = coalesce(?3, changed), deleted = coalesce(?4, deleted) WHERE id = ?5"),
            insert: try prepare(
                "INSERT INTO messages (name, channel, changed, deleted) VALUES (?1, ?2, ?3, coalesce(?4, 0))"))
        putGroup = try prepare(
            "REPLACE INTO groups (message, reaction, started, first, last) VALUES (?, ?, ?, ?, ?)")
        dropGroup = try prepare("DELETE FROM groups WHERE message = ? AND reaction = ?")
        putSweep = try prepare("REPLACE INTO sweeps (message, reaction, seq) VALUES (?, ?, ?)")
        putEntry = try prepare(
            """
            REPLACE INTO entries (message, reaction, user, count, given, touched, at, data_text, data_canonical)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
            """)
        dropEntry = try prepare("DELETE FROM entries WHERE message = ? AND reaction = ? AND user = ?")
        putKey = try prepare("INSERT INTO keys (channel, user, key, at, body, answer) VALUES (?, ?, ?, ?, ?, ?)")
        dropKeys = try prepare(
            """
            WITH oldest AS MATERIALIZED (SELECT id, at FROM keys ORDER BY id LIMIT ?2)
            DELETE FROM keys WHERE id IN (SELECT id FROM oldest WHERE at < ?1)
            """)
        moveKeys = try prepare("UPDATE keys SET at = ?1 WHERE at > ?2")
        audit = try AuditWriter(database)
    }

    /// Writes a batch within the open transaction, and takes away as many outlived keys as keep up with the new ones.
    func write(_ batch: WriteBatch) throws(SQLiteError) {
        var keyCount = 0
        for channel in batch.channels {
            let id = try write(channel)
            for (place, key) in channel.keys { try write(key, at: place, channel: id) }
            keyCount += channel.keys.count
            for entry in channel.audit { try audit.write(entry) }
        }
        guard let newestKey = batch.newestKey else { return }
        try prune(before: keyHorizon(newest: newestKey), limit: 2 * keyCount + 100)
    }

    /// Has keys that are far ahead of a time count as used then, since the clock went back; see ``keyLead``.
    func bringBackKeys(to now: Int64) throws(SQLiteError) {
        try moveKeys.bind(1, now)
        try moveKeys.bind(2, now &+ keyLead)
        try moveKeys.run()
    }

    /// Notes that the transaction of a batch was rolled back.
    func forget() {
        channels.forget()
        messages.forget()
    }

    private func write(_ channel: WriteBatch.Channel) throws(SQLiteError) -> Int64 {
        let id = try channels.put(channel.name, number: channel.seq, flag: channel.isFrozen)
        for (name, message) in channel.messages { try write(message, name: name, channel: id) }
        return id
    }

    private func write(_ message: WriteBatch.Message, name: String, channel: Int64) throws(SQLiteError) {
        let id = try messages.put(name, in: channel, number: message.own?.changed, flag: message.own?.isDeleted)
        for (reaction, group) in message.groups { try write(group, of: reaction, message: id) }
        for (reaction, seq) in message.sweeps { try sweep(reaction, upTo: seq, message: id) }
        for (place, entry) in message.entries { try write(entry, at: place, message: id) }
    }

    private func write(_ group: Record.Group?, of reaction: Reaction, message: Int64) throws(SQLiteError) {
        let statement = group == nil ? dropGroup : putGroup
        try statement.bind(1, message)
        try statement.bind(2, reaction.text)
        if let group {
            try statement.bind(3, group.started)
            try statement.bind(4, group.first)
            try statement.bind(5, group.last)
        }
        try statement.run()
    }

    private func sweep(_ reaction: Reaction, upTo seq: UInt64, message: Int64) throws(SQLiteError) {
        try putSweep.bind(1, message)
        try putSweep.bind(2, reaction.text)
        try putSweep.bind(3, seq)
        try putSweep.run()
    }

    private func write(_ entry: Record.Entry?, at place: EntryPlace, message: Int64) throws(SQLiteError) {
        let statement = entry == nil ? dropEntry : putEntry
        try statement.bind(1, message)
        try statement.bind(2, place.reaction.text)
        try statement.bind(3, place.user)
        if let entry {
            try statement.bind(4, entry.count)
            try statement.bind(5, entry.given)
            try statement.bind(6, entry.touched)
            try statement.bind(7, entry.at)
            try statement.bind(8, entry.data?.text)
            try statement.bind(9, entry.data?.canonical)
        }
        try statement.run()
    }

    private func write(_ key: Record.Key, at place: KeyPlace, channel: Int64) throws(SQLiteError) {
        try putKey.bind(1, channel)
        try putKey.bind(2, place.user)
        try putKey.bind(3, place.key)
        try putKey.bind(4, key.at)
        try putKey.bind(5, key.body)
        try putKey.bind(6, key.answer)
        try putKey.run()
    }

    private func prune(before horizon: Int64, limit: Int) throws(SQLiteError) {
        try dropKeys.bind(1, horizon)
        try dropKeys.bind(2, Int64(limit))
        try dropKeys.run()
    }
}
