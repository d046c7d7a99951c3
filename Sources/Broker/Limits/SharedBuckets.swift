import Transport

/// The buckets of all users, connections and addresses of the process, whichever loop their requests come by.
///
/// Each has one for each entry of `namespaces`; `*` is one entry, so that inventing namespaces gains nothing. The
/// table is in parts with a lock each, and a lock is held for one look.
final class SharedBuckets: Sendable {
    /// Whose bucket it is.
    enum Holder: Sendable, Hashable {
        case user(String)
        /// A WebSocket connection or an event stream.
        case connection(ConnectionKey)
        /// A connection that speaks HTTP: on which hub, and its number there.
        case exchange(hub: Int, number: UInt64)
        case address(ClientAddress)
    }

    struct Key: Sendable, Hashable {
        var namespace: String
        var holder: Holder
    }

    /// A part of the table.
    private final class Part: Sendable {
        let table = Locked(Table())
    }

    private struct Table {
        var buckets: [Key: TokenBucket] = [:]
        /// The size at which full buckets are dropped.
        var limit = 256

        /// Drops the buckets that are full, for a new one is as good; what is left doubles before it is done again.
        mutating func tidy(at clock: Int64) {
            guard buckets.count >= limit else { return }
            buckets = buckets.filter { $0.value.fullAt > clock }
            limit = max(256, buckets.count * 2)
        }
    }

    private let parts = (0..<64).map { _ in Part() }

    /// Takes a token; where there is none it answers how long to wait, in milliseconds.
    func take(_ key: Key, at clock: Int64, _ rate: Rate) -> Int64? {
        part(of: key).table.withLock { table in
            var bucket = table.buckets[key] ?? TokenBucket()
            if let wait = bucket.wait(at: clock, rate) { return wait }
            bucket.take(at: clock, rate)
            table.buckets[key] = bucket
            table.tidy(at: clock)
            return nil
        }
    }

    /// How long to wait for a token, in milliseconds; `nil`: one is there.
    func wait(_ key: Key, at clock: Int64, _ rate: Rate) -> Int64? {
        part(of: key).table.withLock { $0.buckets[key]?.wait(at: clock, rate) }
    }

    /// Gives back a token that was just taken.
    func giveBack(_ key: Key, _ rate: Rate) {
        part(of: key).table.withLock { $0.buckets[key]?.giveBack(rate) }
    }

    /// How many buckets are held.
    var count: Int {
        parts.reduce(0) { $0 + $1.table.withLock(\.buckets.count) }
    }

    private func part(of key: Key) -> Part {
        // The hash is seeded anew in each process, so nobody can aim at one part.
        parts[Int(UInt(bitPattern: key.hashValue) % UInt(parts.count))]
    }
}
