import Testing

@testable import Broker

/// One broker's side; its methods change it, and may be called where a test asks.
private final class Side {
    private var shared: SharedOccupancy

    init(broker: UInt64) {
        shared = SharedOccupancy(broker: broker)
    }

    var isAlone: Bool { shared.isAlone }
    func due(asks: Bool) -> Int64? { shared.due(asks: asks) }
    func change() { shared.change() }
    func forget(at clock: Int64) -> Bool { shared.forget(at: clock) }
    func hear(_ notice: SharedOccupancy.Notice, at clock: Int64) -> Bool { shared.hear(notice, at: clock) }
    func take(asks: Bool, connections: Int, users: () -> [UInt64], at clock: Int64) -> SharedOccupancy.Notice? {
        shared.take(asks: asks, connections: connections, users: users, at: clock)
    }
    func sum(connections: Int, users: [UInt64]) -> (connections: Int, users: Int) {
        shared.sum(connections: connections, users: users)
    }
}

/// How many are subscribed by way of several brokers.
@Suite struct SharedOccupancyTests {
    private typealias Notice = SharedOccupancy.Notice

    private func notice(_ broker: UInt64, asks: Bool = false, _ users: [UInt64], more: UInt64 = 0) -> Notice {
        Notice(broker: broker, asks: asks, connections: UInt64(users.count) + more, users: users, more: more)
    }

    @Test("nobody is told anything while nobody asks")
    func silence() {
        let shared = Side(broker: 1)
        shared.change()
        #expect(shared.take(asks: false, connections: 1, users: { [1] }, at: 0) == nil)
        #expect(shared.due(asks: false) == nil)
    }

    @Test("one that wants to know asks at once and again, and whoever is asked answers at once")
    func asking() throws {
        let (here, there) = (Side(broker: 1), Side(broker: 2))
        let question = try #require(here.take(asks: true, connections: 1, users: { [1] }, at: 5_000))
        #expect(question.asks)
        #expect(here.take(asks: true, connections: 1, users: { [1] }, at: 14_999) == nil)
        #expect(here.due(asks: true) == 15_000)
        #expect(there.hear(question, at: 5_000))
        let answer = try #require(there.take(asks: false, connections: 2, users: { [1, 2] }, at: 5_001))
        #expect(here.hear(answer, at: 5_001))
        let sum = here.sum(connections: 1, users: [1])
        #expect(sum.connections == 3 && sum.users == 2)
    }

    @Test("a change is told at most once a second, and what does not change now and then")
    func pace() {
        let shared = Side(broker: 1)
        _ = shared.hear(notice(2, asks: true, []), at: 0)
        #expect(shared.take(asks: false, connections: 0, users: { [] }, at: 0) != nil)
        shared.change()
        #expect(shared.take(asks: false, connections: 1, users: { [1] }, at: 999) == nil)
        #expect(shared.take(asks: false, connections: 1, users: { [1] }, at: 1_000) != nil)
        #expect(shared.take(asks: false, connections: 1, users: { [1] }, at: 10_999) == nil)
        #expect(shared.take(asks: false, connections: 1, users: { [1] }, at: 11_000) != nil)
    }

    @Test("what is not said again counts no longer, and who is not asked again says no more")
    func expiry() {
        let shared = Side(broker: 1)
        _ = shared.hear(notice(2, asks: true, [7]), at: 0)
        #expect(!shared.forget(at: 29_999))
        #expect(shared.forget(at: 30_000))
        #expect(shared.isAlone)
        shared.change()
        #expect(shared.take(asks: false, connections: 1, users: { [1] }, at: 40_000) == nil)
        #expect(shared.due(asks: false) == nil)
    }

    @Test("its own words and the same words again change nothing")
    func nothingNew() {
        let shared = Side(broker: 1)
        #expect(!shared.hear(notice(1, [1]), at: 0))
        #expect(shared.hear(notice(2, [1]), at: 0))
        #expect(!shared.hear(notice(2, [1]), at: 1))
        #expect(shared.hear(notice(2, [1], more: 3), at: 2))
        #expect(shared.sum(connections: 0, users: []).users == 4)
    }

    @Test("a notice names so many users and counts the others")
    func bound() throws {
        let shared = Side(broker: 1)
        let users = (0..<UInt64(SharedOccupancy.maxUsers + 5)).map { $0 }
        let notice = try #require(shared.take(asks: true, connections: users.count, users: { users }, at: 0))
        #expect(notice.users.count == SharedOccupancy.maxUsers && notice.more == 5)
    }

    @Test("a notice comes back from its bytes, and no part of it does")
    func bytes() {
        let notice = notice(.max, asks: true, [1, .max], more: 9)
        #expect(Notice(bytes: notice.bytes) == notice)
        for count in notice.bytes.indices { #expect(Notice(bytes: Array(notice.bytes[..<count])) == nil) }
    }
}
