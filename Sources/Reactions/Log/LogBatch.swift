/// Operations on one channel as they stand in a log that several brokers share.
///
/// All that an outcome depends on is in it: who applies it, when and by which settings makes no difference.
public struct LogBatch: Sendable, Equatable {
    /// An operation and when it was asked for, in Unix milliseconds of the writer's clock.
    public struct Entry: Sendable, Equatable {
        /// The time, in Unix milliseconds.
        public var at: Int64
        /// What is asked for.
        public var operation: Operation

        /// Makes an entry.
        public init(at: Int64, _ operation: Operation) {
            self.at = at
            self.operation = operation
        }
    }

    /// Who wrote it: a number that no other writer has.
    public var writer: UInt64
    /// The writer's own number of it: higher with each batch that it writes for the channel.
    public var number: UInt64
    /// How far the writer had come when it wrote it.
    public var seen: LogMark
    /// The rules by which the operations are judged.
    public var rules: Rules
    /// The operations, in order; none, where a writer only wants to know that it can write.
    public var entries: [Entry]

    /// Makes a batch.
    public init(writer: UInt64, number: UInt64, seen: LogMark, rules: Rules, entries: [Entry]) {
        self.writer = writer
        self.number = number
        self.seen = seen
        self.rules = rules
        self.entries = entries
    }
}

extension LogBatch {
    /// The first byte.
    private static let version: UInt8 = 1

    /// The form in which it is logged.
    public var bytes: [UInt8] {
        var output = ByteWriter()
        output.bytes.reserveCapacity(64 + entries.count * 64)
        output.put(byte: Self.version)
        output.put(writer)
        output.put(number)
        seen.append(to: &output)
        rules.append(to: &output)
        output.put(list: entries) { output, entry in
            output.put(entry.at)
            entry.operation.append(to: &output)
        }
        return output.bytes
    }

    /// Whether bytes that are no batch may be one of a later version.
    public static func isOfLaterVersion(_ bytes: [UInt8]) -> Bool { bytes.first.map { $0 > version } ?? false }

    /// Reads the form that ``bytes`` writes; `nil` where it is none.
    public init?(bytes: [UInt8]) {
        var reader = ByteReader(bytes: bytes)
        guard reader.byte() == Self.version, let writer = reader.number(), let number = reader.number(),
            let seen = LogMark(&reader), let rules = Rules(&reader),
            let entries = reader.list({ reader -> Entry? in
                guard let at = reader.signed(), let operation = Operation(&reader) else { return nil }
                return Entry(at: at, operation)
            }), reader.isAtEnd
        else { return nil }
        self.init(writer: writer, number: number, seen: seen, rules: rules, entries: entries)
    }
}
