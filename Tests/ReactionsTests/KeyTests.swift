import TestSupport
import Testing

@testable import Reactions

/// PROTOCOL.md section 3, `key`.
@Suite struct KeyTests {
    @Test("where the clock goes back a key is known for ten minutes from then on, and no longer")
    func clockBack() throws {
        var keys = UsedKeys()
        let body = try #require(Fingerprint(bytes: Array(repeating: 0, count: 16)))
        func use(_ key: String, at time: Int64) -> UsedKeys.Use {
            UsedKeys.Use(user: "ada", key: key, at: time, body: body, answer: [])
        }
        keys.remember(use("a", at: 50_000_000))
        keys.remember(use("b", at: 50_000_001))
        keys.remember(use("c", at: 1_000_000))
        keys.forget(before: 1_000_000)
        #expect(keys.use(of: "a", by: "ada", at: 1_600_000) != nil)
        #expect(keys.use(of: "a", by: "ada", at: 1_600_001) == nil)
        keys.forget(before: 1_000_001)
        #expect(keys.all.isEmpty)
    }

    @Test func `The same key again changes nothing and gets the first answer again`() throws {
        var desk = Desk(.multiple)
        let first = try desk.add("a", "ada", key: "k")
        try desk.add("a", "bob")
        let again = try desk.add("a", "ada", key: "k")
        #expect(again == Outcome(answer: first.answer, isDuplicate: true))
        #expect(desk.ledger.total(of: "m") == 2)
    }

    @Test func `unchanged is remembered too, whatever happened since`() throws {
        var desk = Desk()
        let first = try desk.remove("a", "ada", key: "k")
        #expect(first.answer.result == .unchanged)
        #expect(first.changes.isEmpty && first.records.map(Place.init) == [.key(user: "ada", key: "k")])
        try desk.add("a", "ada")
        #expect(try desk.remove("a", "ada", key: "k") == Outcome(answer: first.answer, isDuplicate: true))
        #expect(desk.ledger.total(of: "m") == 1)
    }

    @Test func `Errors are not remembered`() throws {
        var desk = Desk()
        #expect(throws: Refusal.invalidReaction) { try desk.add("no!", "ada", key: "k") }
        #expect(try desk.add("a", "ada", key: "k").answer.result == .added)
    }

    @Test func `A key is its user's own`() throws {
        var desk = Desk()
        try desk.add("a", "ada", key: "k")
        #expect(try desk.add("b", "bob", key: "k").answer.result == .added)
    }

    @Test func `A key is remembered for ten minutes, and then unused again`() throws {
        var desk = Desk(.multiple)
        try desk.add("a", "ada", key: "k")
        desk.now += 600_000 - 1
        #expect(try desk.add("a", "ada", key: "k").isDuplicate)
        #expect(try !desk.add("b", "ada", key: "k").isDuplicate)
        #expect(try desk.add("b", "ada", key: "k").isDuplicate)
    }

    @Test func `Only what another body has is another body`() throws {
        let data = ReactionData(text: "{\"n\":1}", canonical: "{\"n\":1}")
        let spaced = ReactionData(text: "{ \"n\" : 1 }", canonical: "{\"n\":1}")
        let other = ReactionData(text: "{\"n\":2}", canonical: "{\"n\":2}")
        let bodies: [[(String, Operation.Action)]] = [
            [
                ("m", .add(reaction: "❤", count: 1, data: data)),
                ("m", .add(reaction: "❤\u{FE0F}", count: nil, data: spaced)),
            ],
            [("m", .add(reaction: "❤", count: 1, data: nil))],
            [("m", .add(reaction: "❤", count: 1, data: other))],
            [("m", .add(reaction: "❤", count: 2, data: data))],
            [("n", .add(reaction: "❤", count: 1, data: data))],
            [("m", .add(reaction: "x", count: 1, data: data))],
            [("m", .remove(reaction: "❤", count: nil)), ("m", .remove(reaction: "❤\u{FE0E}", count: nil))],
            [("m", .remove(reaction: "❤", count: 1))],
            [("m", .clear(reaction: nil, user: nil))],
            [("m", .clear(reaction: "❤", user: nil)), ("m", .clear(reaction: "❤\u{FE0F}", user: nil))],
            [("m", .clear(reaction: nil, user: "ada"))],
            [("m", .clear(reaction: "❤", user: "ada"))],
            [("*", .clear(reaction: "❤", user: "ada"))],
            [("m", .delete)],
            [("", .delete)],
        ]
        for (index, same) in bodies.enumerated() {
            for (message, action) in same {
                for (otherIndex, others) in bodies.enumerated() {
                    for (otherMessage, otherAction) in others {
                        var desk = Desk(.multiple)
                        try desk.apply(action, "ada", on: message, key: "k")
                        var isReused = false
                        do {
                            let again = try desk.apply(otherAction, "ada", on: otherMessage, key: "k")
                            #expect(again.isDuplicate)
                        } catch {
                            #expect(error == .keyReused)
                            isReused = true
                        }
                        #expect(isReused == (index != otherIndex), "\(action), then \(otherAction)")
                    }
                }
            }
        }
    }

