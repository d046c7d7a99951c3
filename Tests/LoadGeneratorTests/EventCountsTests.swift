import Testing

import struct Reactions.Change
import struct Reactions.GroupCount
import struct Reactions.Reaction

@testable import LoadGenerator

@Suite struct EventCountsTests {
    private let reactions = ["👍", "🎉", "🔥"]

    private func number(_ reaction: Reaction) -> Int { reactions.firstIndex(of: reaction.text) ?? 15 }

    private func group(_ reaction: Int, _ count: UInt64, users: UInt64? = nil) -> GroupCount {
        GroupCount(reaction: Reaction(canonical: reactions[reaction]), count: count, users: users ?? count)
    }

    private func change(_ seq: UInt64, total: UInt64, _ kind: Change.Kind) -> Change {
        Change(seq: seq, message: "m", user: "u", at: 1, total: total, kind: kind)
    }

    private func wrong(_ counts: inout EventCounts, _ change: Change, message: Int? = 1) -> UInt64 {
        counts.take(change, message: message, reaction: number).wrong
    }

    @Test(arguments: [51, 52, 53] as [UInt64])
    func `Numbers that are those of plain sets are right, and each that is not is noticed`(seed: UInt64) {
        print("seed \(seed)")
        var generator = SeededGenerator(seed: seed)
        var counts = EventCounts()
        counts.begin(after: 100)
        var sets: [Int: [Int: Set<Int>]] = [:]
        for seq in 101...2000 as ClosedRange<UInt64> {
            let message = Int.random(in: 0..<4, using: &generator)
            let reaction = Int.random(in: 0..<3, using: &generator)
            let user = Int.random(in: 0..<5, using: &generator)
            let isThere = sets[message, default: [:]][reaction, default: []].contains(user)
            let isUpdate = isThere && seq % 3 == 0
            if !isThere {
                sets[message, default: [:]][reaction, default: []].insert(user)
            } else if !isUpdate {
                sets[message]?[reaction]?.remove(user)
            }
            var count = UInt64(sets[message]?[reaction]?.count ?? 0)
            var users = count
            var total = UInt64(sets[message]?.values.reduce(0) { $0 + $1.count } ?? 0)
            let fault = Int.random(in: 0..<20, using: &generator)
            switch fault {
            case 0: count += 1
            case 1: users += 1
            case 2: total += 1
            default: break
            }
            let numbers = group(reaction, count, users: users)
            let kind: Change.Kind =
                isUpdate
                ? .updated(numbers, data: .init(text: "{}", canonical: "{}"))
                : isThere ? .removed(numbers, byCount: nil) : .added(numbers, byCount: nil, data: nil)
            let check = counts.take(change(seq, total: total, kind), message: message, reaction: number)
            #expect(check.compared == 3 && check.wrong == (fault < 3 ? 1 : 0), "seq \(seq)")
        }
    }

    @Test func `After a gap the next numbers are believed, and checked from then on`() {
        var counts = EventCounts()
        counts.begin(after: 0)
        #expect(wrong(&counts, change(1, total: 1, .added(group(0, 1), byCount: nil, data: nil))) == 0)
        #expect(wrong(&counts, change(5, total: 9, .added(group(0, 7), byCount: nil, data: nil))) == 0)
        #expect(wrong(&counts, change(6, total: 10, .added(group(0, 8), byCount: nil, data: nil))) == 0)
        #expect(wrong(&counts, change(7, total: 11, .added(group(0, 8), byCount: nil, data: nil))) == 2)
    }

    @Test func `Who did not see the first event of a channel knows nothing of it`() {
        var counts = EventCounts()
        #expect(wrong(&counts, change(9, total: 9, .added(group(0, 7), byCount: nil, data: nil))) == 0)
        counts.forget()
        #expect(wrong(&counts, change(10, total: 3, .removed(group(0, 2), byCount: nil))) == 0)
    }

    @Test func `Events of others are counted past, and what somebody clears is not known`() {
        var counts = EventCounts()
        counts.begin(after: 0)
        #expect(wrong(&counts, change(1, total: 5, .added(group(0, 5), byCount: nil, data: nil)), message: nil) == 0)
        #expect(wrong(&counts, change(2, total: 1, .added(group(0, 1), byCount: nil, data: nil))) == 0)
        let clearing = Change.Kind.cleared(
            groups: [group(0, 0)], reaction: nil, user: nil, by: "mod", removed: 1, isDeletion: false)
        #expect(wrong(&counts, change(3, total: 0, clearing)) == 0)
        #expect(wrong(&counts, change(4, total: 4, .added(group(0, 4), byCount: nil, data: nil))) == 0)
    }

    @Test func `A replacement takes from one group and gives to the other`() {
        var counts = EventCounts()
        counts.begin(after: 0)
        #expect(wrong(&counts, change(1, total: 1, .added(group(0, 1), byCount: nil, data: nil))) == 0)
        let right = Change.Kind.replaced(group(1, 1), previous: group(0, 0), data: nil)
        #expect(wrong(&counts, change(2, total: 1, right)) == 0)
        let back = Change.Kind.replaced(group(0, 1), previous: group(1, 1), data: nil)
        #expect(wrong(&counts, change(3, total: 1, back)) == 2)
    }

    @Test func `Where people may have several, the steps count and the people are not known`() {
        var counts = EventCounts()
        counts.begin(after: 0)
        #expect(wrong(&counts, change(1, total: 3, .added(group(0, 3, users: 1), byCount: 3, data: nil))) == 0)
        #expect(wrong(&counts, change(2, total: 5, .added(group(0, 5, users: 1), byCount: 2, data: nil))) == 0)
        #expect(wrong(&counts, change(3, total: 4, .removed(group(0, 5, users: 1), byCount: 1))) == 1)
    }
}
