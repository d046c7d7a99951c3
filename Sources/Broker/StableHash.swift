/// A hash that is the same on every machine and in every run, unlike `Hasher`'s: FNV-1a, 64 bits.
public struct StableHash: Sendable {
    /// The hash of all that was combined.
    public private(set) var value: UInt64 = 0xcbf2_9ce4_8422_2325

    /// Begins with nothing.
    public init() {}

    /// Takes in a text and its end.
    public mutating func combine(_ text: String) {
        for byte in text.utf8 { take(byte) }
        take(0)
    }

    /// Takes in a number.
    public mutating func combine(_ number: UInt64) {
        for shift in stride(from: UInt64(0), to: 64, by: 8) { take(UInt8(truncatingIfNeeded: number >> shift)) }
    }

    /// Takes in bytes.
    public mutating func combine(_ bytes: Span<UInt8>) {
        for index in bytes.indices { take(bytes[index]) }
    }

    private mutating func take(_ byte: UInt8) {
        value = (value ^ UInt64(byte)) &* 0x0000_0100_0000_01b3
    }
}
