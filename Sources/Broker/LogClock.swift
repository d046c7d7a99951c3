import Synchronization

/// Whether this machine's clock agrees with that of the shared log's servers.
///
/// Times in the log are the brokers', and all brokers go by them: one whose clock is wrong would have all of them forget
/// keys early, or never. So a change needs two clocks that agree.
final class LogClock: Sendable {
    /// How far the clocks may be apart, in milliseconds.
    static let most: Int64 = 30_000

    /// The servers' time less that of the clock that is never set, in milliseconds; `.min`: nobody knows yet.
    private let difference = Atomic(Int64.min)
    private let isTold = Atomic(false)

    init() {}

    /// Takes over how the servers' clock stands; says what is to be said of it, where that is something else than before.
    func adopt(_ difference: Int64, at moment: Moment) -> (fault: String?, isNew: Bool) {
        self.difference.store(difference, ordering: .relaxed)
        let fault = fault(at: moment)
        let wasTold = isTold.exchange(fault != nil, ordering: .relaxed)
        return (fault, wasTold != (fault != nil))
    }

    /// Why no change is taken at a moment; `nil`: the clocks agree.
    func fault(at moment: Moment) -> String? {
        let difference = difference.load(ordering: .relaxed)
        guard difference != .min else { return "it is not known yet what time it is for the log's servers" }
        let lead = moment.unix &- moment.clock &- difference
        guard lead.magnitude > LogClock.most.magnitude else { return nil }
        let way = lead > 0 ? "ahead of" : "behind"
        return "this broker's clock is \(lead.magnitude / 1_000) s \(way) that of the log's servers"
    }
}
