private import Glibc

/// Picks one of several things, the first most often: the n-th with a weight of 1 / n^exponent (Zipf's law).
struct Zipf: Sendable {
    /// By index: the share of all picks that fall on it or one before.
    private let shares: [Double]

    /// Makes a law.
    ///
    /// - Parameters:
    ///   - count: How many things there are, at least 1.
    ///   - exponent: 0 makes all equally likely; about 1 is what people do.
    init(count: Int, exponent: Double) {
        var sum = 0.0
        let sums = (1...max(1, count)).map { rank in
            sum += pow(Double(rank), -exponent)
            return sum
        }
        shares = sums.map { $0 / sum }
    }

    /// The index of one of them.
    func pick(using generator: inout SeededGenerator) -> Int {
        let wanted = Double.random(in: 0..<1, using: &generator)
        var low = 0
        var high = shares.count - 1
        while low < high {
            let middle = (low + high) / 2
            if shares[middle] > wanted { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
