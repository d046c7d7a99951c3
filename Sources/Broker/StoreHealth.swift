import Synchronization
public import Transport

/// Whether the store takes what it is given, as the hubs saw it last.
public final class StoreHealth: Sendable {
    /// How long a refusal counts where nothing was tried since: that is how others come back to find out.
    static let memory = Duration.seconds(10)

    /// When the store refused last, in nanoseconds of the loops' clock; 0 where it took something since.
    private let refusedAt = Atomic<UInt64>(0)

    private let isLogLost = Atomic(false)
    /// How often the log that brokers share was lost.
    private let losses = Atomic<UInt64>(0)

    init() {}

    /// The log that brokers share does not answer any more.
    func logWasLost() {
        if !isLogLost.exchange(true, ordering: .relaxed) { losses.add(1, ordering: .relaxed) }
    }

    /// It answers again.
    func logIsBack() {
        isLogLost.store(false, ordering: .relaxed)
        refusedAt.store(0, ordering: .relaxed)
    }

    /// Whether the log that brokers share answers, and how often it was lost.
    var log: (isThere: Bool, losses: UInt64) {
        (!isLogLost.load(ordering: .relaxed), losses.load(ordering: .relaxed))
    }

    /// The store has answered for a group of changes.
    func answered(isTaken: Bool, at time: MonotonicTime) {
        let refused = isTaken ? 0 : time.nanoseconds
        // Nothing else hangs on it, and what does not change is not written: the line stays in all cores' caches.
        if refusedAt.load(ordering: .relaxed) != refused { refusedAt.store(refused, ordering: .relaxed) }
    }

    /// Whether changes may be expected to be taken.
    public func isWell(at time: MonotonicTime) -> Bool {
        if isLogLost.load(ordering: .relaxed) { return false }
        let refused = refusedAt.load(ordering: .relaxed)
        return refused == 0 || MonotonicTime(nanoseconds: refused) + Self.memory < time
    }
}
