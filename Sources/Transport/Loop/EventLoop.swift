internal import CLinux
internal import Glibc
internal import Synchronization

/// One thread with one epoll set, which is also the serial executor of the actors that live on it.
///
/// An actor is pinned to a loop by returning `loop.asUnownedSerialExecutor()` as its `unownedExecutor`; it must hold
/// the loop strongly. Streams, listeners and timers belong to one loop and are touched only on its thread, or before
/// `start()`.
///
/// A turn: the kernel's events; mailboxes, closures and jobs of actors; timers that are due; closings; the actions of
/// `atTurnEnd(_:)`; then one write for each stream that has something to say, or for some of very many that are told the
/// same.
public final class EventLoop: SerialExecutor {
    /// The name of the loop and, cut at 15 bytes, of its thread.
    public let name: String
    let core: LoopCore
    private let inbox = Locked(Inbox())
    private let wakeUp: FileDescriptor
    /// The thread's id while it runs, else 0: a thread that compares it with its own id cannot be fooled by a change.
    private let runningThread = Atomic<pthread_t>(0)
    private let life = Locked(Life.notStarted)

    private enum Life {
        case notStarted
        case running(pthread_t)
        case ended
    }

    /// Makes a loop that does not run yet, and has the process ignore SIGPIPE.
    ///
    /// - Throws: `TransportError.system` when there is no descriptor or memory left.
    public init(name: String) throws(TransportError) {
        ignoreBrokenPipes()
        self.name = name
        core = try LoopCore()
        wakeUp = try FileDescriptor(eventfd(0, CInt(EFD_CLOEXEC) | CInt(EFD_NONBLOCK)), from: "eventfd")
        // Edge-triggered: every write is one event, and nobody ever has to read the counter.
        try core.poller.addSilently(wakeUp.number, [.readable, .edgeTriggered])
    }

    // MARK: The thread

    /// Starts the loop's thread; once only.
    public func start() {
        life.withLock { life in
            guard case .notStarted = life else { preconditionFailure("the loop was started before") }
            var thread = pthread_t()
            let result = unsafe pthread_create(
                &thread, nil,
                { argument in
                    guard let argument = unsafe argument else { return nil }
                    // Balanced by `passRetained` below.
                    unsafe Unmanaged<EventLoop>.fromOpaque(argument).takeRetainedValue().run()
                    return nil
                }, Unmanaged.passRetained(self).toOpaque())
            precondition(result == 0, "no thread could be started")
            life = .running(thread)
        }
    }

    /// Ends the loop: what was handed to it before is done, all streams and listeners close, and the thread is joined.
    ///
    /// From another thread only; a second call does nothing. Jobs, closures and values that come later are dropped.
    public func stop() {
        precondition(!isCurrent, "a loop cannot wait for its own end")
        let before = life.withLock { life in
            defer { life = .ended }
            return life
        }
        switch before {
        case .notStarted: core.close()
        case .running(let thread): end(thread)
        case .ended: break
        }
    }

    private func end(_ thread: pthread_t) {
        let mustWake = inbox.withLock { inbox in
            inbox.isStopping = true
            defer { inbox.isLoopAsleep = false }
            return inbox.isLoopAsleep
        }
        if mustWake { wake() }
        pthread_join(thread, nil)
    }

    /// Whether the caller runs on the loop's thread.
    public var isCurrent: Bool { runningThread.load(ordering: .relaxed) == pthread_self() }

    /// Stops the program unless the caller runs on the loop's thread, or that thread does not run.
    public func preconditionCurrent() {
        let thread = runningThread.load(ordering: .relaxed)
        precondition(thread == 0 || thread == pthread_self(), "not on the loop's thread")
    }

    private func run() {
        runningThread.store(pthread_self(), ordering: .relaxed)
        unsafe name.withCString { unsafe clinux_name_thread($0) }
        while turn() {}
        core.close()
        runningThread.store(0, ordering: .relaxed)
    }

    /// - Returns: whether another turn shall follow.
    private func turn() -> Bool {
        let mayWait = inbox.withLock { inbox in
            inbox.isLoopAsleep = !core.hasWork && inbox.work.isEmpty && !inbox.isStopping
            return inbox.isLoopAsleep
        }
        let count = core.poller.wait(milliseconds: mayWait ? core.patience : 0)
        core.beginTurn()
        let isLast = inbox.withLock { inbox in
            inbox.isLoopAsleep = false
            core.local.take(&inbox.work)
            return inbox.isStopping
        }
        let hasWork = count > 0 || core.hasWork
        core.continueReading()
        core.tellDrained()
        core.handleEvents(count)
        core.runWork(on: self)
        if core.fireTimers() || hasWork {
            core.announceClosed()
            core.feedListeners()
            core.endTurn()
            core.writes.write(at: core.now)
            core.endFlushed()
        }
        return !isLast
    }

