import Transport

/// What a hub has told its recipients in this turn, to be measured when it is written.
struct ToldThisTurn {
    /// When the requests were read that are acked now, in nanoseconds.
    private var acks: [UInt64] = []
    /// When events were committed that are delivered now, in nanoseconds, and to how many.
    private var events: [(since: UInt64, deliveries: UInt64)] = []

    /// Notes an ack, unless nobody waits for it.
    mutating func ack(ofRequestAt time: UInt64) {
        if time > 0 { acks.append(time) }
    }

    mutating func deliveries(_ count: Int, since time: UInt64) {
        if count > 0 { events.append((time, UInt64(count))) }
    }

    /// Everything is written now.
    mutating func record(in metrics: inout HubMetrics, at now: MonotonicTime) {
        for time in acks { metrics.acks.record(from: time, to: now) }
        for (time, deliveries) in events { metrics.deliveryDelays.record(from: time, to: now, times: deliveries) }
        acks.removeAll(keepingCapacity: acks.capacity <= 4_096)
        events.removeAll(keepingCapacity: events.capacity <= 4_096)
    }
}
