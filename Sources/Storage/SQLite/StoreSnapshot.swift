import CSQLite
public import Reactions

/// A store's file as it is at one moment, to be read: beside a broker that runs, or without one.
public final class StoreSnapshot {
    /// The epoch that its counters are in.
    public let epoch: String
    /// The names of the channels, in order.
    public let channels: [String]
    private let database: Database
    private let reader: ChannelReader
    private let audit: AuditWriter

    /// Opens a file.
    ///
    /// - Parameters:
    ///   - file: its path, such as `data/fanfare.db`; nothing in it is changed.
    ///   - channel: the one channel that is wanted; `nil`: all.
    /// - Throws: ``StoreError``, for a person.
    public init(file: String, channel: String? = nil) throws(StoreError) {
        let database = try Database.open(readingStore: file)
        let purpose = "reading \(file)"
        do throws(SQLiteError) {
            // One transaction for as long as this object lives.
            try database.execute("BEGIN", purpose)
            self.database = database
            let first = try Statement(database, "SELECT epoch, life FROM meta, lives", purpose)
            guard try first.step() else { throw database.error(SQLITE_CORRUPT, purpose) }
            epoch = Life.name(first: try first.text(0), number: first.integer(1))
            first.reset()
            let names = try Statement(
                database, "SELECT name FROM channels WHERE name >= '!' AND (?1 IS NULL OR name = ?1) ORDER BY name",
                purpose)
            try names.bind(1, channel)
            var channels: [String] = []
            while try names.step() { channels.append(try names.text(0)) }
            self.channels = channels
            reader = try ChannelReader(database)
            audit = try AuditWriter(database)
        } catch {
            throw error.storeError
        }
    }

    /// Reads a channel, its records in the order of messages, groups and reactions.
    public func read(_ channel: String) throws(StoreError) -> ChannelImage {
        var image = try asStoreError { () throws(SQLiteError) in try reader.read(channel, keysSince: .min) }
        image.records.sort { $0.order < $1.order }
        return image
    }

    /// Reads who was revoked.
    public func revocations() throws(StoreError) -> [Revocation] {
        try asStoreError { () throws(SQLiteError) in try audit.revocations() }
    }

    /// Reads what moderators did, the oldest first.
    public func auditEntries() throws(StoreError) -> [AuditEntry] {
        try asStoreError { () throws(SQLiteError) in try AuditTrail.entries(database, AuditTrail.Query()) }
    }
}

@available(*, unavailable)
extension StoreSnapshot: Sendable {}

extension Record {
    /// Where a record stands among a channel's when they are written down: a message with its groups and reactions, in
    /// the order in which these came, and keys at the end.
    fileprivate struct Order: Comparable {
        var isKey = false
        var message = ""
        var kind = 0
        var seq: UInt64 = 0
        var reaction = ""
        var user = ""

        static func < (one: Order, other: Order) -> Bool {
            if one.isKey != other.isKey { return other.isKey }
            return (one.message, one.kind, one.seq, one.reaction, one.user)
                < (other.message, other.kind, other.seq, other.reaction, other.user)
        }
    }

    fileprivate var order: Order {
        switch self {
        case .frozen: Order()
        case .message(let name, _): Order(message: name, kind: 1)
        case .swept(let message, let reaction, _): Order(message: message, kind: 2, reaction: reaction.text)
        case .group(let message, let reaction, let group):
            Order(message: message, kind: 3, seq: group?.started ?? 0, reaction: reaction.text)
        case .entry(let message, let user, let reaction, let entry):
            Order(message: message, kind: 4, seq: entry?.touched ?? 0, reaction: reaction.text, user: user)
        case .key(let user, let key, let use):
            Order(isKey: true, seq: UInt64(clamping: use.at), reaction: key, user: user)
        }
    }
}
