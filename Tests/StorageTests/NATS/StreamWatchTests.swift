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
        let config =
            #"{"config":{"name":"x-log-0","subjects":["x.log.0.one.*"],"republish":{"src":"x.log.0.one.*"}},"created":"2026"}"#
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

    @Test("a stream whose replica knows of no leader is lost: it takes nothing, as where there is no majority")
    func leaderless() {
        for (cluster, isLost) in [
            (#""cluster":{"name":"C1","replicas":[{"name":"n1","current":false}]}"#, true),
            (#""cluster":{"name":"C1","leader":"n2","replicas":[{"name":"n1","current":true}]}"#, false),
            (#""config":{"placement":{"cluster":"C1"}}"#, false),
        ] {
            let told = answer("{\(cluster)}")
            #expect((StreamWatch.fault(in: "s", told) == .lost("the stream 's' has no leader")) == isLost, "\(cluster)")
        }
    }

    @Test("a server alone that does not answer has no majority to lose")
    func alone() {
        let told = #"{"config":{"name":"s"},"state":{"messages":0}"#
        #expect(StreamAnswer(Array((told + "}").utf8)).isOfServerAlone == true)
        let cluster = told + #","cluster":{"name":"C1","leader":"n2"}}"#
        #expect(StreamAnswer(Array(cluster.utf8)).isOfServerAlone == false)
        let error = #"{"error":{"code":404,"err_code":10059,"description":"stream not found"}}"#
        #expect(StreamAnswer(Array(error.utf8)).isOfServerAlone == nil)
        for (isAlone, hasMajority) in [(true, false), (false, true)] {
            guard case .lost(let words)? = StreamWatch.fault(in: "s", .none, isAlone: isAlone) else {
                Issue.record("silence is no loss")
                continue
            }
            #expect(words.contains("majority") == hasMajority && words.contains("disk is full"))
        }
    }

    /// What a server tells of a stream, with some of it replaced.
    private func info(_ subject: String, _ more: String, _ changes: (String, String)...) -> [UInt8] {
        let config =
            #"{"config":{"name":"x","subjects":["\#(subject)"],"retention":"limits","max_msgs":-1,"max_bytes":-1,"max_age":0,"storage":"file","num_replicas":1,"sealed":false,"deny_delete":false,\#(more)}}"#
        return Array(changes.reduce(config) { $0.replacing($1.0, with: $1.1) }.utf8)
    }

    @Test(
        "a stream of the log that may lose what it acknowledged, or is not told further, is not well",
        arguments: [
            ("x", "x", nil), (#""max_msgs":-1"#, #""max_msgs":9"#, nil),
            (#""deny_delete":false"#, #""deny_delete":true"#, nil),
            (#""storage":"file""#, #""storage":"memory""#, "its storage is memory, and has to be file"),
            (#""discard":"new""#, #""discard":"old""#, "its discard is old, and has to be new"),
            (#""max_age":0"#, #""max_age":1000"#, "its max_age is 1000, and has to be 0"),
            (#""limits""#, #""interest""#, "its retention is interest, and has to be limits"),
            (#"subject":-1"#, #"subject":1"#, "its max_msgs_per_subject is 1, and has to be -1"),
            (#""sealed":false"#, #""sealed":true"#, "its sealed is true, and has to be false"),
            (#"{"src":"x.log.0.one.*"}"#, "null", "its republish is not what brokers need"),
        ] as [(String, String, String?)])
    func shapeOfLog(old: String, new: String, flaw: String?) {
        let more = #""discard":"new","max_msgs_per_subject":-1,"republish":{"src":"x.log.0.one.*"}"#
        let told = info("x.log.0.one.*", more, (old, new))
        #expect(StreamShape.log(beginning: "x.log.0.one.").flaw(in: StreamAnswer(told)) == flaw)
        let look = StreamWatch.look(at: "s", whose: "x.log.0.one.", .reply(told, status: nil, sequence: nil))
        #expect(look == flaw.map { .lost("the stream 's' was changed: \($0)") } ?? .well)
    }

    @Test(
        "the stream of snapshots may not be bounded",
        arguments: [
            ("x", "x", nil), (#""max_msgs":-1"#, #""max_msgs":10"#, "its max_msgs is 10, and has to be -1"),
            (#""max_bytes":-1"#, #""max_bytes":10"#, "its max_bytes is 10, and has to be -1"),
            (#"x.state.\u003e"#, "x.state.*", "its subjects do not have x.state.>"),
        ] as [(String, String, String?)])
    func shapeOfState(old: String, new: String, flaw: String?) {
        let told = info(#"x.state.\u003e"#, #""discard":"old","max_msgs_per_subject":1"#, (old, new))
        #expect(StreamShape.state(subjects: "x.state.>").flaw(in: StreamAnswer(told)) == flaw)
    }

    @Test("other replicas than those set are remarked on")
    func replicas() throws {
        let told = StreamAnswer(info("s", #""discard":"new""#))
        #expect(StreamShape.remarks(on: "x", told, replicas: 1) == [])
        let remark = try #require(StreamShape.remarks(on: "x", told, replicas: 3).first)
        #expect(remark.contains("has 1 replicas") && remark.contains("nats stream edit x --replicas 3"))
    }

    @Test("deny_delete, which nobody can take back, is remarked on, and nothing is refused for it")
    func denyDelete() {
        let told = StreamAnswer(info("s", #""discard":"new""#, (#""deny_delete":false"#, #""deny_delete":true"#)))
        let remarks = StreamShape.remarks(on: "x", told, replicas: 1)
        #expect(remarks.count == 1 && remarks[0].contains("'x' has deny_delete"))
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
