import Synchronization
public import Transport

/// Whether changes may be expected to be taken and told, and channels to be read, as the hubs saw it last.
public final class StoreHealth: Sendable {
    /// How long a refusal counts where nothing was tried since: that is how others come back to find out.
    static let memory = Duration.seconds(10)

    /// What is wrong with a part of the shared log.
    private struct Trouble {
        var words: String
        var at: MonotonicTime
    }

    /// When the store refused last, in nanoseconds of the loops' clock; 0 where it took something since.
    private let refusedAt = Atomic<UInt64>(0)

    /// The reads that failed, by the part of what keeps the channels, and whether there are any.
    private let readFailures = Locked<[Int: ReadFailures]>([:])
    private let hasReadFailures = Atomic(false)

    private let isLogLost = Atomic(false)
    /// Why the store refused last, and why the log was lost.
    private let reasons = Locked((store: "", log: ""))
    /// How often the log that brokers share was lost.
    private let losses = Atomic<UInt64>(0)
    /// What is wrong with parts of that log, and whether there is anything.
    private let troubles = Locked<[Int: Trouble]>([:])
    private let hasTroubles = Atomic(false)
    /// What is wrong with what single channels have in it, and whether there is anything.
    private let logFaults = Locked<[String: LogFault]>([:])
    private let hasAnyLogFault = Atomic(false)
    /// What time it is for that log's servers; `nil`: there is no such log.
    let logClock: LogClock?

    init(hasSharedLog: Bool) {
        logClock = hasSharedLog ? LogClock() : nil
    }

    // MARK: The shared log

    /// The log that brokers share does not answer any more.
    func logWasLost(_ reason: String) {
        reasons.withLock { $0.log = reason }
        if !isLogLost.exchange(true, ordering: .relaxed) { losses.add(1, ordering: .relaxed) }
    }

    /// It answers again.
    func logIsBack() {
        isLogLost.store(false, ordering: .relaxed)
    }

    /// Whether the log that brokers share answers, and how often it was lost.
    var log: (isThere: Bool, losses: UInt64) {
        (!isLogLost.load(ordering: .relaxed), losses.load(ordering: .relaxed))
    }

    /// A part of the log refuses changes, or they do not come back from it.
    func note(trouble words: String, ofPart part: Int, at time: MonotonicTime) {
        troubles.withLock { troubles in
            troubles[part] = Trouble(words: words, at: time)
            hasTroubles.store(true, ordering: .relaxed)
        }
    }

    /// A change has come back from a part of the log, which is all that counts; whether something was wrong with it.
    func cameBack(fromPart part: Int) -> Bool {
        // Nearly always there is nothing, and nothing is written.
        guard hasTroubles.load(ordering: .relaxed) else { return false }
        return troubles.withLock { troubles in
            let wasIn = troubles.removeValue(forKey: part) != nil
            hasTroubles.store(!troubles.isEmpty, ordering: .relaxed)
            return wasIn
        }
    }

    /// Whether anything is wrong with what some channel has in the log.
    var hasLogFaults: Bool { hasAnyLogFault.load(ordering: .relaxed) }

    /// Notes what is wrong with what a channel has in the log, or that nothing is any more; whether that is new.
    ///
    /// What a later version wrote stays until the broker is started anew: it applied nothing behind that.
    func note(_ fault: LogFault?, ofChannel channel: String) -> Bool {
        logFaults.withLock { faults in
            let before = faults[channel]
            guard before != fault, before != .laterVersion else { return false }
            faults[channel] = fault
            hasAnyLogFault.store(!faults.isEmpty, ordering: .relaxed)
            return true
        }
    }

    // MARK: The store

    /// The store has taken a group of changes; whether it refused the last one.
    func tookChanges() -> Bool {
        // Nothing else hangs on it, and what does not change is not written: the line stays in all cores' caches.
        guard refusedAt.load(ordering: .relaxed) != 0 else { return false }
        return refusedAt.exchange(0, ordering: .relaxed) != 0
    }

    /// The store has refused a group of changes; `reason` is for a person.
    func refusedChanges(_ reason: String, at time: MonotonicTime) {
        reasons.withLock { $0.store = reason }
        refusedAt.store(time.nanoseconds, ordering: .relaxed)
    }

    // MARK: Reading

    /// A channel could not be read from a part of the shared log, or from the store, which is one part.
    func couldNotRead(_ channel: String, ofPart part: Int = 0, at time: MonotonicTime) {
        changeReadFailures(ofPart: part) { $0.failed(channel, at: time) }
    }

    /// A channel was read from a part: whatever failed there was that of single channels, or is over.
    func couldRead(fromPart part: Int = 0) {
        // Nearly always there is nothing, and nothing is written.
        if hasReadFailures.load(ordering: .relaxed) { changeReadFailures(ofPart: part) { $0 = ReadFailures() } }
    }

    /// Whether the store could read a channel that was never there.
    func looked(isReadable: Bool, at time: MonotonicTime) {
        changeReadFailures(ofPart: 0) { $0.looked(isReadable: isReadable, at: time) }
    }

    private func changeReadFailures(ofPart part: Int, _ change: (inout ReadFailures) -> Void) {
        readFailures.withLock { failures in
            var ofPart = failures[part] ?? ReadFailures()
            change(&ofPart)
            failures[part] = ofPart.isEmpty ? nil : ofPart
            hasReadFailures.store(!failures.isEmpty, ordering: .relaxed)
        }
    }

    // MARK: All of it

    /// Why changes may not be expected to be taken, or channels to be read, for a person; `nil`: they may.
    public func fault(at time: MonotonicTime) -> String? {
        if isLogLost.load(ordering: .relaxed) {
            return "the shared log is lost: \(reasons.withLock { $0.log })"
        }
        let refused = refusedAt.load(ordering: .relaxed)
        if refused != 0, isRecent(MonotonicTime(nanoseconds: refused), at: time) {
            return "the store refuses changes: \(reasons.withLock { $0.store })"
        }
        if hasReadFailures.load(ordering: .relaxed),
            readFailures.withLock({ $0.values.contains { $0.areOfAll(at: time) } })
        {
            return logClock == nil ? "the store cannot be read" : "the shared log cannot be read"
        }
        // Everyone who reaches a listener hears of it: no channel is named.
        if hasLogFaults, let fault = logFaults.withLock(\.values.first) { return fault.rawValue }
        if hasTroubles.load(ordering: .relaxed) {
            let recent = troubles.withLock { $0.values.first { isRecent($0.at, at: time) }?.words }
            if let recent { return recent }
        }
        return logClock?.fault(at: Moment(unix: wallClockMilliseconds(), clock: time.milliseconds))
    }

    private func isRecent(_ moment: MonotonicTime, at time: MonotonicTime) -> Bool { moment + Self.memory >= time }

    /// Whether changes may be expected to be taken, and channels to be read.
    public func isWell(at time: MonotonicTime) -> Bool { fault(at: time) == nil }
}

extension MonotonicTime {
    /// The milliseconds of the clock that is never set.
    var milliseconds: Int64 { Int64(nanoseconds / 1_000_000) }
}
