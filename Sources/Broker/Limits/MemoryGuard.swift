import Dispatch
public import Transport

/// Sees to it that a broker that is short of memory lets nobody else in, while those who are there stay.
///
/// It looks when somebody wants to come in, at most ten times a second, so a broker at rest does nothing for it.
public final class MemoryGuard: Sendable {
    /// For how long a look counts.
    static let age = Duration.milliseconds(100)
    /// How often memory that was freed is given back to the system while there is too little.
    static let pause = Duration.seconds(10)

    private struct State {
        var use: MemoryUse?
        /// Until when it counts.
        var ends = MonotonicTime(nanoseconds: 0)
        /// For which bound it holds.
        var own = Int.max
        /// When memory may be given back again.
        var mayGiveBack = MonotonicTime(nanoseconds: 0)
    }

    private let reader: MemoryReader
    private let giveBack: @Sendable () -> Void
    private let state = Locked(State())

    /// Makes a guard.
    ///
    /// - Parameters:
    ///   - reader: says how much is used.
    ///   - giveBack: gives memory that was freed back to the system; called on whichever thread asks.
    init(
        _ reader: MemoryReader = MemoryReader(),
        giveBack: @escaping @Sendable () -> Void = {
            // A loop has no time for that.
            DispatchQueue.global().async { giveBackMemory() }
        }
    ) {
        self.reader = reader
        self.giveBack = giveBack
    }

    /// How much is used of how much may be.
    public func use(_ limits: BrokerSettings.Limits, at now: MonotonicTime = .now) -> MemoryUse {
        state.withLock { state in
            if let use = state.use, now < state.ends, state.own == limits.memoryBytes { return use }
            let use = reader.read(own: limits.memoryBytes)
            state.use = use
            state.ends = now + Self.age
            state.own = limits.memoryBytes
            return use
        }
    }

    /// What of the settings bounds it, as it is called there.
    public static func name(of use: MemoryUse) -> LimitName { use.bound == .own ? .memoryBytes : .memoryPercent }

    /// Says whether there is too little for one more connection, and how much is used then; `nil`: there is enough.
    public func shortage(_ limits: BrokerSettings.Limits, at now: MonotonicTime = .now) -> MemoryUse? {
        let use = use(limits, at: now)
        guard limits.memoryPercent < 100, use.share * 100 > Double(limits.memoryPercent) else { return nil }
        let mayGiveBack = state.withLock { state in
            guard state.mayGiveBack <= now else { return false }
            state.mayGiveBack = now + Self.pause
            return true
        }
        // What those who left have freed is used until then, as the system sees it.
        if mayGiveBack { giveBack() }
        return use
    }
}
