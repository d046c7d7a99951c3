/// Where one subscriber is.
struct Reader {
    enum Phase: UInt8 {
        /// No connection, or no subscription asked for yet.
        case away
        /// Asked for, not answered.
        case subscribing
        case subscribed
        /// The end is asked for, not answered.
        case unsubscribing
        /// Nothing may come.
        case unsubscribed
    }

    /// Whether it is slow on purpose, so that what it misses is no fault.
    var isSlow = false
    /// Whether it reads only so fast, so that what it has not come to yet is no fault either.
    var isThrottled = false
    /// Whether it asks for what it missed when it comes back.
    var resumes = false
    var phase = Phase.away
    /// Which of the channel's epochs the checker's seqs belong to.
    var epoch: UInt16 = 0
    /// Events up to this one come late because it was away.
    var replayedThrough: UInt64 = 0
    /// When it lost its connection, to tell how long it took to be back; 0: it has not lost any.
    var leftAt: UInt64 = 0
    /// Mode `summary`: the seq of the newest summary, and the counts by message and reaction.
    var summarySeq: UInt64 = 0
    var counts: [UInt64] = []
    /// It was told to read on from a state of which it got but a page.
    var isInexact = false
    /// `nil` before the first `subscribed`, and after the end of a subscription that is not resumed.
    var checker: SequenceChecker?
}
