internal import Glibc

// @unchecked: `EventLoop` lets nobody at it but code on its own thread, or its owner while that thread does not run.
// @safe: the buffers live as long as the object, and are used by one read or write at a time.
/// The part of a loop that only its own thread touches.
@safe
final class LoopCore: @unchecked Sendable {
    /// How many bytes one read may bring.
    static let readBufferSize = 64 << 10
    /// How many runs of bytes one write may gather.
    static let vectorLength = 256
    /// How many bytes of plain text one TLS record holds.
    static let recordSize = 16 << 10
    /// How many jobs of actors one turn may run, so that sockets are not starved.
    static let jobsPerTurn = 4096

    var endActions: [() -> Void] = []
    /// Listeners that found no free descriptor.
    var starvedListeners: [Listener] = []
    var closing = ClosingLimits()
    var expired = ExpiredLimits()
    /// The thread is at its end, and nothing can be opened any more.
    var hasEnded = false

    // Not checked for accesses that overlap, as every turn and every delivery makes many: none lasts while anything else
    // is called.
    @exclusivity(unchecked) private var turning: Turning

    /// What every turn touches.
    private struct Turning: ~Copyable {
        var poller: Poller
        var timers: TimerWheel
        var local = Work()
        var time: MonotonicTime
        var number: UInt64 = 1
        var reading: [ByteStream] = []
        var drained: [ByteStream] = []
        var closed: [(stream: ByteStream, error: TransportError?)] = []
        var hasFreedDescriptor = false
        var turnEndActions: [() -> Void] = []
        var flushedActions: [(MonotonicTime, UnwrittenBytes) -> Void] = []
        var durations = LogHistogram(upTo: 11)
    }

    let readBuffer: UnsafeMutableRawBufferPointer
    let recordBuffer: UnsafeMutableRawBufferPointer
    let vector: UnsafeMutableBufferPointer<iovec>

    /// Streams to be written to.
    let writes: WriteTurns
    private var spareWork = Work()

    init() throws(TransportError) {
        let now = MonotonicTime.now
        unsafe turning = Turning(poller: try Poller(), timers: TimerWheel(origin: now), time: now)
        writes = WriteTurns(at: now)
        unsafe readBuffer = .allocate(byteCount: Self.readBufferSize, alignment: 16)
        unsafe readBuffer.initializeMemory(as: UInt8.self, repeating: 0)
        unsafe recordBuffer = .allocate(byteCount: Self.recordSize, alignment: 16)
        unsafe recordBuffer.initializeMemory(as: UInt8.self, repeating: 0)
        unsafe vector = .allocate(capacity: Self.vectorLength)
        unsafe vector.initialize(repeating: iovec())
    }

    deinit {
        unsafe readBuffer.deallocate()
        unsafe recordBuffer.deallocate()
        unsafe vector.deallocate()
    }

    // MARK: What every turn touches

    var poller: Poller {
        _read { yield unsafe turning.poller }
        _modify { yield unsafe &turning.poller }
    }

    var timers: TimerWheel {
        _read { yield unsafe turning.timers }
        _modify { yield unsafe &turning.timers }
    }

    /// What this thread has put before its own door.
    var local: Work {
        _read { yield unsafe turning.local }
        _modify { yield unsafe &turning.local }
    }

    /// The time at which this turn began.
    var now: MonotonicTime {
        get { unsafe turning.time }
        set { unsafe turning.time = newValue }
    }

    /// Tells turns apart.
    var turn: UInt64 { unsafe turning.number }

    /// Begins a turn.
    func beginTurn() {
        unsafe turning.time = .now
        unsafe turning.number &+= 1
    }

    /// Streams that TLS holds more bytes of than one event may deliver.
    var readingStreams: [ByteStream] {
        _read { yield unsafe turning.reading }
        _modify { yield unsafe &turning.reading }
    }

    /// Streams that have written everything, whose delegates wait to hear of it.
    var drainedStreams: [ByteStream] {
        _read { yield unsafe turning.drained }
        _modify { yield unsafe &turning.drained }
    }

    /// Streams that have closed in this turn, whose delegates are still to be told.
    var closedStreams: [(stream: ByteStream, error: TransportError?)] {
        _read { yield unsafe turning.closed }
        _modify { yield unsafe &turning.closed }
    }

    /// Whether a descriptor has become free in this turn.
    var hasFreedDescriptor: Bool {
        get { unsafe turning.hasFreedDescriptor }
        set { unsafe turning.hasFreedDescriptor = newValue }
    }

    /// What is called at the end of every turn that did something.
    var turnEndActions: [() -> Void] {
        _read { yield unsafe turning.turnEndActions }
        _modify { yield unsafe &turning.turnEndActions }
    }

