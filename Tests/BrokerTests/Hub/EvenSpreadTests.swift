import Testing

@testable import Broker

@Suite struct EvenSpreadTests {
    @Test(
        "wherever it begins, no gap between so many numbers is wider than three times what all would have",
        arguments: [3, 100, 5_000])
    func gaps(count: Int) throws {
        let start = UInt64.random(in: 0 ... .max)
        var spread = EvenSpread(from: start)
        let numbers = (0..<count).map { _ in spread.next() }.sorted()
        let (first, last) = try #require(numbers.first.flatMap { first in numbers.last.map { (first, $0) } })
        #expect(first >= 0 && last < 1, "start \(start)")
        let gaps = zip(numbers, numbers.dropFirst()).map { $1 - $0 } + [first + 1 - last]
        #expect(gaps.allSatisfy { $0 < 3 / Double(count) }, "start \(start)")
    }

    @Test(
        "a connection's name is its hub in decimal, its place and how often that was used before in hexadecimal digits",
        arguments: [
            (0, 0, 0, "c-0-0-0"), (12, 0x1F, 10, "c-12-1f-a"), (7, 16, 9, "c-7-10-9"),
            (4_294_967_295, .max, .max, "c-4294967295-ffffffff-ffffffff"),
        ] as [(Int, UInt32, UInt32, String)])
    func key(hub: Int, slot: UInt32, generation: UInt32, name: String) {
        #expect(ConnectionKey(hub: hub, slot: slot, generation: generation).description == name)
    }
}
