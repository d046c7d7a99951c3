import Testing

import struct Reactions.Change
import struct Reactions.GroupCount
import struct Reactions.Reaction

@testable import LoadGenerator

@Suite struct EventFramesTests {
    private func change(_ seq: UInt64, count: UInt64 = 1, users: UInt64 = 1, total: UInt64 = 1) -> Change {
        let group = GroupCount(reaction: Reaction(canonical: "x"), count: count, users: users)
        return Change(
            seq: seq, message: "m", user: "u", at: 1, total: total, kind: .added(group, byCount: nil, data: nil))
    }

    private func text(_ words: String) -> [UInt8] { Array(words.utf8) }

    @Test func `What other readers are sent is compared by its bytes, as long as it is kept`() {
        var frames = EventFrames(channels: 2048)
        for seq in 1...3 as ClosedRange<UInt64> { frames.enter(change(seq), text("event \(seq)").span) }
        #expect(frames.other(than: text("event 3").span, at: 3) == nil)
        #expect(frames.other(than: text("event 2").span, at: 3) == change(3))
        #expect(frames.other(than: text("event 22").span, at: 2) == change(2))
        #expect(frames.other(than: text("event x").span, at: 1) == nil, "two are kept where channels are that many")
        #expect(frames.other(than: text("event x").span, at: 4) == nil)
        #expect(EventFrames(channels: 1).other(than: text("x").span, at: 1) == nil)
    }

    @Test func `Each event is compared by one reader in eight, and each reader compares one event in eight`() {
        for number in 0..<16 {
            #expect((1...80 as ClosedRange<UInt64>).count { EventFrames.isTurn($0, ofReader: number) } == 10)
        }
        for seq in 1...16 as ClosedRange<UInt64> {
            #expect((0..<80).count { EventFrames.isTurn(seq, ofReader: $0) } == 10)
        }
    }

    @Test func `Every number that is another one counts`() {
        let first = change(1)
        #expect(first.differences(from: first) == 0)
        #expect(change(1, count: 2).differences(from: first) == 1)
        #expect(change(1, count: 2, users: 2, total: 2).differences(from: first) == 3)
        var cleared = first
        cleared.kind = .cleared(groups: [], reaction: nil, user: nil, by: "mod", removed: 1, isDeletion: false)
        #expect(cleared.differences(from: first) == 1)
    }
}
