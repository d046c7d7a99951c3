/// Which streams of a loop are to be written to, and when it is their turn.
///
/// Where they are many, it takes several turns of the loop, between which others are served; who waits for an answer, and
/// a few streams, do not wait for them. The loop then rests from writing to many for as long as it took: what comes
/// meanwhile is joined, and leaves in one write for each stream. A loop that is not at its limit is never kept waiting by
/// that. At its limit, when many are waiting again whenever the many have been written to, a part may be larger: what is
/// read and worked at in larger parts costs less, as long as nobody waits for an answer much longer for that.
final class WriteTurns {
    /// From how many streams on they are written to in parts, and with a rest between two times.
    static let many = 64
    /// How many of the many one turn of the loop writes to: about 2 ms.
    static let perTurn = 256
    /// How long a loop at its limit goes on with a part: as long as an answer may well wait on the way of many.
    static let longestPartAtLimit = Duration.milliseconds(4)
    /// How long the rest may be.
    static let longestRest = Duration.milliseconds(5)

    // Not checked for accesses that overlap, as every delivery makes one: none lasts while anything else is called.
    @exclusivity(unchecked) private var dirty: [ByteStream] = []
    @exclusivity(unchecked) private var answered: [ByteStream] = []
    /// Streams that wait for the end of the rest, or for those that are being written to.
    private var gathered: [ByteStream] = []
    /// The many that are being written to, and how far that is.
    private var present: [ByteStream] = []
    private var nextPresent = 0
    /// Many were waiting already when the last many had been written to.
    private var isAtLimit = false
    private var timeWriting = Duration.zero
    private var restsUntil: MonotonicTime
    private var spare: [ByteStream] = []

    init(at now: MonotonicTime) { restsUntil = now }

    /// Has a stream written to; once for all that is queued until it is.
    func add(_ stream: ByteStream) { unsafe dirty.append(stream) }

    /// Has a stream written to whose peer has asked something since it last was: what is queued may be the answer.
    func add(answered stream: ByteStream) { unsafe answered.append(stream) }

    /// Whether there is something to write in a turn at a time.
    func hasWork(at now: MonotonicTime) -> Bool {
        if unsafe !dirty.isEmpty || !present.isEmpty { return true }
        return isWaiting && now >= restsUntil
    }

    /// Until when nothing is to be written; `nil` where nothing waits for that.
    var resumesAt: MonotonicTime? { isWaiting ? restsUntil : nil }

    /// Whether all is written.
    var isEmpty: Bool { unsafe dirty.isEmpty && present.isEmpty && !isWaiting }

    private var isWaiting: Bool { unsafe !gathered.isEmpty || !answered.isEmpty }

    /// Writes what is due at the end of a turn that began at a time.
    func write(at now: MonotonicTime) {
        let isResting = now < restsUntil
        if unsafe !answered.isEmpty && (answered.count < Self.many || !isResting) { writeAnswers() }
        if unsafe dirty.count < Self.many && (gathered.isEmpty || !present.isEmpty) {
            unsafe swap(&spare, &dirty)
            writeSpare()
        } else {
            unsafe gathered.append(contentsOf: dirty)
            unsafe dirty.removeAll(keepingCapacity: true)
        }
        if present.isEmpty, !gathered.isEmpty, !isResting {
            swap(&present, &gathered)
            timeWriting = .zero
        }
        if !present.isEmpty { writePresent() }
    }

    /// Writes whatever waits, at the loop's end, and lets go of all.
    func writeAll() {
        let waiting = unsafe answered + dirty + present[nextPresent...] + gathered
        unsafe answered = []
        unsafe dirty = []
        present = []
        nextPresent = 0
        gathered = []
        for stream in waiting { stream.flush() }
    }

    private func writeAnswers() {
        unsafe swap(&spare, &answered)
        guard spare.count >= Self.many else { return writeSpare() }
        let start = MonotonicTime.now
        writeSpare()
        rest(.now - start)
    }

    private func writeSpare() {
        for stream in spare { stream.flush() }
        spare.removeAll(keepingCapacity: true)
    }

    private func writePresent() {
        let start = MonotonicTime.now
        writePresent(atMost: Self.perTurn)
        while isAtLimit, nextPresent < present.count, .now - start < Self.longestPartAtLimit {
            writePresent(atMost: Self.many)
        }
        timeWriting += .now - start
        guard nextPresent == present.count else { return }
        rest(timeWriting)
        isAtLimit = !gathered.isEmpty
        present.removeAll(keepingCapacity: true)
        nextPresent = 0
    }

    private func writePresent(atMost count: Int) {
        let end = min(nextPresent + count, present.count)
        while nextPresent < end {
            present[nextPresent].flush()
            nextPresent += 1
        }
    }

    /// Rests from now on, as long as it has taken.
    private func rest(_ length: Duration) {
        restsUntil = .now + min(length, Self.longestRest)
    }
}
