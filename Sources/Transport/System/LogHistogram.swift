/// How often values fell into ranges whose bounds are powers of two.
///
/// To record a value takes a shift and two additions, and no memory is ever allocated, so it may stand on any path.
public struct LogHistogram: Sendable, Equatable {
    /// How many ranges there are; the last one has no upper bound.
    public static let count = 24

    /// The binary logarithm of the lowest range's upper bound.
    private let first: Int
    private var counts = InlineArray<24, UInt64>(repeating: 0)
    /// The sum of all values; it wraps around at 2^64.
    public private(set) var sum: UInt64 = 0

    /// Makes an empty histogram.
    ///
    /// - Parameter exponent: the lowest range is for values up to 2 to the power of this, 0 to 40.
    public init(upTo exponent: Int) {
        first = min(max(exponent, 0), 40)
    }

    /// Counts a value, `times` over.
    public mutating func record(_ value: UInt64, times: UInt64 = 1) {
        // The least exponent whose power is not below the value.
        let exponent = value <= 1 ? 0 : UInt64.bitWidth - (value - 1).leadingZeroBitCount
        counts[min(max(exponent - first, 0), Self.count - 1)] &+= times
        sum &+= value &* times
    }

    /// Counts the time from one point to a later one, in nanoseconds.
    public mutating func record(from begin: UInt64, to end: MonotonicTime, times: UInt64 = 1) {
        record(end.nanoseconds > begin ? end.nanoseconds - begin : 0, times: times)
    }

    /// How many values fell into a range, by its index from 0 to ``count`` - 1.
    public subscript(range: Int) -> UInt64 { counts[range] }

    /// The largest value of a range; `nil` for the last one, which has none.
    public func upperBound(of range: Int) -> UInt64? {
        range < Self.count - 1 ? 1 << UInt64(first + range) : nil
    }

    /// Adds what another with the same ranges has counted.
    public static func += (histogram: inout LogHistogram, more: LogHistogram) {
        for range in 0..<count { histogram.counts[range] &+= more.counts[range] }
        histogram.sum &+= more.sum
    }

    /// Whether both have the same ranges and counts.
    public static func == (one: LogHistogram, other: LogHistogram) -> Bool {
        one.first == other.first && one.sum == other.sum
            && (0..<count).allSatisfy { one.counts[$0] == other.counts[$0] }
    }
}
