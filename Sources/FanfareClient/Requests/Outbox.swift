/// The requests that have no answer yet, in the order in which they were made, each with whoever waits for it.
///
/// Bounded: past ``capacity`` a request is refused. A pure value; time is a duration since any fixed moment.
struct Outbox<Body, Waiter> {
    /// One request on its way.
    struct Entry {
        /// What is asked.
        var body: Body
        /// When waiting ends.
        var deadline: Duration
        /// Who waits.
        var waiter: Waiter
    }

    /// How many requests may wait at once.
    static var capacity: Int { 1000 }

    private var entries: [UInt64: Entry] = [:]
    private var lastID: UInt64 = 0

    /// Whether one more may be added.
    var hasRoom: Bool { entries.count < Self.capacity }

    /// A number for a request that nothing else has.
    mutating func newID() -> UInt64 {
        lastID += 1
        return lastID
    }

    /// Adds a request under a number from ``newID()``.
    mutating func add(_ body: Body, as id: UInt64, until deadline: Duration, for waiter: Waiter) {
        entries[id] = Entry(body: body, deadline: deadline, waiter: waiter)
    }

    /// Takes out the request with a number, because it was answered or given up; `nil` if it is not there.
    mutating func take(_ id: UInt64) -> Waiter? {
        entries.removeValue(forKey: id)?.waiter
    }

    /// Takes out the requests whose time is up, oldest first.
    mutating func takeExpired(at now: Duration) -> [Waiter] {
        takeAll { $0.deadline <= now }
    }

    /// Takes out every request, oldest first.
    mutating func takeAll() -> [Waiter] {
        takeAll { _ in true }
    }

    /// All requests with their numbers, oldest first: what is sent again after a reconnect.
    var inOrder: [(id: UInt64, body: Body)] {
        entries.map { (id: $0.key, body: $0.value.body) }.sorted { $0.id < $1.id }
    }

    /// When the first waiting ends.
    var nextDeadline: Duration? {
        entries.values.lazy.map(\.deadline).min()
    }

    private mutating func takeAll(where isOver: (Entry) -> Bool) -> [Waiter] {
        let over = entries.filter { isOver($0.value) }.keys.sorted()
        return over.compactMap { take($0) }
    }
}

extension Outbox.Entry: Sendable where Body: Sendable, Waiter: Sendable {}
extension Outbox: Sendable where Body: Sendable, Waiter: Sendable {}
