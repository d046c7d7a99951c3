import Glibc

/// Reproducible randomness (SplitMix64; Steele, Lea and Flood 2014): the same seed gives the same numbers everywhere.
public struct SeededGenerator: RandomNumberGenerator, Sendable {
    /// What it began with.
    public let seed: UInt64
    private var state: UInt64

    /// Makes one with a seed that the test names when it fails.
    public init(seed: UInt64) {
        self.seed = seed
        state = seed
    }

    /// Makes one with the seed in `FANFARE_SEED`, or a new one, and prints it, so that a failing test can be run again.
    public init(for test: String = #function) {
        let given = unsafe getenv("FANFARE_SEED").flatMap { UInt64(unsafe String(cString: $0)) }
        self.init(seed: given ?? .random(in: .min ... .max))
        print("\(test): FANFARE_SEED=\(seed)")
    }

    /// The next number, any of 64 bits.
    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }
}
