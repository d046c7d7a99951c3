import Foundation

/// Reproducible randomness (SplitMix64); the seed is FANFARE_SEED or new, and printed.
struct Seeded: RandomNumberGenerator {
    let seed: UInt64
    private var state: UInt64

    init() {
        seed =
            ProcessInfo.processInfo.environment["FANFARE_SEED"].flatMap { UInt64($0) }
            ?? UInt64.random(in: .min ... .max)
        state = seed
        print("FANFARE_SEED=\(seed)")
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }
}

extension Seeded {
    /// One of some values.
    mutating func pick<Value>(_ values: [Value]) -> Value { values[Int.random(in: values.indices, using: &self)] }

    /// Some of the values, each at most once, in another order.
    mutating func some<Value>(of values: [Value]) -> ArraySlice<Value> {
        values.shuffled(using: &self).prefix(Int.random(in: 0...values.count, using: &self))
    }

    /// Whether something happens that happens once in so many times.
    mutating func once(in times: Int) -> Bool { Int.random(in: 0..<times, using: &self) == 0 }
}
