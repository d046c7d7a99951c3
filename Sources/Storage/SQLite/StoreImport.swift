public import Reactions

/// Puts channels into a store's file that no broker has open: all of them, or none.
///
/// Where the file had something before, its counters are in another epoch afterwards: what a client knew of it says
/// nothing of what is there then.
public final class StoreImport {
    /// The epoch that the counters are in when it is finished.
    public let epoch: String
    private var engine: Engine
    private let replaces: Bool
    /// The life that the file is in where nothing comes of it.
    private let before: Life
    /// The entries of the audit that were there before and have not come again; `nil` before the first one comes.
    private var known: [AuditEntry: Int]?

    /// Opens a file, making it and its folder where they are missing.
    ///
    /// - Parameters:
    ///   - file: its path, such as `data/fanfare.db`.
    ///   - replaces: whether a channel that is there gives way to one that is put in.
    /// - Throws: ``StoreError``, for a person: a broker that runs has the file's lock.
    public init(file: String, replaces: Bool = false) throws(StoreError) {
        self.replaces = replaces
        var engine = try Engine(file: file)
        before = engine.life
        epoch = try asStoreError { () throws(SQLiteError) in
            let hasChannels = try engine.database.integer("SELECT EXISTS (SELECT 1 FROM channels)", "reading \(file)")
            try engine.begin.run()
            if hasChannels != 0 { try engine.life.beginAnother() }
            let first = try Statement(engine.database, "SELECT epoch FROM meta", "reading the epoch")
            defer { first.reset() }
            return Life.name(first: try first.step() ? try first.text(0) : "", number: engine.life.number)
        }
        self.engine = engine
    }

    deinit {
        if engine.database.isInTransaction {
            try? engine.rollback.run()
            engine.life = before
        }
        engine.finish(isComplete: true)
    }

    /// Puts a channel in.
    ///
    /// - Throws: ``StoreError``, also where the channel is there and does not give way.
    public func add(_ channel: String, _ image: ChannelImage) throws(StoreError) {
        let engine = engine
        if replaces {
            let isReplaced = try asStoreError { () throws(SQLiteError) in try engine.tables.expiry.remove(channel) }
            if isReplaced { engine.tables.writer.forget() }
        } else if try asStoreError({ () throws(SQLiteError) in try engine.tables.expiry.contains(channel) }) {
            throw .unavailable("the channel \(channel) is there already, and was not to be replaced")
        }
        var batch = WriteBatch()
        batch.add(ChannelWrite(channel: channel, seq: image.seq, records: image.records))
        try asStoreError { () throws(SQLiteError) in try engine.tables.writer.write(batch) }
    }

    /// Puts a revocation in, without an entry in the audit.
    public func add(_ revocation: Revocation) throws(StoreError) {
        try asStoreError { () throws(SQLiteError) in try engine.tables.audit.put(revocation) }
    }

    /// Puts an entry of the audit in, unless the file has it from an earlier import.
    public func add(_ entry: AuditEntry) throws(StoreError) {
        if known == nil { known = try auditEntries() }
        if let times = known?[entry], times > 0 {
            known?[entry] = times - 1
        } else {
            try asStoreError { () throws(SQLiteError) in try engine.tables.audit.write(entry) }
        }
    }

    /// How often the file has each entry: two can be alike.
    private func auditEntries() throws(StoreError) -> [AuditEntry: Int] {
        let database = engine.database
        let entries = try asStoreError { () throws(SQLiteError) in
            try AuditTrail.entries(database, AuditTrail.Query())
        }
        return Dictionary(entries.map { ($0, 1) }, uniquingKeysWith: +)
    }

    /// Makes all of it durable; without this nothing of it is.
    public func finish() throws(StoreError) {
        try asStoreError { () throws(SQLiteError) in try engine.commit.run() }
        engine.mustSweep = true
        while engine.mustSweep { engine.sweep() }
    }
}

@available(*, unavailable)
extension StoreImport: Sendable {}