    @Test func `The bodies of set and toggle`() throws {
        var desk = Desk()
        try desk.apply(.set(reactions: ["❤", "a", "a"]), "ada", key: "k")
        #expect(try desk.apply(.set(reactions: ["❤\u{FE0F}", "a"]), "ada", key: "k").isDuplicate)
        #expect(throws: Refusal.keyReused) { try desk.apply(.set(reactions: ["a", "❤"]), "ada", key: "k") }
        #expect(throws: Refusal.keyReused) { try desk.apply(.set(reactions: ["❤"]), "ada", key: "k") }
        try desk.apply(.toggle(reaction: "❤", count: nil, data: nil), "ada", key: "l")
        #expect(try desk.apply(.toggle(reaction: "❤\u{FE0F}", count: nil, data: nil), "ada", key: "l").isDuplicate)
        #expect(throws: Refusal.keyReused) { try desk.add("❤", "ada", key: "l") }
    }

    @Test func `Keys outlast a restart`() throws {
        var desk = Desk()
        let first = try desk.apply(.set(reactions: ["a", "b"]), "ada", key: "k")
        desk.ledger = Ledger(ChannelImage(seq: desk.ledger.seq, records: first.records.reversed()))
        #expect(
            try desk.apply(.set(reactions: ["a", "b"]), "ada", key: "k")
                == Outcome(answer: first.answer, isDuplicate: true))
    }

    @Test func `Forgotten keys leave nothing behind`() throws {
        var desk = Desk()
        for index in 0..<2_000 { try desk.remove("a", "ada", key: "k\(index)") }
        try desk.remove("a", "ada", key: "k0")
        desk.ledger.forgetKeys(before: desk.now - 1)
        #expect(desk.ledger.image.records.map(Place.init) == [.key(user: "ada", key: "k1999")])
        desk.ledger.forgetKeys(before: .max)
        #expect(desk.ledger.image == ChannelImage())
    }

    @Test func `Any answer comes back from its bytes`() {
        var random = SeededGenerator()
        let numbers: [UInt64] = [0, 1, 127, 128, 16_383, 16_384, 1 << 53, .max]
        let texts = ["", "m", "👍", String(repeating: "x", count: 128)]
        for _ in 0..<2_000 {
            var answer = Answer(
                random.pick(Answer.Result.allCases), message: random.pick(texts), seq: random.pick(numbers))
            if random.chance(1, of: 2) { answer.reaction = Reaction(canonical: random.pick(texts)) }
            if random.chance(1, of: 2) { answer.previous = Reaction(canonical: random.pick(texts)) }
            if random.chance(1, of: 2) { answer.count = random.pick(numbers) }
            if random.chance(1, of: 2) { answer.removed = random.pick(numbers) }
            if random.chance(1, of: 2) { answer.frozen = random.chance(1, of: 2) }
            if random.chance(1, of: 2) {
                answer.own = (0..<random.below(4)).map { _ in
                    OwnReaction(reaction: Reaction(canonical: random.pick(texts)), count: random.pick(numbers))
                }
            }
            let bytes = answer.bytes
            #expect(Answer(bytes: bytes) == answer)
            for length in 0..<bytes.count { #expect(Answer(bytes: Array(bytes.prefix(length))) != answer) }
            var broken = bytes
            broken[Int(random.below(UInt64(bytes.count)))] = UInt8(truncatingIfNeeded: random.next())
            _ = Answer(bytes: broken)
            #expect(Answer(bytes: bytes + [0]) == nil)
        }
    }

    @Test func `A fingerprint is the same in every run`() {
        let operation = Operation(.add(reaction: "👍", count: nil, data: nil), message: "m", user: "ada")
        let bytes = Fingerprint(of: operation, rules: Rules()).bytes
        #expect(bytes.count == 16)
        #expect(Fingerprint(bytes: bytes)?.bytes == bytes)
        #expect(
            bytes.map { String($0, radix: 16) }.joined(separator: " ")
                == "ce 67 6e e4 5 34 f8 d0 57 bf 2b 4c b 37 ba e0")
        #expect(Fingerprint(bytes: Array(bytes.dropLast())) == nil)
    }
}
