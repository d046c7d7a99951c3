/// How far a ledger has come in a log, with what it takes to apply each batch once and at times that never go back.
///
/// Like the ledger it is a pure function of the log.
public struct LogProgress: Sendable, Equatable {
    /// A writer's newest batch.
    private struct Written: Sendable, Equatable {
        var number: UInt64
        var at: Int64
    }

    /// For how long a writer that writes nothing is remembered, in milliseconds; a batch is never sent again that late.
    private static let memory: Int64 = 15 * 60 * 1_000

    /// The place in the log of the newest batch that was applied; 0: none.
    public private(set) var position: UInt64 = 0
    /// How many batches were applied in all.
    public private(set) var count: UInt64 = 0
    /// The time of the newest operation, in Unix milliseconds.
    public private(set) var time: Int64 = .min
    private var writers: [UInt64: Written] = [:]
    /// What the batches come to that have changed anything, so that two ledgers can be compared.
    public private(set) var chain = LogChain()

    /// Begins before the first batch.
    public init() {}

    /// Goes on to a batch, which was logged as some bytes; `false` where it was applied before, or its writer has given it
    /// up.
    public mutating func advance(to batch: LogBatch, as bytes: [UInt8], at position: UInt64) -> Bool {
        skip(to: position)
        if let known = writers[batch.writer], batch.number <= known.number { return false }
        let at = max(time, batch.entries.last?.at ?? time)
        writers[batch.writer] = Written(number: batch.number, at: at)
        if writers.count > 4 {
            let (horizon, overflow) = at.subtractingReportingOverflow(Self.memory)
            if !overflow { writers = writers.filter { $0.value.at >= horizon } }
        }
        if !batch.entries.isEmpty { chain.append(bytes, at: position) }
        return true
    }

    /// Goes on past an entry, as if it were applied; `nil`: it is no batch.
    public mutating func pass(_ batch: LogBatch?, as bytes: [UInt8], at position: UInt64) {
        guard let batch else { return skip(to: position) }
        guard advance(to: batch, as: bytes, at: position) else { return }
        for entry in batch.entries { _ = time(of: entry) }
    }

    /// Goes on past something that is no batch.
    public mutating func skip(to position: UInt64) {
        self.position = position
        count &+= 1
    }

    /// The time at which an operation counts: its own, but never before the one ahead of it.
    public mutating func time(of entry: LogBatch.Entry) -> Int64 {
        time = max(time, entry.at)
        return time
    }

    /// How far it has come, and what all that comes to.
    public var mark: LogMark { LogMark(position: position, digest: chain.newest.digest) }

    /// Whether it had come to the same as another ledger where that one was; `nil`: it has not come there yet, or that is too
    /// long ago.
    public func agrees(with mark: LogMark) -> Bool? {
        guard mark.position <= position else { return nil }
        return chain.digest(at: mark.position).map { $0 == mark.digest }
    }

    /// Its own mark at the place of another one, where that one's ledger was made from other batches; else `nil`.
    public func contradiction(of mark: LogMark) -> LogMark? {
        guard agrees(with: mark) == false, let own = chain.digest(at: mark.position) else { return nil }
        return LogMark(position: mark.position, digest: own)
    }

    /// Whether a writer's batch, or a later one of its, was applied.
    public func hasApplied(_ number: UInt64, of writer: UInt64) -> Bool {
        newestNumber(of: writer).map { number <= $0 } ?? false
    }

    /// The number of the newest batch of a writer that was applied; `nil`: there is none, or that was long ago.
    public func newestNumber(of writer: UInt64) -> UInt64? { writers[writer]?.number }
}

extension LogProgress {
    /// Writes it; the newest mark of its chain comes last.
    package func append(to writer: inout ByteWriter) {
        writer.put(position)
        writer.put(count)
        writer.put(time)
        writer.put(list: writers.sorted { $0.key < $1.key }) { writer, written in
            writer.put(written.key)
            writer.put(written.value.number)
            writer.put(written.value.at)
        }
        chain.newest.append(to: &writer)
    }

    /// Reads what ``append(to:)`` writes; `nil` where it is none.
    package init?(_ reader: inout ByteReader) {
        guard let position = reader.number(), let count = reader.number(), let time = reader.signed(),
            let writers = reader.list({ reader -> (UInt64, Written)? in
                guard let id = reader.number(), let number = reader.number(), let at = reader.signed() else {
                    return nil
                }
                return (id, Written(number: number, at: at))
            }), let mark = LogMark(&reader)
        else { return nil }
        chain = LogChain(mark)
        self.position = position
        self.count = count
        self.time = time
        self.writers = Dictionary(writers) { $1 }
    }
}
