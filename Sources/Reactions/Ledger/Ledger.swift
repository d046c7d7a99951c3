/// One channel's reactions: a pure value, with every rule about them.
///
/// No clock, no I/O, no randomness: the same operations in the same order give the same ledger anywhere.
///
/// An operation is first judged, which changes nothing, and then committed; ``apply(_:rules:at:)`` does both.
public struct Ledger: Sendable {
    /// The channel's counter: 0 when fresh, one more with each change.
    public internal(set) var seq: UInt64 = 0
    /// Whether the channel is frozen.
    public internal(set) var isFrozen = false
    var tally = Tally()
    var keys = UsedKeys()

    /// Does what an operation asks for.
    ///
    /// - Parameters:
    ///   - operation: what is asked for, by whom.
    ///   - rules: the namespace's.
    ///   - time: the time, in Unix milliseconds.
    /// - Returns: the answer, and what changed.
    /// - Throws: the first ``Refusal`` in the order of PROTOCOL.md section 8; then nothing has changed.
    public mutating func apply(
        _ operation: Operation, rules: Rules, at time: Int64
    ) throws(Refusal) -> Outcome {
        commit(try judge(operation, rules: rules, at: time))
    }

    /// Forgets the keys that were used before a time, in Unix milliseconds.
    ///
    /// Only memory is at stake: a key that was used more than ten minutes ago counts as unused anyway.
    public mutating func forgetKeys(before time: Int64) {
        keys.forget(before: time)
    }

    /// Gives back memory of what a moderator cleared, as each operation does a little: at most so many entries' worth.
    public mutating func reclaim(_ entries: Int) {
        tally.reclaim(entries)
    }
}
