import Testing

@testable import Storage

/// What looks at the streams come to, and what belongs to which life of them.
@Suite struct StreamWatchTests {
    @Test(
        "the servers' clock is looked at once a minute where it agrees, and more often where it does not",
        arguments: [(0, 60_000), (5_000, 60_000), (-5_000, 60_000), (5_001, 10_000), (-40_000, 10_000)])
    func clockPause(lead: Int, pause: Int) {
        #expect(StreamWatch.clockPause(493_000, unix: 500_000 + lead, now: 7_000) == pause)
        #expect(StreamWatch.clockPause(.min, unix: 500_000 + lead, now: 7_000) == 10_000)
    }

    private let settings = NATSSettings(servers: ["nats://a"])

    private func answer(_ text: String) -> NATSAnswer {
        .reply(Array(text.utf8), status: nil, sequence: nil)
    }

    @Test("a stream that takes other subjects is another one, one that is not there is missing")
    func looks() {
        let config = #"{"config":{"name":"x-log-0","subjects":["x.log.0.one.*"]},"created":"2026"}"#
        #expect(StreamWatch.look(at: "x-log-0", whose: "x.log.0.one.", answer(config)) == .well)
        #expect(
            StreamWatch.look(at: "x-log-0", whose: "x.log.0.two.", answer(config))
                == .replaced("the stream 'x-log-0' was made anew"))
        let missing = answer(#"{"error":{"code":404,"err_code":10059,"description":"stream not found"}}"#)
        #expect(StreamWatch.look(at: "s", whose: "a", missing) == .missing("the stream 's' is not there"))
        let offline = answer(#"{"error":{"code":503,"err_code":10008,"description":"a \u003c b"}}"#)
        #expect(StreamWatch.look(at: "s", whose: "a", offline) == .lost("the stream 's': a < b"))
        for silence in [NATSAnswer.none, .nobody, .notSent] {
            guard case .lost = StreamWatch.look(at: "s", whose: "a", silence) else {
                Issue.record("\(silence) is no loss")
                continue
            }
        }
    }

    @Test("the stream of snapshots is well where it answers, whatever stands in it")
    func state() {
        #expect(StreamWatch.fault(in: "s", answer(#"{"config":{"name":"s"},"state":{"messages":0}}"#)) == nil)
        let missing = answer(#"{"error":{"code":404,"err_code":10059,"description":"stream not found"}}"#)
        #expect(StreamWatch.fault(in: "s", missing) == .missing("the stream 's' is not there"))
    }

    @Test("a loss is told once, when it was seen twice, and its end once")
    func losses() {
        var findings = StreamWatch.Findings()
        let told = [.lost("a"), .well, .lost("b"), .lost("c"), .lost("c"), .well, .well].map {
            (look: StreamWatch.Look) in findings.note(look)
        }
        #expect(told == [nil, nil, nil, .lost("c"), nil, .found, nil])
    }

    @Test("another life is told at once and once; a stream that is missing counts as one only after a while")
    func replacements() {
        var findings = StreamWatch.Findings()
        #expect(findings.note(.replaced("r")) == .replaced("r"))
        #expect(findings.note(.replaced("r")) == nil)
        findings = StreamWatch.Findings()
        let told = (0...StreamWatch.Findings.mostMissing).map { _ in findings.note(.missing("m")) }
        #expect(told == [nil, .lost("m"), nil, nil, .replaced("m"), nil])
    }

    @Test("what is written in one life of a stream has another subject than in the next")
    func lives() {
        let one = NATSSubjects(settings, StreamLives(logs: ["a"]))
        let next = NATSSubjects(settings, StreamLives(logs: ["b"]))
        #expect(one.head(of: "chat:1") != next.head(of: "chat:1"))
        #expect(one.part(0, of: "chat:1", at: 7) != next.part(0, of: "chat:1", at: 7))
        #expect(one.lives.epoch != next.lives.epoch)
        #expect(one.entries(of: "chat:1") != next.entries(of: "chat:1"))
        #expect(one.news(of: "chat:1") != next.news(of: "chat:1"))
        #expect(one.entries(of: "chat:1") == "fanfare.log.0.a.chat:1")
    }

    @Test("a stream says into how many partitions its log is divided")
    func partitions() {
        var settings = settings
        settings.partitions = 12
        let names = StreamNames(settings)
        let config = #"{"config":{"name":"x","description":"\#(names.description)","subjects":["a"]}}"#
        #expect(names.partitionCount(in: StreamAnswer(Array(config.utf8))) == 12)
        #expect(names.partitionCount(in: StreamAnswer(Array(#"{"config":{"name":"x"}}"#.utf8))) == nil)
    }

    @Test("TLS is demanded by tls://, by authorities and by a certificate, and by nothing else")
    func tls() {
        #expect(!settings.demandsTLS)
        #expect(NATSSettings(servers: ["tls://a"]).demandsTLS)
        var settings = settings
        settings.authorities = "ca.pem"
        #expect(settings.demandsTLS)
        #expect(NATSSettings(servers: ["tls://ada:p@a:1", "tls://b"]).places == "a:1, b")
    }
}
