import Testing

@testable import FanfareClient

@Suite("The requests without an answer")
struct OutboxTests {
    private typealias Box = Outbox<String, String>

    private func filled() -> Box {
        var box = Box()
        for (body, seconds) in [("a", 10), ("b", 8), ("c", 12)] {
            let id = box.newID()
            box.add(body, as: id, until: .seconds(seconds), for: "waits for \(body)")
        }
        return box
    }

    @Test("are sent again in the order in which they were made, until they are answered")
    func order() {
        var box = filled()
        #expect(box.inOrder.map(\.body) == ["a", "b", "c"])
        #expect(box.inOrder.map(\.id) == [1, 2, 3])
        #expect(box.take(2) == "waits for b")
        #expect(box.take(2) == nil)
        #expect(box.inOrder.map(\.body) == ["a", "c"])
    }

    @Test("are given up at their deadlines")
    func deadlines() {
        var box = filled()
        #expect(box.nextDeadline == .seconds(8))
        #expect(box.takeExpired(at: .seconds(7)) == [])
        #expect(box.takeExpired(at: .seconds(10)) == ["waits for a", "waits for b"])
        #expect(box.nextDeadline == .seconds(12))
        #expect(box.takeAll() == ["waits for c"])
        #expect(box.nextDeadline == nil)
    }

    @Test("are bounded in number")
    func bound() {
        var box = Box()
        for _ in 0..<Box.capacity {
            #expect(box.hasRoom)
            let id = box.newID()
            box.add("", as: id, until: .zero, for: "")
        }
        #expect(!box.hasRoom)
        _ = box.take(1)
        #expect(box.hasRoom)
    }
}
