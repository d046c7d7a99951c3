import Testing

@testable import LoadGenerator

@Suite struct RunIDTests {
    @Test func `A run knows its own messages and data`() {
        let run = RunID(0xAB12)
        #expect(run.message(7) == "run-ab12-7")
        #expect(run.number(ofMessage: "run-ab12-7") == 7)
        #expect(run.data(number: 123) == #"{"n":123,"run":43794}"#)
        #expect(run.number(in: run.data(number: 123)) == 123)
    }

    @Test(arguments: ["", "m1", "run-ab12-", "run-ab1-7", "run-ab12-x", "run-ab123-7", "run-ab12--1"])
    func `The messages of others are not its own`(message: String) {
        #expect(RunID(0xAB12).number(ofMessage: message) == nil)
    }

    @Test(arguments: [#"{"n":5,"run":1}"#, #"{"n":5}"#, "{}", #"{"run":43794}"#])
    func `The data of others is not its own`(data: String) {
        #expect(RunID(0xAB12).number(in: data) == nil)
    }
}

@Suite struct DialTests {
    @Test(arguments: [("load-sub-1", "load-sub-1"), ("a&b=c", "a%26b%3Dc"), ("~._-", "~._-"), ("é", "%C3%A9")])
    func `A user's name is percent-encoded in the query`(name: String, encoded: String) {
        #expect(Dial.percentEncoded(name) == encoded)
    }

    @Test(arguments: [
        ("ws://127.0.0.1:8080", true), ("ws://localhost:8080", true), ("ws://[::1]:8080", true),
        ("ws://127.3.2.1:1", true),
        ("ws://192.0.2.1:8080", false), ("ws://[2001:db8::1]:8080", false),
    ])
    func `Only the machine's own addresses are local`(url: String, isLocal: Bool) throws {
        #expect(try Dial(Plan(.fanout, target: Target(url))).isLocal == isLocal)
    }
}

@Suite struct SourceTests {
    @Test(arguments: ["127.0.0.2", "::1", "fe80::1"])
    func `A source is an IP address`(text: String) {
        #expect(Dial.source(text) != nil)
    }

    @Test(arguments: ["banana", "localhost", "", "127.0.0.1:80", "/tmp/x", "[::1]", "*"])
    func `What is no IP address is no source`(text: String) throws {
        #expect(Dial.source(text) == nil)
        var plan = Plan(.fanout, target: try Target("ws://127.0.0.1:1"))
        plan.sources = ["127.0.0.2", text]
        #expect {
            try plan.run()
        } throws: { error in
            guard case LoadError.contradiction(let words) = error else { return false }
            return words.contains("--source") && words.contains("\"\(text)\"")
        }
    }
}

@Suite struct HintTests {
    @Test func `Who is refused for want of a token is told which option gives one`() throws {
        var plan = Plan(.fanout, target: try Target("ws://127.0.0.1:1"))
        #expect(plan.hint(behind: "handshake refused with 401").contains("--token"))
        #expect(plan.hint(behind: "handshake refused with 503").isEmpty)
        plan.identity = .token("t")
        #expect(plan.hint(behind: "handshake refused with 401").contains("does not accept the token"))
    }
}

@Suite struct RunLimitTests {
    private func plan(_ change: (inout Plan) -> Void) throws -> Plan {
        var plan = Plan(.fanout, target: try Target("ws://192.0.2.1:8080"))
        change(&plan)
        return plan
    }

    @Test func `Another machine is refused unless it is allowed`() throws {
        let plan = try plan { _ in }
        #expect(throws: LoadError.remoteTarget("192.0.2.1")) { try plan.run() }
    }

    @Test func `More connections than descriptors are refused before the first one`() throws {
        let plan = try plan {
            $0.subscribers = .max / 2
            $0.allowsRemote = true
        }
        #expect {
            try plan.run()
        } throws: { error in
            guard case LoadError.descriptors(let needed, let limit) = error else { return false }
            return needed == plan.connectionCount + 64 && limit < needed
        }
    }

    @Test func `A pause that comes after the end of the run is refused`() throws {
        let plan = try plan {
            $0.faults = [.pause(after: .seconds(10), for: .seconds(1))]
            $0.serverProcess = 1
        }
        #expect {
            try plan.run()
        } throws: { error in
            guard case LoadError.contradiction(let words) = error else { return false }
            return words.contains("comes after 10 s, and the run is over after 10 s")
        }
    }

    @Test func `The kernel's range says how many ports a source has`() {
        #expect(EphemeralPorts.count(in: "32768\t60999\n") == 28_232)
        #expect(EphemeralPorts.count(in: "nonsense") == nil)
    }

    @Test(arguments: [(10, 10, 11, 1), (0, 1, 1, 1), (10, 0, 1, 1), (3, 10, 1, 4)])
    func `A plan that contradicts itself is refused`(subscribers: Int, publishers: Int, channels: Int, loops: Int)
        throws
    {
        let plan = try plan {
            $0.subscribers = subscribers
            $0.publishers = publishers
            $0.channels = channels
            $0.loops = loops
        }
        #expect {
            try plan.run()
        } throws: { error in
            guard case LoadError.contradiction = error else { return false }
            return true
        }
    }
}

@Suite struct InterruptionTests {
    @Test func `Whoever observes hears of a request once, and at once of an earlier one`() {
        let interruption = Interruption()
        let inbox = Inbox<Int>()
        interruption.observe { inbox.post(1) }
        #expect(!interruption.isRequested && interruption.request() == 1)
        interruption.observe { inbox.post(2) }
        #expect(interruption.isRequested && interruption.request() == 2)
        #expect(inbox.take(until: 0) == [1, 2])
    }

    @Test func `A run that is interrupted before its time ends without sending anything`() throws {
        let plan = Plan(.fanout, target: try Target("ws://127.0.0.1:8080"))
        let interruption = Interruption()
        interruption.request()
        let stage = Stage(Setting(plan, dial: try Dial(plan)), interruption: interruption, gate: nil, display: nil)
        var pacer = Pacer(stage: stage, agenda: Agenda())
        var nudges = 0
        let start = pacer.run(begin: { start, end in #expect(end - start == 10_000_000_000) }, nudge: { nudges += 1 })
        #expect(nudges == 1 && start > 0)
    }
}

@Suite struct TallyTests {
    @Test func `A tally is empty until something is counted`() {
        var tally = Tally()
        #expect(tally.isEmpty)
        tally.count("x")
        #expect(!tally.isEmpty)
        _ = tally.take()
        tally.acked += 1
        #expect(!tally.isEmpty)
    }

    @Test func `Taking gives what was counted since the last time, and merging adds it up again`() {
        var tally = Tally()
        var total = Tally()
        for round in 1...3 as ClosedRange<UInt64> {
            tally.opened += 2
            tally.dropped += 1
            tally.delivered += round
            tally.latency.record(round)
            tally.count("rate_limited")
            total.merge(tally.take())
        }
        #expect(tally.delivered == 0 && tally.errorCount == 0 && tally.latency.count == 0)
        #expect(total.delivered == 6)
        #expect(total.connected == 3)
        #expect(total.errors == ["rate_limited": 3])
        #expect(total.latency.count == 3)
    }

    @Test func `The kinds of errors that a broker can make up are bounded`() {
        var tally = Tally()
        for number in 0..<1000 { tally.count("code \(number)") }
        #expect(tally.errors.count == 101)
        #expect(tally.errors["other"] == 900)
        #expect(tally.errorCount == 1000)
    }
}