    /// What is called after the writes of every turn that did something.
    var flushedActions: [(MonotonicTime, UnwrittenBytes) -> Void] {
        _read { yield unsafe turning.flushedActions }
        _modify { yield unsafe &turning.flushedActions }
    }

    /// How long turns took that did something, in nanoseconds, from 2 µs on.
    var turnDurations: LogHistogram {
        _read { yield unsafe turning.durations }
        _modify { yield unsafe &turning.durations }
    }

    // MARK: Turns

    /// Something waits that no event of the kernel will announce.
    var hasWork: Bool {
        !local.isEmpty || !closedStreams.isEmpty || !readingStreams.isEmpty || !drainedStreams.isEmpty
            || writes.hasWork(at: now)
    }

    /// How long the kernel may wait, in milliseconds; -1 for ever.
    var patience: CInt {
        var next = timers.nextTurn
        if let resumes = writes.resumesAt { next = min(next ?? resumes, resumes) }
        guard let next else { return -1 }
        guard next > now else { return 0 }
        // Rounded up: waking early would mean a turn for nothing.
        return CInt(clamping: (next.nanoseconds - now.nanoseconds + 999_999) / 1_000_000)
    }

    /// Handles the events that the last wait brought.
    func handleEvents(_ count: Int) {
        for index in 0..<count {
            guard let (source, events) = poller.event(index) else { continue }
            source.handle(events)
        }
    }

    /// Goes on with streams that had more to read than one event may deliver.
    func continueReading() {
        guard !readingStreams.isEmpty else { return }
        let streams = readingStreams
        readingStreams = []
        for stream in streams { stream.continueReading() }
    }

    /// Tells the delegates that wait for it that their streams have written everything.
    func tellDrained() {
        guard !drainedStreams.isEmpty else { return }
        let streams = drainedStreams
        drainedStreams = []
        for stream in streams where stream.flags.contains(.awaitsDrain) { stream.tellDrained() }
    }

    /// Delivers mailboxes, runs closures, then jobs of actors; what they add to mailboxes and closures waits for the
    /// next turn.
    func runWork(on loop: EventLoop) {
        guard !local.isEmpty else { return }
        swap(&spareWork.mailboxes, &local.mailboxes)
        for mailbox in spareWork.mailboxes { mailbox.deliver() }
        spareWork.mailboxes.removeAll(keepingCapacity: true)
        swap(&spareWork.closures, &local.closures)
        for closure in spareWork.closures { closure() }
        spareWork.closures.removeAll(keepingCapacity: true)
        unsafe runJobs(on: loop.asUnownedSerialExecutor())
    }

    private func runJobs(on executor: UnownedSerialExecutor) {
        guard !local.jobs.isEmpty else { return }
        var ran = 0
        while ran < local.jobs.count, ran < Self.jobsPerTurn {
            let job = local.jobs[ran]
            ran += 1
            unsafe job.runSynchronously(on: executor)
        }
        if ran == local.jobs.count {
            local.jobs.removeAll(keepingCapacity: true)
        } else {
            local.jobs.removeFirst(ran)
        }
    }

    /// Fires the timers that are due.
    ///
    /// - Returns: whether there was one.
    func fireTimers() -> Bool {
        var fired = false
        while let handler = timers.takeDue(at: now) {
            fired = true
            handler.timerFired(now)
        }
        return fired
    }

    /// Tells the delegates of streams that have closed; nothing here runs inside a call that a delegate made.
    func announceClosed() {
        guard !closedStreams.isEmpty else { return }
        let closed = closedStreams
        closedStreams = []
        for (stream, error) in closed { stream.announceClosed(error) }
    }

    /// Lets listeners that had found no descriptor try again, when one has become free.
    func feedListeners() {
        guard hasFreedDescriptor else { return }
        hasFreedDescriptor = false
        guard !starvedListeners.isEmpty else { return }
        let listeners = starvedListeners
        starvedListeners = []
        for listener in listeners { listener.resume() }
    }

    /// Calls the actions that belong at a turn's end.
    func endTurn() {
        for action in turnEndActions { action() }
    }

    /// Calls the actions that belong after a turn's writes, and counts the turn.
    func endFlushed() {
        let end = MonotonicTime.now
        for action in flushedActions { action(end, writes.unwritten) }
        turnDurations.record(from: now.nanoseconds, to: end)
    }

    /// Closes all that is registered, once the last turn is over.
    func close() {
        hasEnded = true
        writes.writeAll()
        for source in poller.sources { source.loopDidEnd() }
        announceClosed()
        for action in endActions { action() }
        endActions = []
        local = Work()
        turnEndActions = []
        flushedActions = []
        readingStreams = []
        drainedStreams = []
        starvedListeners = []
        timers = TimerWheel(origin: now)
    }
}
