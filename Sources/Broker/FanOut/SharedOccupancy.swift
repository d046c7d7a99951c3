import Reactions

/// How many are subscribed to a channel by way of other brokers, and what these are to be told of the ones here.
///
/// A broker with someone who wants to know asks, again and again; whoever is asked says how many it has, at once, when
/// that changes and from time to time, until nobody has asked for a while. What is not said again counts no longer.
struct SharedOccupancy: Sendable {
    /// What one broker says.
    struct Notice: Sendable, Equatable {
        /// Which broker it is.
        var broker: UInt64
        /// Whether it wants to know what the others have.
        var asks: Bool
        /// How many are subscribed there.
        var connections: UInt64
        /// Who they are, as hashes of their names; where they are too many, only some.
        var users: [UInt64]
        /// How many more users there are.
        var more: UInt64
    }

    private struct Other: Sendable {
        var notice: Notice
        var until: Int64
    }

    /// How long what was said counts, and a broker that was asked goes on, in milliseconds.
    static let memory: Int64 = 30_000
    /// After how long it is asked and said again, in milliseconds.
    static let again: Int64 = 10_000
    /// The least time between two notices, in milliseconds.
    static let interval: Int64 = 1_000
    /// How many users a notice names at most.
    static let maxUsers = 2_000

    private let broker: UInt64
    private var others: [UInt64: Other] = [:]
    private var askedUntil: Int64?
    private var hasChanged = false
    private var allowed: Int64 = 0
    private var sayAgain: Int64 = 0
    private var askAgain: Int64 = 0

    init(broker: UInt64) {
        self.broker = broker
    }

    /// Whether other brokers have anyone, as far as is known.
    var isAlone: Bool { others.isEmpty }

    /// When there is something to do; `asks`: someone here wants to know.
    func due(asks: Bool) -> Int64? {
        var times = others.values.map(\.until)
        if askedUntil != nil { times.append(hasChanged ? allowed : sayAgain) }
        if asks { times.append(askAgain) }
        return times.min()
    }

    /// Somebody came here or left.
    mutating func change() {
        hasChanged = true
    }

    /// Takes what another broker says; whether the numbers are others now.
    mutating func hear(_ notice: Notice, at clock: Int64) -> Bool {
        guard notice.broker != broker else { return false }
        if notice.asks {
            // One that nobody knew is told at once.
            if askedUntil == nil || others[notice.broker] == nil { hasChanged = true }
            askedUntil = clock + SharedOccupancy.memory
        }
        let before = others[notice.broker]?.notice
        others[notice.broker] = Other(notice: notice, until: clock + SharedOccupancy.memory)
        return before?.connections != notice.connections || before?.users != notice.users || before?.more != notice.more
    }

    /// Drops what counts no longer; whether there was any.
    mutating func forget(at clock: Int64) -> Bool {
        if let until = askedUntil, until <= clock { askedUntil = nil }
        let before = others.count
        others = others.filter { $0.value.until > clock }
        return others.count < before
    }

    /// What is to be said now; `users` are the hashes of those here.
    mutating func take(
        asks: Bool, connections: Int, users: () -> [UInt64], at clock: Int64
    ) -> Notice? {
        let tells = askedUntil != nil && (hasChanged ? clock >= allowed : clock >= sayAgain)
        guard tells || (asks && clock >= askAgain) else { return nil }
        hasChanged = false
        allowed = clock + SharedOccupancy.interval
        sayAgain = clock + SharedOccupancy.again
        askAgain = clock + SharedOccupancy.again
        let all = users()
        let named = all.prefix(SharedOccupancy.maxUsers)
        return Notice(
            broker: broker, asks: asks, connections: UInt64(connections), users: Array(named),
            more: UInt64(all.count - named.count))
    }

    /// The numbers of all brokers together; one user at several of them is one, as far as they name users.
    func sum(connections: Int, users: [UInt64]) -> (connections: Int, users: Int) {
        var all = Set(users)
        var connections = connections
        var more = 0
        for other in others.values {
            connections += Int(clamping: min(other.notice.connections, 1 << 40))
            all.formUnion(other.notice.users)
            more += Int(clamping: min(other.notice.more, 1 << 40))
        }
        return (connections, all.count + more)
    }
}

extension SharedOccupancy.Notice {
    /// The form in which it is said.
    var bytes: [UInt8] {
        var writer = ByteWriter()
        writer.put(byte: asks ? 2 : 1)
        writer.put(broker)
        writer.put(connections)
        writer.put(list: users) { $0.put($1) }
        writer.put(more)
        return writer.bytes
    }

    /// Reads the form that ``bytes`` writes; `nil` where it is none.
    init?(bytes: [UInt8]) {
        var reader = ByteReader(bytes: bytes)
        guard let kind = reader.byte(), kind == 1 || kind == 2, let broker = reader.number(),
            let connections = reader.number(), let users = reader.list({ $0.number() }), let more = reader.number(),
            reader.isAtEnd
        else { return nil }
        self.init(broker: broker, asks: kind == 2, connections: connections, users: users, more: more)
    }
}
