import TestSupport
import Testing

@testable import Reactions

/// The structures under the ledger, against the plainest ones.
@Suite struct StorageTests {
    @Test func `A timeline is a sorted list`() {
        var random = SeededGenerator()
        var timeline = Timeline()
        var plain: [Timeline.Mark] = []
        var seq: UInt64 = 0
        for round in 0..<6_000 {
            seq += 1 + random.below(3)
            let slot = Slot(index: Int32(round))
            let grows = random.below(10) < (round < 3_000 ? 8 : 2)
            if grows || plain.isEmpty {
                timeline.append(slot, at: seq)
                plain.append(Timeline.Mark(seq: seq, slot: slot))
            } else if random.chance(1, of: 3) {
                let mark = plain.remove(at: Int(random.below(UInt64(plain.count))))
                timeline.renew(mark.slot, from: mark.seq, to: seq)
                plain.append(Timeline.Mark(seq: seq, slot: mark.slot))
            } else {
                let mark = plain.remove(at: Int(random.below(UInt64(plain.count))))
                timeline.remove(mark.slot, at: mark.seq)
            }
            timeline.remove(slot, at: seq + 1)
            #expect(timeline.count == plain.count)
            if round % 50 == 0 {
                let before = random.chance(1, of: 4) ? nil : random.below(seq + 2)
                let expected = plain.reversed().filter { mark in before.map { mark.seq < $0 } ?? true }
                #expect(Array(timeline.newestFirst(before: before)) == expected)
            }
        }
    }

    @Test func `Marks of one seq go one by one`() {
        var timeline = Timeline()
        for index in 0..<600 as Range<Int32> { timeline.append(Slot(index: index), at: 7) }
        for index in 0..<600 as Range<Int32> where index != 300 { timeline.remove(Slot(index: index), at: 7) }
        #expect(timeline.newestFirst().map(\.slot) == [Slot(index: 300)])
    }

    @Test func `An index finds what was put in, and nothing else`() {
        var random = SeededGenerator()
        var index = HashIndex()
        var plain: [Int32: UInt32] = [:]
        for round in 0..<8_000 {
            let slot = Int32(random.below(1_500))
            if plain.removeValue(forKey: slot) != nil {
                index.remove(Slot(index: slot))
            } else {
                let hash = UInt32(truncatingIfNeeded: random.below(2_000) &* 0x9E37_79B9)
                plain[slot] = hash
                index.insert(Slot(index: slot), hash)
            }
            guard round % 16 == 0 else { continue }
            let hash = plain.values.randomElement(using: &random) ?? 1
            var found: Set<Int32> = []
            var candidate = index.first(hash)
            while candidate.isSomewhere {
                found.insert(candidate.index)
                candidate = index.next(after: candidate)
            }
            #expect(found == Set(plain.filter { $0.value == hash }.keys))
            #expect(index.first(7) == .nowhere)
        }
    }

    @Test func `An index empties and fills again`() {
        var index = HashIndex()
        for _ in 0..<3 {
            for slot in 0..<100 as Range<Int32> { index.insert(Slot(index: slot), UInt32(slot)) }
            #expect(index.first(42) == Slot(index: 42))
            for slot in 0..<100 as Range<Int32> { index.remove(Slot(index: slot)) }
            #expect(index.first(42) == .nowhere)
        }
    }

    @Test func `What there may be a million of is small`() {
        #expect(MemoryLayout<Tally.User>.stride == 48)
        #expect(MemoryLayout<Tally.Entry>.stride == 56)
        #expect(MemoryLayout<Timeline.Mark>.stride == 12)
    }

    @Test func `A name is kept in place or apart`() {
        for length in [0, 1, 15, 16, 38, 39, 40, 128] {
            let text = String(repeating: "x", count: length)
            let name = Name(text)
            #expect(name.text == text)
            #expect(name.matches(text))
            #expect(!name.matches(text + "x"))
            #expect(length == 0 || !name.matches(text.dropLast() + "y"))
            if case .apart = name { #expect(length > 39) } else { #expect(length <= 39) }
        }
    }

    @Test func `A pool keeps places and uses vacant ones again`() {
        var pool = Pool(blank: "")
        let slots = (0..<1_300).map { pool.insert("\($0)") }
        #expect(Set(slots).count == 1_300)
        for slot in slots where slot.index % 2 == 0 { pool.remove(slot) }
        #expect(pool.count == 650)
        for slot in slots where slot.index % 2 == 1 { #expect(pool[slot] == "\(slot.index)") }
        let again = (0..<650).map { pool.insert("new \($0)") }
        #expect(again.allSatisfy { $0.index < 1_300 && $0.index % 2 == 0 })
        #expect(pool.count == 1_300)
        for slot in slots { pool.remove(slot) }
        #expect(pool.count == 0)
        #expect(Array(pool.slots).isEmpty)
        #expect(pool.insert("x").index == 0)
    }
}
