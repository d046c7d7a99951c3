import Transport

/// What a hub has told its recipients, to be measured when it is written.
struct ToldThisTurn {
    /// When the requests were read that are acked now, in nanoseconds, and how many at once.
    private var acks: [(since: UInt64, count: UInt64)] = []
    /// When events were committed that are delivered now, in nanoseconds, and to how many.
    private var events: [(since: UInt64, deliveries: UInt64)] = []

    /// Notes acks, unless nobody waits for them.
    mutating func acks(_ count: UInt32, ofRequestsAt time: UInt64) {
        if time > 0 { acks.append((time, UInt64(count))) }
    }

    mutating func deliveries(_ count: Int, since time: UInt64) {
        if count > 0 { events.append((time, UInt64(count))) }
    }

    /// Whether there is nothing to measure, as in most turns.
    var isEmpty: Bool { acks.isEmpty && events.isEmpty }

    /// Measures what is written, and keeps the rest for a later turn.
    mutating func record(in metrics: inout HubMetrics, at now: MonotonicTime, left: UnwrittenBytes) {
        guard left != .any else { return }
        for (time, count) in acks { metrics.acks.record(from: time, to: now, times: count) }
        acks.removeAll(keepingCapacity: acks.capacity <= 4_096)
        guard left == .none else { return }
        for (time, deliveries) in events { metrics.deliveryDelays.record(from: time, to: now, times: deliveries) }
        events.removeAll(keepingCapacity: events.capacity <= 4_096)
    }
}
