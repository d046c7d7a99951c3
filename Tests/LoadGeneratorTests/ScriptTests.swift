import Testing

import struct Reactions.Answer

@testable import LoadGenerator

@Suite struct ScriptTests {
    private func plan(_ scenario: LoadGenerator.Plan.Scenario) throws -> LoadGenerator.Plan {
        LoadGenerator.Plan(scenario, target: try Target("ws://127.0.0.1:8080"))
    }

    @Test func `In a fan-out each publisher adds to its own message and removes again`() throws {
        var script = Script(try plan(.fanout))
        var own: Set<UInt64> = []
        let moves = (0..<4).map { _ in script.next(of: 3, own: &own) }
        #expect(moves.map(\.expected) == [.added, .removed, .added, .removed])
        #expect(moves.allSatisfy { CountModel.message(of: $0.cell) == 3 })
    }

    @Test(arguments: [31, 32, 33] as [UInt64])
    func `What comes of each request is what a plain set says`(seed: UInt64) throws {
        print("seed \(seed)")
        var plan = try plan(.react)
        plan.messages = 5
        plan.seed = seed
        var script = Script(plan)
        var own: Set<UInt64> = []
        var model: Set<UInt64> = []
        for _ in 0..<2000 {
            let move = script.next(of: 1, own: &own)
            let isThere = model.contains(move.cell)
            switch move.kind {
            case .add: #expect(move.expected == (isThere ? .updated : .added))
            case .remove: #expect(move.expected == (isThere ? .removed : .unchanged))
            case .toggle: #expect(move.expected == (isThere ? .removed : .added))
            }
            if move.expected == .added { model.insert(move.cell) }
            if move.expected == .removed { model.remove(move.cell) }
            #expect(own == model)
        }
    }

    @Test func `Publishers that are one user have messages of their own`() throws {
        var plan = try plan(.react)
        plan.identity = .token("t")
        #expect(Script.number(of: 3, 0, plan) != Script.number(of: 3, 1, plan))
        plan.identity = .users(prefix: "load")
        #expect(Script.number(of: 3, 0, plan) == Script.number(of: 3, 1, plan))
    }
}

@Suite struct CastTests {
    @Test func `Without popularity, channels take turns`() throws {
        var plan = LoadGenerator.Plan(.fanout, target: try Target("ws://127.0.0.1:8080"))
        plan.channels = 3
        let cast = Cast(plan)
        #expect((0..<6).map(cast.channel(ofSubscriber:)) == [0, 1, 2, 0, 1, 2])
        #expect((0..<4).map(cast.channel(ofPublisher:)) == [0, 1, 2, 0])
    }

    @Test func `With popularity, the first channel has most`() throws {
        var plan = LoadGenerator.Plan(.react, target: try Target("ws://127.0.0.1:8080"))
        plan.channels = 10
        plan.subscribers = 1000
        let cast = Cast(plan)
        let counts = (0..<10).map { channel in (0..<1000).count { cast.channel(ofSubscriber: $0) == channel } }
        #expect(counts[0] > counts[1] && counts[1] > counts[5])
        #expect(counts.reduce(0, +) == 1000)
    }
}

@Suite struct AgendaTests {
    @Test func `What is due is done once, in time`() {
        var agenda = Agenda()
        var single = 0
        var turns: [Int] = []
        agenda.add(after: .seconds(1)) { single += 1 }
        agenda.add(after: .seconds(1) / 3) { single += 10 }
        agenda.add(rate: 2, for: .seconds(2), .constant, seed: 1) { turns.append($0) }
        agenda.act(600_000_000)
        #expect(single == 10 && turns == [0, 1])
        #expect(agenda.nextDue == 1_000_000_000)
        agenda.act(5_000_000_000)
        #expect(single == 11 && turns == [0, 1, 2, 3])
        #expect(agenda.nextDue == nil)
    }
}

@Suite struct RawMessagesTests {
    @Test(arguments: [
        (#"{"say":"{marker}","n":{n}}"#, #"{"say":"M","n":7}"#), ("{marker}{marker}", "MM"), ("{x}{", "{x}{"),
        ("{{n}}", "{7}"), ("a{hex:0D0a}{n}{hex:}", "a\r\n7"), ("{hex:0}{hex:zz}{hex:00", "{hex:0}{hex:zz}{hex:00"),
    ])
    func `Marks are filled in, other braces stay`(text: String, filled: String) {
        #expect(RawMessages.fill(text, ["marker": "M", "n": "7"]) == Array(filled.utf8))
    }

    @Test(arguments: ["{hex:0}", "{hex:0g}", "{hex:+1}", "{hex:é}", "{hex:00"])
    func `What stands for bytes is pairs of digits`(text: String) {
        #expect(throws: RawMessages.Problem.self) { try RawMessages(open: [text], subscribe: [], publish: "{marker}") }
        #expect(throws: RawMessages.Problem.self) { try RawMessages(subscribe: [], publish: text + "{marker}") }
    }

    @Test func `What is published has a marker, and what subscribes has none`() {
        #expect(throws: RawMessages.Problem.self) {
            try RawMessages(subscribe: [], publish: "hello")
        }
        #expect(throws: RawMessages.Problem.self) {
            try RawMessages(subscribe: ["{marker}"], publish: "{marker}")
        }
        #expect(throws: RawMessages.Problem.self) {
            try RawMessages(open: ["{marker}"], subscribe: [], publish: "{marker}")
        }
    }
}

@Suite struct MarkerTests {
    @Test func `A marker is 24 bytes, whatever its run and number`() {
        for (run, number) in [(0, 0), (0xAB, 7), (UInt32.max, 9_999_999_999)] as [(UInt32, UInt64)] {
            #expect(Marker(run).text(number).utf8.count == 24)
        }
    }

    @Test func `All markers of a run are found, wherever they stand`() {
        let marker = Marker(0xAB)
        let text =
            #"42["a","\#(marker.text(0))"] x\#(marker.text(123))y \#(Marker(0xAC).text(5)) ffl-000000ab-9 ffl-000000ab-"#
        var found: [UInt64] = []
        marker.find(in: Array(text.utf8).span) { found.append($0) }
        #expect(found == [0, 123])
    }

    @Test func `Any prefix of a text is safe to look at`() {
        let marker = Marker(0xAB)
        let text = Array("x\(marker.text(77))".utf8)
        for count in text.indices { marker.find(in: Array(text[..<count]).span) { #expect($0 == 77) } }
    }
}
