public import Reactions

/// Adds to the channels of a store's file that no broker has open, in one transaction: all of it, or nothing.
///
/// What is added is to come from a ``Ledger`` of what was read, so that its seqs go on from those that are there; then the
/// epoch stays, and a file to which nothing is added is as it was.
public final class StoreMerge {
    private var engine: Engine

    /// Opens a file, making it and its folder where they are missing.
    ///
    /// - Parameter file: its path, such as `data/fanfare.db`.
    /// - Throws: ``StoreError``, for a person: a broker that runs has the file's lock.
    public init(file: String) throws(StoreError) {
        let engine = try Engine(file: file)
        try asStoreError { () throws(SQLiteError) in try engine.begin.run() }
        self.engine = engine
    }

    deinit {
        if engine.database.isInTransaction { try? engine.rollback.run() }
        engine.finish(isComplete: true)
    }

    /// Reads a channel without its keys; a fresh image for one that is not there.
    public func read(_ channel: String) throws(StoreError) -> ChannelImage {
        let engine = engine
        return try asStoreError { () throws(SQLiteError) in try engine.tables.reader.read(channel, keysSince: .max) }
    }

    /// Writes records that a channel's ledger gave, and its counter.
    public func write(_ channel: String, seq: UInt64, _ records: [Record]) throws(StoreError) {
        let engine = engine
        var batch = WriteBatch()
        batch.add(ChannelWrite(channel: channel, seq: seq, records: records))
        try asStoreError { () throws(SQLiteError) in try engine.tables.writer.write(batch) }
    }

    /// Makes all of it durable; without this nothing of it is.
    public func finish() throws(StoreError) {
        let engine = engine
        try asStoreError { () throws(SQLiteError) in try engine.commit.run() }
    }
}

@available(*, unavailable)
extension StoreMerge: Sendable {}
