import Reactions

/// Where an entry is kept within its message.
///
/// Strings are compared by canonical equivalence, which is byte equality here: users are ASCII and reactions canonical.
struct EntryPlace: Hashable {
    var reaction: Reaction
    var user: String
}

/// Where a used key is kept within its channel; both parts are ASCII.
struct KeyPlace: Hashable {
    var user: String
    var key: String
}

/// How long a used key is kept at least, in milliseconds of the records' own time.
let keyLifetime: Int64 = 10 * 60 * 1_000

/// How far a key may be ahead of one that was used after it, in milliseconds.
///
/// What is further was used by a clock that was wrong, and counts as used now. It would be kept for as long as that clock
/// was ahead, and so would what came after it.
let keyLead: Int64 = 60 * 60 * 1_000

/// Before which time keys may be forgotten, given the newest one's time; cannot overflow.
func keyHorizon(newest: Int64) -> Int64 {
    let (horizon, overflow) = newest.subtractingReportingOverflow(keyLifetime)
    return overflow ? .min : horizon
}
