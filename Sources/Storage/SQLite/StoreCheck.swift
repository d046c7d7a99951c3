import CSQLite
import Reactions

/// Looks for damage in a store's file: beside a broker that runs, or without one.
public enum StoreCheck {
    /// What was found.
    public struct Outcome: Sendable, Equatable {
        /// What is wrong, one line each, at most ``StoreCheck/most``; none: nothing is.
        public var faults: [String] = []
        /// How many channels there are.
        public var channels = 0
        /// How many reactions there are, each user and reaction counted once.
        public var reactions = 0
    }

    /// How many faults are told before the search ends.
    public static let most = 100

    /// Looks through a whole file: SQLite's own structures, then the tables that a broker needs, then what belongs together,
    /// then every channel and every text as a broker reads it.
    ///
    /// - Parameters:
    ///   - file: its path, such as `data/fanfare.db`; nothing in it is changed.
    ///   - progress: hears what is looked at now.
    /// - Returns: the faults, and how much there is.
    /// - Throws: ``StoreError`` where the file cannot be opened or is none of a store; damage inside is no error but a fault.
    public static func run(_ file: String, progress: (String) -> Void = { _ in }) throws(StoreError) -> Outcome {
        let database = try Database.open(readingStore: file)
        var outcome = Outcome()
        do throws(SQLiteError) {
            try database.execute("BEGIN", "reading \(file)")
            progress("pages and indexes")
            try checkStructure(database, &outcome)
            // Whatever else is looked at would fail for what is missing.
            let missing = try Schema.current.faults(in: database)
            guard missing.isEmpty else {
                outcome.faults += missing
                return outcome
            }
            let tables = try StoreTables(database)
            progress("what belongs together")
            for rule in rules where outcome.faults.count < most { try check(rule, database, &outcome) }
            try checkRest(database, tables, &outcome)
            try checkTexts(database, &outcome, progress)
            try checkChannels(database, tables.reader, &outcome, progress)
        } catch {
            // What SQLite finds damaged on the way ends the search.
            outcome.faults.append(error.storeError.reason)
        }
        return outcome
    }

    private static func checkStructure(_ database: Database, _ outcome: inout Outcome) throws(SQLiteError) {
        let check = try Statement(database, "PRAGMA integrity_check(\(most))", "checking the file")
        while try check.step() {
            let line = try check.text(0)
            if line != "ok" { outcome.faults.append("SQLite: \(line)") }
        }
    }

    /// What must not be there: a query that gives the names of what is wrong, and what is said of each.
    private struct Rule {
        var words: String
        var query: String

        init(_ words: String, _ query: String) {
            self.words = words
            self.query = query
        }
    }

    /// Entries that count: those that were not swept.
    private static let entries = """
        (SELECT e.*, m.channel, m.name AS message_name, m.deleted FROM entries e JOIN messages m ON m.id = e.message
        JOIN channels c ON c.id = m.channel AND c.name >= '!'
        WHERE e.given > coalesce((SELECT seq FROM sweeps s WHERE s.message = e.message AND s.reaction = e.reaction), -1))
        """

    private static let rules = [
        Rule("the epoch is not there once", "SELECT count(*) FROM meta HAVING count(*) <> 1 OR max(epoch) = ''"),
        Rule("the record of lives is not there once", "SELECT count(*) FROM lives HAVING count(*) <> 1"),
        Rule(
            "a message has no channel",
            "SELECT name FROM messages WHERE channel NOT IN (SELECT id FROM channels)"),
        Rule("a group has no message", "SELECT reaction FROM groups WHERE message NOT IN (SELECT id FROM messages)"),
        Rule("a reaction has no message", "SELECT user FROM entries WHERE message NOT IN (SELECT id FROM messages)"),
        Rule("a sweep has no message", "SELECT reaction FROM sweeps WHERE message NOT IN (SELECT id FROM messages)"),
        Rule("a key has no channel", "SELECT key FROM keys WHERE channel NOT IN (SELECT id FROM channels)"),
        Rule("a channel's seq is out of range", "SELECT name FROM channels WHERE seq < 0 OR seq > 9007199254740992"),
        Rule(
            "a message changed after its channel's seq",
            "SELECT m.name FROM messages m JOIN channels c ON c.id = m.channel WHERE m.changed > c.seq"),
        Rule(
            "a group began after its channel's seq",
            """
            SELECT g.reaction FROM groups g JOIN messages m ON m.id = g.message JOIN channels c ON c.id = m.channel
            WHERE g.started > c.seq
            """),
        Rule(
            "a reaction came after its channel's seq",
            """
            SELECT e.user FROM entries e JOIN messages m ON m.id = e.message JOIN channels c ON c.id = m.channel
            WHERE e.given > c.seq OR e.touched > c.seq OR e.touched < e.given
            """),
        Rule("a reaction counts nothing", "SELECT user FROM entries WHERE count < 1"),
        Rule("a deleted message has reactions", "SELECT message_name FROM \(entries) WHERE deleted <> 0"),
        Rule(
            "a reaction has no group",
            """
            SELECT user FROM \(entries) AS e WHERE NOT EXISTS
            (SELECT 1 FROM groups g WHERE g.message = e.message AND g.reaction = e.reaction)
            """),
    ]

    private static func check(_ rule: Rule, _ database: Database, _ outcome: inout Outcome) throws(SQLiteError) {
        let found = try Statement(database, rule.query, "checking the file")
        defer { found.reset() }
        while outcome.faults.count < most, try found.step() {
            outcome.faults.append("\(rule.words): \(try found.text(0))")
        }
    }

    /// Reads what belongs to no channel as a broker does, or whoever exports it.
    private static func checkRest(
        _ database: Database, _ tables: StoreTables, _ outcome: inout Outcome
    ) throws(SQLiteError) {
        try AuditTrail.check(database) { words in
            if outcome.faults.count < most { outcome.faults.append("the audit cannot be read: \(words)") }
        }
        let reads: [(String, () throws(SQLiteError) -> Void)] = [
            ("revocations", { () throws(SQLiteError) in _ = try tables.audit.revocations() }),
            ("what waits for webhooks", { () throws(SQLiteError) in _ = try tables.outbox.pending() }),
            ("the record of lives", { () throws(SQLiteError) in _ = try tables.life.read() }),
            ("the epoch", { () throws(SQLiteError) in _ = try Engine.epoch(in: database) }),
        ]
        for (what, read) in reads where outcome.faults.count < most {
            do throws(SQLiteError) { try read() } catch {
                outcome.faults.append("\(what) cannot be read: \(error.message)")
            }
        }
    }

    /// Reads every channel as a broker does.
    private static func checkChannels(
        _ database: Database, _ reader: ChannelReader, _ outcome: inout Outcome, _ progress: (String) -> Void
    ) throws(SQLiteError) {
        let names = try Statement(
            database, "SELECT name FROM channels WHERE name >= '!' ORDER BY name", "reading the channels")
        defer { names.reset() }
        while outcome.faults.count < most, try names.step() {
            let name = try names.text(0)
            let image = try reader.read(name, keysSince: .min)
            outcome.channels += 1
            if outcome.channels.isMultiple(of: 10_000) { progress("\(outcome.channels) channels") }
            let held = image.records.count(where: \.isEntry)
            outcome.reactions += held
            if Ledger(image).image.records.count(where: \.isEntry) != held {
                outcome.faults.append("reactions contradict each other in the channel \(name)")
            }
        }
    }
}

extension Record {
    fileprivate var isEntry: Bool {
        if case .entry = self { true } else { false }
    }
}
