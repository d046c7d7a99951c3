/// What a ledger came to by all batches up to a place in its log, in one number.
public struct LogMark: Sendable, Hashable {
    /// Where the last of them stands; 0: there is none.
    public var position: UInt64
    /// What they come to: other batches come to another number.
    public var digest: UInt64

    /// Makes a mark.
    public init(position: UInt64, digest: UInt64) {
        self.position = position
        self.digest = digest
    }
}

/// The newest marks of a ledger, by which two of them find out that they were made from different logs.
///
/// A cluster of log servers that has lost something may tell one broker another batch at a place than the next.
public struct LogChain: Sendable, Equatable {
    /// How many are kept: whoever is further behind is not compared.
    private static let most = 16

    private var marks: [LogMark]

    /// Goes on from a mark.
    init(_ first: LogMark = LogMark(position: 0, digest: 0)) {
        marks = [first]
    }

    /// The newest one.
    public var newest: LogMark { marks.last ?? LogMark(position: 0, digest: 0) }

    /// Notes a batch that was applied.
    mutating func append(_ bytes: [UInt8], at position: UInt64) {
        let digest = Self.digest(bytes, after: newest.digest)
        if marks.count == Self.most { marks.removeFirst() }
        marks.append(LogMark(position: position, digest: digest))
    }

    /// What all batches up to a place come to, where that is not too long ago; else `nil`.
    func digest(at position: UInt64) -> UInt64? {
        marks.last { $0.position <= position }?.digest
    }

    /// Its own mark at a place from which it has applied another batch than what stands there; else `nil`.
    public func contradiction(of bytes: [UInt8], at position: UInt64) -> LogMark? {
        guard let index = marks.lastIndex(where: { $0.position == position }), index > 0 else { return nil }
        return Self.digest(bytes, after: marks[index - 1].digest) == marks[index].digest ? nil : marks[index]
    }

    /// Eight bytes at a time, by the multiplier and the shift of SplitMix64; the same on all machines.
    private static func digest(_ bytes: [UInt8], after last: UInt64) -> UInt64 {
        var digest = mix(last ^ UInt64(bytes.count))
        var word: UInt64 = 0
        var count = 0
        for byte in bytes {
            word = word << 8 | UInt64(byte)
            count += 1
            guard count == 8 else { continue }
            digest = mix(digest ^ word)
            (word, count) = (0, 0)
        }
        return mix(digest ^ word)
    }

    private static func mix(_ number: UInt64) -> UInt64 {
        let product = (number &+ 0x9E37_79B9_7F4A_7C15) &* 0xBF58_476D_1CE4_E5B9
        return product ^ product >> 29
    }
}

extension LogMark {
    /// Its form: two numbers.
    package func append(to writer: inout ByteWriter) {
        writer.put(position)
        writer.put(digest)
    }

    /// Reads what ``append(to:)`` writes; `nil` where it is none.
    package init?(_ reader: inout ByteReader) {
        guard let position = reader.number(), let digest = reader.number() else { return nil }
        self.init(position: position, digest: digest)
    }
}