    private func wake() {
        _ = eventfd_write(wakeUp.number, 1)
    }

    // MARK: Work from anywhere

    /// Runs the closure on the loop, in the next turn or in this one; from any thread.
    ///
    /// For control, not for every message: values travel by `Mailbox`.
    public func execute(_ work: @escaping @Sendable () -> Void) {
        put { $0.closures.append(work) }
    }

    /// Takes a job of an actor that is pinned to this loop; the Swift runtime calls it.
    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        put { $0.jobs.append(job) }
    }

    /// Has the loop look into a mailbox that was empty.
    @usableFromInline
    func enlist(_ mailbox: any MailboxDelivery) {
        put { $0.mailboxes.append(mailbox) }
    }

    private func put(_ change: (inout Work) -> Void) {
        if isCurrent { return change(&core.local) }
        let mustWake = inbox.withLock { inbox in
            // The last turn is under way or over: what would never run is not kept either.
            guard !inbox.isStopping else { return false }
            change(&inbox.work)
            defer { inbox.isLoopAsleep = false }
            return inbox.isLoopAsleep
        }
        if mustWake { wake() }
    }

    /// The loop as what runs an actor's jobs.
    public func asUnownedSerialExecutor() -> UnownedSerialExecutor {
        unsafe UnownedSerialExecutor(ordinary: self)
    }

    /// Whether the caller is where the loop's actors are isolated, which is its thread (SE-0471).
    public func isIsolatingCurrentContext() -> Bool? { isCurrent }

    // MARK: On the loop only

    /// Sees to it that the turn's time is right also before the first turn; on the loop only.
    func prepareClock() {
        preconditionCurrent()
        if runningThread.load(ordering: .relaxed) == 0 { core.now = .now }
    }

    /// The time at which this turn began; on the loop only.
    public var now: MonotonicTime {
        prepareClock()
        return core.now
    }

    /// How long streams of this loop may take to close, from the next phase of each on; on the loop only.
    public var closing: ClosingLimits {
        get {
            preconditionCurrent()
            return core.closing
        }
        set {
            preconditionCurrent()
            core.closing = newValue
        }
    }

    /// How often streams of this loop were given up at a limit in time; on the loop only.
    public var expired: ExpiredLimits {
        preconditionCurrent()
        return core.expired
    }

    /// Calls the handler in the first turn in which the duration has passed, at most about 4 ms late; on the loop only.
    ///
    /// The loop holds the handler until then. Scheduling and cancelling take constant time.
    @discardableResult
    public func schedule(_ handler: any TimerHandler, after delay: Duration) -> TimerToken {
        prepareClock()
        return core.timers.schedule(handler, at: core.now + delay)
    }

    /// Calls the handler in the first turn that begins at a point in time or behind it, as `schedule(_:after:)` does.
    @discardableResult
    public func schedule(_ handler: any TimerHandler, at time: MonotonicTime) -> TimerToken {
        prepareClock()
        return core.timers.schedule(handler, at: time)
    }

    /// Cancels a timer; one that has fired or was cancelled before is ignored; on the loop only.
    public func cancel(_ token: TimerToken) {
        preconditionCurrent()
        core.timers.cancel(token)
    }

    /// Calls the action at the end of every turn that did something, before streams are written to; on the loop only.
    ///
    /// What it sends still goes out in the same turn. It is called as long as the loop runs.
    public func atTurnEnd(_ action: @escaping () -> Void) {
        preconditionCurrent()
        core.turnEndActions.append(action)
    }

    /// Calls the action at the end of every turn that did something, after streams were written to, with the time, and
    /// what is still to be written; on the loop only.
    ///
    /// What it sends goes out in the next turn. It is called as long as the loop runs.
    public func afterWrites(_ action: @escaping (_ now: MonotonicTime, _ left: UnwrittenBytes) -> Void) {
        preconditionCurrent()
        core.flushedActions.append(action)
    }

    /// Sends the same to so many streams of this loop; on the loop only.
    ///
    /// Where they are very many, they are written to in parts, one a turn, so that others need not wait for all of them.
    public func broadcast(to count: Int, _ send: () -> Void) {
        preconditionCurrent()
        core.writes.isBroadcasting = count >= WriteTurns.veryMany
        send()
        core.writes.isBroadcasting = false
    }

    /// Calls the action once, when the loop has ended and its streams have closed, on its thread; on the loop only.
    public func atEnd(_ action: @escaping () -> Void) {
        preconditionCurrent()
        core.endActions.append(action)
    }

    /// How long the turns took that did something, from the end of the wait to the last write, in nanoseconds; on the
    /// loop only.
    public var turnDurations: LogHistogram {
        preconditionCurrent()
        return core.turnDurations
    }
}
