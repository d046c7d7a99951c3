import Reactions
import TestSupport
import Testing
import Transport
import Wire

@testable import Broker

/// What waits for a slow reader is counted in bytes.
@Suite struct BacklogTests {
    private func delta(_ message: Int, _ reactions: [String]) -> SummaryDelta {
        let groups = reactions.map { GroupCount(reaction: Reaction(canonical: $0), count: 1, users: 1) }
        return SummaryDelta(message: "m\(message)", total: 1, groups: groups)
    }

    @Test("the same groups again cost nothing, and others do")
    func growth() {
        var backlog = Backlog()
        backlog.merge([delta(1, ["👍"])], seq: 1)
        let one = backlog.bytes
        for seq in 2..<100 { backlog.merge([delta(1, ["👍"])], seq: UInt64(seq)) }
        #expect(one > 0 && backlog.bytes == one)
        backlog.merge([delta(1, ["🎉"])], seq: 100)
        #expect(backlog.bytes > one)
        let frame = SharedBytes(Array(repeating: 0, count: 50))
        backlog.replaceOwn(on: "m1", by: frame)
        let owns = backlog.bytes
        for _ in 0..<100 { backlog.replaceOwn(on: "m1", by: frame) }
        #expect(backlog.bytes == owns)
    }

    @Test("however it came about, it is what is there, and nothing once nothing is watched")
    func property() {
        let seed = UInt64.random(in: .min ... .max)
        var random = SeededGenerator(seed: seed)
        var backlog = Backlog()
        for seq in 1..<2_000 {
            let message = Int.random(in: 0..<20, using: &random)
            let reactions = ["👍", "🎉", "❤️", "🔥"].filter { _ in Bool.random(using: &random) }
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<5: backlog.merge([delta(message, reactions)], seq: UInt64(seq))
            case 5, 6:
                let frame = SharedBytes(Array(repeating: 0, count: Int.random(in: 1...99, using: &random)))
                backlog.replaceOwn(on: "m\(message)", by: frame)
            case 7, 8:
                let counts = reactions.map { ReactionCount(reaction: Reaction(canonical: $0), count: 1) }
                backlog.add(Burst(message: "m\(message)", reactions: counts, windowMilliseconds: 100, at: 1))
            default:
                // Counts anew what is left.
                let before = backlog.bytes
                backlog.keep(only: Set((0..<20).map { "m\($0)" }))
                #expect(backlog.bytes == before, "seed \(seed)")
            }
        }
        #expect(backlog.bytes > 0)
        backlog.keep(only: [])
        #expect(backlog.bytes == 0, "seed \(seed)")
    }
}
