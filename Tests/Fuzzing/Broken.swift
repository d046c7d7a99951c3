/// A rule that did not hold for an input: the fault that fuzzing looks for.
public struct Broken: Error, CustomStringConvertible {
    /// The rule, in words for a person.
    public let description: String

    init(_ rule: String) {
        description = rule
    }
}

/// Says that something must hold, whatever the input is.
func expect(_ holds: @autoclosure () -> Bool, _ rule: @autoclosure () -> String) throws(Broken) {
    guard holds() else { throw Broken(rule()) }
}

/// Says that two must be the same.
func expectSame<Value: Equatable>(_ one: Value, _ other: Value, _ rule: String) throws(Broken) {
    guard one == other else { throw Broken("\(rule): \(one) and \(other)") }
}
