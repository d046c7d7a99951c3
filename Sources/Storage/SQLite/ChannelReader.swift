import Reactions

/// Reads channels whole; its statements are prepared once.
struct ChannelReader {
    private let getChannel: Statement
    private let getMessages: Statement
    private let getGroups: Statement
    private let getSweeps: Statement
    private let getEntries: Statement
    private let getKeys: Statement

    init(_ database: Database) throws(SQLiteError) {
        func prepare(_ sql: String) throws(SQLiteError) -> Statement {
            try Statement(database, sql, "reading a channel")
        }
        getChannel = try prepare("SELECT id, seq, frozen FROM channels WHERE name = ?")
        getMessages = try prepare("SELECT id, name, changed, deleted FROM messages WHERE channel = ?")
        getGroups = try prepare("SELECT reaction, started, first, last FROM groups WHERE message = ?")
        getSweeps = try prepare("SELECT reaction, seq FROM sweeps WHERE message = ?")
        getEntries = try prepare(
            """
            SELECT reaction, user, count, given, touched, at, data_text, data_canonical FROM entries WHERE message = ?
            """)
        getKeys = try prepare("SELECT user, key, at, body, answer FROM keys WHERE channel = ? ORDER BY id")
    }

    /// Reads a channel within the open transaction; one never written is fresh.
    func read(_ channel: String, keysSince: Int64) throws(SQLiteError) -> ChannelImage {
        defer {
            for statement in [getChannel, getMessages, getGroups, getSweeps, getEntries, getKeys] { statement.reset() }
        }
        try getChannel.bind(1, channel)
        guard try getChannel.step() else { return ChannelImage() }
        let id = getChannel.integer(0)
        var image = ChannelImage(seq: getChannel.unsigned(1))
        if getChannel.integer(2) != 0 { image.records.append(.frozen(true)) }
        try readMessages(of: id, into: &image.records)
        try readKeys(of: id, since: keysSince, into: &image.records)
        return image
    }

    private func readMessages(of channel: Int64, into records: inout [Record]) throws(SQLiteError) {
        try getMessages.bind(1, channel)
        while try getMessages.step() {
            let id = getMessages.integer(0)
            let name = try getMessages.text(1)
            if !getMessages.isNull(2) {
                let own = Record.Message(changed: getMessages.unsigned(2), isDeleted: getMessages.integer(3) != 0)
                records.append(.message(name, own))
            }
            try readGroups(of: id, name: name, into: &records)
            try readEntries(of: id, name: name, into: &records)
        }
    }

    private func readGroups(of message: Int64, name: String, into records: inout [Record]) throws(SQLiteError) {
        try getGroups.bind(1, message)
        while try getGroups.step() {
            let group = Record.Group(
                started: getGroups.unsigned(1), first: getGroups.integer(2), last: getGroups.integer(3))
            records.append(.group(message: name, reaction: Reaction(canonical: try getGroups.text(0)), group))
        }
    }

    private func readEntries(of message: Int64, name: String, into records: inout [Record]) throws(SQLiteError) {
        let swept = try sweeps(of: message)
        try getEntries.bind(1, message)
        while try getEntries.step() {
            let reaction = Reaction(canonical: try getEntries.text(0))
            if let seq = swept[reaction], getEntries.unsigned(3) <= seq { continue }
            var entry = Record.Entry(
                count: getEntries.unsigned(2), given: getEntries.unsigned(3), touched: getEntries.unsigned(4),
                at: getEntries.integer(5))
            if !getEntries.isNull(6) {
                entry.data = ReactionData(text: try getEntries.text(6), canonical: try getEntries.text(7))
            }
            records.append(.entry(message: name, user: try getEntries.text(1), reaction: reaction, entry))
        }
    }

    /// Up to which seq the entries of a message are gone, by reaction.
    private func sweeps(of message: Int64) throws(SQLiteError) -> [Reaction: UInt64] {
        var sweeps: [Reaction: UInt64] = [:]
        try getSweeps.bind(1, message)
        while try getSweeps.step() { sweeps[Reaction(canonical: try getSweeps.text(0))] = getSweeps.unsigned(1) }
        return sweeps
    }

    private func readKeys(of channel: Int64, since: Int64, into records: inout [Record]) throws(SQLiteError) {
        var keys: [KeyPlace: Record.Key] = [:]
        try getKeys.bind(1, channel)
        while try getKeys.step() {
            let place = KeyPlace(user: try getKeys.text(0), key: try getKeys.text(1))
            keys[place] = Record.Key(at: getKeys.integer(2), body: getKeys.bytes(3), answer: getKeys.bytes(4))
        }
        for (place, key) in keys where key.at >= since {
            records.append(.key(user: place.user, key: place.key, key))
        }
    }
}
