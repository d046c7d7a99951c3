/// What a loop has not written yet at the end of a turn.
public enum UnwrittenBytes: Sendable {
    case none
    /// What was sent by broadcasts to very many, and nothing else.
    case ofBroadcasts
    case any
}

/// Which streams of a loop are to be written to, and when it is their turn.
///
/// What is for one stream, or for a few, is written at the end of the turn, all of it: where a loop is at its limit, much
/// is read at once then. What is told to very many at a time, by a broadcast, takes several turns, between which others
/// are served and answered. When either has been written to many streams, the loop rests from doing so again for as long
/// as it took: what comes meanwhile is joined, and leaves in one write for each stream. A loop that is not at its limit
/// hardly waits for that, and where few streams wait, they never do.
final class WriteTurns {
    /// From how many streams on there is a rest before as many are written to again.
    static let many = 64
    /// From how many streams on a broadcast is written in parts.
    static let veryMany = 256
    /// How many of the very many one turn of the loop writes to: about 2 ms.
    static let perTurn = 256
    /// How long a rest may be.
    static let longestRest = Duration.milliseconds(20)

    // Not checked for accesses that overlap, as every delivery makes one: none lasts while anything else is called.
    @exclusivity(unchecked) private var state: State

    private struct State: ~Copyable {
        var isBroadcasting = false
        /// Streams that are written to at the end of this turn, or where they are many, of the rest.
        var dirty: [ByteStream] = []
        var dirtyRestUntil: MonotonicTime
        /// Streams of broadcasts, which wait for the end of their rest, or for those that are being written to.
        var gathered: [ByteStream] = []
        var gatheredRestUntil: MonotonicTime
        /// The very many that are being written to, how far that is, and for how long.
        var present: [ByteStream] = []
        var nextPresent = 0
        var timeWriting = Duration.zero
        var spare: [ByteStream] = []
    }

    init(at now: MonotonicTime) { unsafe state = State(dirtyRestUntil: now, gatheredRestUntil: now) }

    /// Whether what is sent now is for very many.
    var isBroadcasting: Bool {
        get { unsafe state.isBroadcasting }
        set { unsafe state.isBroadcasting = newValue }
    }

    /// Has a stream written to at the end of the turn; once for all that is queued until it is.
    func add(_ stream: ByteStream) { unsafe state.dirty.append(stream) }

    /// Has a stream written to when it is its turn among very many.
    func add(oneOfMany stream: ByteStream) { unsafe state.gathered.append(stream) }

    /// Whether there is something to write in a turn at a time.
    func hasWork(at now: MonotonicTime) -> Bool {
        unsafe isDirtyDue(at: now) || !state.present.isEmpty || isGatheredDue(at: now)
    }

    private func isDirtyDue(at now: MonotonicTime) -> Bool {
        unsafe !state.dirty.isEmpty && (state.dirty.count < Self.many || now >= state.dirtyRestUntil)
    }

    private func isGatheredDue(at now: MonotonicTime) -> Bool {
        unsafe !state.gathered.isEmpty && state.present.isEmpty && now >= state.gatheredRestUntil
    }

    /// Until when nothing is to be written; `nil` where nothing waits for that.
    var resumesAt: MonotonicTime? {
        let dirty = unsafe state.dirty.isEmpty ? nil : state.dirtyRestUntil
        let gathered = unsafe state.gathered.isEmpty ? nil : state.gatheredRestUntil
        guard let dirty, let gathered else { return dirty ?? gathered }
        return min(dirty, gathered)
    }

    /// What is not written yet.
    var unwritten: UnwrittenBytes {
        guard unsafe state.dirty.isEmpty else { return .any }
        return unsafe state.present.isEmpty && state.gathered.isEmpty ? .none : .ofBroadcasts
    }

    /// Writes what is due at the end of a turn that began at a time.
    func write(at now: MonotonicTime) {
        if isDirtyDue(at: now) { writeDirty() }
        if isGatheredDue(at: now) {
            unsafe swap(&state.present, &state.gathered)
            unsafe state.timeWriting = .zero
        }
        if unsafe !state.present.isEmpty { writePresent() }
    }

    /// Writes whatever waits, at the loop's end, and lets go of all.
    func writeAll() {
        let waiting = unsafe state.dirty + state.present[state.nextPresent...] + state.gathered
        let now = unsafe state.dirtyRestUntil
        unsafe state = State(dirtyRestUntil: now, gatheredRestUntil: now)
        for stream in waiting { stream.flush(.isDirty) }
    }

    private func writeDirty() {
        // Out of reach while streams are written to, which may add others.
        var streams: [ByteStream] = []
        unsafe swap(&streams, &state.spare)
        unsafe swap(&streams, &state.dirty)
        if streams.count < Self.many {
            for stream in streams { stream.flush(.isDirty) }
        } else {
            let start = MonotonicTime.now
            for stream in streams { stream.flush(.isDirty) }
            unsafe state.dirtyRestUntil = endOfRest(after: .now - start)
        }
        streams.removeAll(keepingCapacity: true)
        unsafe swap(&streams, &state.spare)
    }

    private func writePresent() {
        let start = MonotonicTime.now
        let end = unsafe min(state.nextPresent + Self.perTurn, state.present.count)
        while unsafe state.nextPresent < end {
            let stream = unsafe state.present[state.nextPresent]
            unsafe state.nextPresent += 1
            stream.flush(.isOneOfMany)
        }
        unsafe state.timeWriting += .now - start
        guard unsafe end == state.present.count else { return }
        unsafe state.gatheredRestUntil = endOfRest(after: state.timeWriting)
        unsafe state.present.removeAll(keepingCapacity: true)
        unsafe state.nextPresent = 0
    }

    /// Until when there is a rest from now on, after so much time of writing.
    private func endOfRest(after timeWriting: Duration) -> MonotonicTime {
        .now + min(timeWriting, Self.longestRest)
    }
}
