import Reactions
import Wire

/// Counts what is acked in an `ephemeral` channel, and gives it out once an interval.
///
/// Every ack is counted in exactly one burst, so that bursts add up.
struct BurstWindow: Sendable {
    /// How long a window is, in milliseconds; a window that has begun ends as it would have.
    private var interval: Int64
    private var order: [String] = []
    private var counts: [String: [ReactionCount]] = [:]
    /// When the window ends, in milliseconds of the channel's clock; `nil` while nothing is counted.
    private(set) var ends: Int64?

    init(interval: Int) {
        self.interval = Int64(interval)
    }

    mutating func adopt(interval: Int) {
        self.interval = Int64(interval)
    }

    mutating func count(_ reaction: Reaction, on message: String, clock: Int64) {
        if ends == nil { ends = clock + interval }
        if counts[message] == nil {
            order.append(message)
            counts[message] = []
        }
        counts[message]?.count(reaction, 1)
    }

    /// The bursts of the window that has ended; empty where it goes on.
    mutating func take(at moment: Moment) -> [Burst] {
        guard let ends, moment.clock >= ends else { return [] }
        defer {
            self.ends = nil
            order = []
            counts = [:]
        }
        return order.map {
            Burst(message: $0, reactions: counts[$0] ?? [], windowMilliseconds: interval, at: moment.unix)
        }
    }
}

extension [ReactionCount] {
    /// Adds to a reaction's count.
    mutating func count(_ reaction: Reaction, _ more: UInt64) {
        if let index = firstIndex(where: { $0.reaction == reaction }) {
            self[index].count += more
        } else {
            append(ReactionCount(reaction: reaction, count: more))
        }
    }
}
