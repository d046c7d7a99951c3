import Reactions

/// The newest batches of its own for which a broker has answered, so that it can tell where the log loses one of them.
struct AckedBatches: Sendable {
    /// How much was lost.
    struct Loss: Sendable, Equatable {
        var batches = 0
        var requests = 0
    }

    private struct Acked {
        var number: UInt64
        var position: UInt64
        var requests: Int
        /// When it was answered, in milliseconds of the channel's clock.
        var at: Int64
    }

    /// How long they are held, counted from the newest one, in milliseconds, and how many at most.
    private static let memory: Int64 = 60_000
    private static let most = 4_096

    /// The oldest come first.
    private var held: [Acked] = []
    /// How many there are when it is time to let go of old ones: twice as many as were left the last time.
    private var enough = 32

    /// Notes that a batch stands at a position, and that its requests are answered.
    mutating func note(_ batch: LogBatch, at position: UInt64, clock: Int64) {
        held.append(Acked(number: batch.number, position: position, requests: batch.entries.count, at: clock))
        guard held.count >= enough else { return }
        held.removeFirst(max(0, held.count - AckedBatches.most))
        held.removeAll { clock &- $0.at > AckedBatches.memory }
        enough = max(32, 2 * held.count)
    }

    /// Lets go of those that are neither in a snapshot nor behind it, and says how many these are.
    ///
    /// What is in a snapshot is known by its newest batch of each writer alone, so an older one may be missing unseen.
    mutating func takeLost(behind snapshot: LogProgress, there: Set<UInt64>, of writer: UInt64) -> Loss {
        var loss = Loss()
        held.removeAll { acked in
            let isInSnapshot =
                acked.position <= snapshot.position
                && snapshot.newestNumber(of: writer).map { acked.number <= $0 } ?? true
            guard !isInSnapshot, !there.contains(acked.number) else { return false }
            loss.batches += 1
            loss.requests += acked.requests
            return true
        }
        return loss
    }
}
