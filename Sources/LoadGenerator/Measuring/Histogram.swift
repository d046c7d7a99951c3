private import Glibc

/// Counts of values from 0 to 60,000,000 (microseconds: one minute), each kept to 3 significant digits.
///
/// The layout is Gil Tene's HdrHistogram: values below 2,048 have a counter each; every further power of two has 1,024,
/// so a counter is never wider than a thousandth of the values that it counts. Recording costs two shifts and one
/// addition, and two histograms of the same kind merge by adding.
struct Histogram: Sendable, Equatable {
    /// The largest value that has a counter; larger ones are counted there.
    static let limit: UInt64 = 60_000_000

    private static let halfBits: UInt64 = 10
    private static let half: UInt64 = 1 << halfBits

    private var counts = [UInt64](repeating: 0, count: Histogram.index(of: Histogram.limit) + 1)
    /// How many values were recorded.
    private(set) var count: UInt64 = 0
    /// The largest value recorded, exactly, also past the limit; 0 where there is none.
    private(set) var max: UInt64 = 0

    /// Records a value.
    mutating func record(_ value: UInt64) {
        counts[Histogram.index(of: min(value, Histogram.limit))] &+= 1
        count &+= 1
        if value > max { max = value }
    }

    /// The counters that are not 0.
    var filled: [(index: Int, count: UInt64)] {
        counts.indices.compactMap { counts[$0] > 0 ? ($0, counts[$0]) : nil }
    }

    /// Adds to one counter.
    ///
    /// - Returns: Whether there is such a counter.
    mutating func add(_ number: UInt64, at index: Int) -> Bool {
        guard counts.indices.contains(index) else { return false }
        counts[index] &+= number
        count &+= number
        return true
    }

    /// Takes in that a value was recorded as large as this.
    mutating func raise(max value: UInt64) {
        max = Swift.max(max, value)
    }

    /// Adds all that another histogram has counted.
    mutating func merge(_ other: Histogram) {
        guard other.count > 0 else { return }
        for index in counts.indices { counts[index] &+= other.counts[index] }
        count &+= other.count
        max = Swift.max(max, other.max)
    }

    /// Forgets everything.
    mutating func reset() {
        guard count > 0 else { return }
        for index in counts.indices { counts[index] = 0 }
        count = 0
        max = 0
    }

    /// The least value that at least this share of all recorded values does not exceed.
    ///
    /// At most a thousandth too high, never too low, and never above ``max``; values past the limit count as the limit.
    ///
    /// - Parameter share: From 0 to 1; 0.99 is the 99th percentile.
    /// - Returns: The value, or `nil` where nothing was recorded.
    func value(at share: Double) -> UInt64? {
        guard count > 0 else { return nil }
        // A product that rounding left just above a whole number would ask for one value too many.
        let wanted = (Double(count) * share * (1 - 1e-12)).rounded(.up)
        let rank = Swift.max(1, Swift.min(count, UInt64(Swift.max(0, wanted))))
        var seen: UInt64 = 0
        for index in counts.indices {
            seen += counts[index]
            if seen >= rank { return Swift.min(Histogram.highest(at: index), max) }
        }
        return max
    }

    /// How many values lie between steps that grow by the same factor, from the least to the largest recorded.
    ///
    /// - Parameter perDecade: How many steps a factor of ten has.
    /// - Returns: The steps; the values between `from` (not included) and `to`.
    func bars(perDecade: Int) -> [(from: UInt64, to: UInt64, count: UInt64)] {
        var bars: [(from: UInt64, to: UInt64, count: UInt64)] = []
        let factor = pow(10, 1 / Double(Swift.max(1, perDecade)))
        var edge = 1.0
        var from: UInt64 = 0
        var sum: UInt64 = 0
        for index in counts.indices {
            let highest = Histogram.highest(at: index)
            while Double(highest) > edge {
                if UInt64(edge) > from {
                    bars.append((from, UInt64(edge), sum))
                    from = UInt64(edge)
                    sum = 0
                }
                edge *= factor
            }
            sum += counts[index]
        }
        bars.append((from, Swift.max(Histogram.limit, from + 1), sum))
        let filled = bars.indices.filter { bars[$0].count > 0 }
        guard let first = filled.first, let last = filled.last else { return [] }
        return Array(bars[first...last])
    }

    private static func index(of value: UInt64) -> Int {
        let bucket = 63 - halfBits - UInt64((value | (2 * half - 1)).leadingZeroBitCount)
        return Int(bucket << halfBits + value >> bucket)
    }

    /// The highest value that is counted at an index.
    private static func highest(at index: Int) -> UInt64 {
        let index = UInt64(index)
        guard index >= 2 * half else { return index }
        let bucket = index >> halfBits - 1
        return (index - bucket << halfBits + 1) << bucket - 1
    }
}
