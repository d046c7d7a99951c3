import TestSupport

extension SeededGenerator {
    /// One of some values.
    mutating func pick<Value>(_ values: [Value]) -> Value { values[Int.random(in: values.indices, using: &self)] }

    /// Some of the values, each at most once, in another order.
    mutating func some<Value>(of values: [Value]) -> ArraySlice<Value> {
        values.shuffled(using: &self).prefix(Int.random(in: 0...values.count, using: &self))
    }

    /// Whether something happens that happens once in so many times.
    mutating func once(in times: Int) -> Bool { Int.random(in: 0..<times, using: &self) == 0 }
}
