import Foundation
import Testing

@testable import Storage

/// The names and texts that go to and come from NATS.
@Suite struct NATSFormsTests {
    @Test(
        "a name is one token of a subject and comes back from it",
        arguments: ["chat:42", "a.b", "*", ">", "x%2E", "$SYS", "\"\\", "~!@#&()", "live:final-1_2"])
    func tokens(name: String) {
        let token = NATSSubjects.token(name)
        #expect(token.utf8.allSatisfy { !".*> \"\\$".utf8.contains($0) })
        #expect(NATSSubjects.name(ofToken: token) == name)
    }

    @Test("different names are different tokens")
    func different() {
        let names = ["a.b", "a%2eb", "a%2Eb", "a%252eb", "a_b", "a:b"]
        #expect(Set(names.map(NATSSubjects.token)).count == names.count)
    }

    @Test("a token that nobody made is none", arguments: ["%", "%2", "%zz", "a%"])
    func foreignTokens(token: String) {
        #expect(NATSSubjects.name(ofToken: token) == nil)
    }

    @Test(
        "a snapshot stays the longer the more parts it has, up to some seconds, and for as long as reading very many takes",
        arguments: [(1, 2_000), (5, 6_000), (40, 10_000), (100, 10_000), (900, 90_000)] as [(Int, Int64)])
    func snapshotTimes(parts: Int, time: Int64) {
        #expect(SnapshotKeeper.leastTime(parts: parts) == time)
    }

    @Test("a channel stands in one of the streams, always the same one")
    func partitions() {
        var settings = NATSSettings(servers: ["nats://a"])
        settings.name = "x"
        settings.partitions = 3
        let subjects = NATSSubjects(settings, StreamLives(logs: ["a", "b", "c"]))
        #expect(subjects.logs == ["x-log-0", "x-log-1", "x-log-2"])
        let used = Set((0..<100).map { subjects.log(of: "chat:\($0)") })
        #expect(used == Set(subjects.logs))
        #expect(subjects.log(of: "chat:1") == subjects.log(of: "chat:1"))
    }

    @Test("replicas are three where three servers are named, unless the settings say otherwise")
    func replicas() {
        var settings = NATSSettings(servers: ["nats://a"])
        #expect(settings.replicaCount == 1)
        settings.servers = ["nats://a", "nats://b", "nats://c"]
        #expect(settings.replicaCount == 3)
        settings.replicas = 5
        #expect(settings.replicaCount == 5)
    }

    @Test(
        "who the broker is stands in a URL as it is, or percent-encoded",
        arguments: [
            ("nats://a:1", nil, nil, "a:1"), ("nats://u:p@a", "u", "p", "a"),
            ("tls://tok%65n@[::1]:4", "token", nil, "[::1]:4"),
            ("nats://u:a:b@c/d?e#f%zz%4@a:1", "u", "a:b@c/d?e#f%zz%4", "a:1"),
            ("nats://q%22u:%5C%C3%A4%00%25@a", "q\"u", "\\ä\0%", "a"),
            ("nats://:@a", "", "", "a"), ("nats://u%3Av:p@a", "u:v", "p", "a"),
        ] as [(String, String?, String?, String)])
    func identities(url: String, user: String?, password: String?, place: String) {
        let server = NATSServer(url)
        #expect(server.identity == user.map { NATSIdentity(user: $0, password: password) })
        #expect(server.place == place && url.hasPrefix(server.scheme))
    }

    @Test("the library gets a name and a password as they stand between quotation marks in JSON")
    func escapes() throws {
        #expect(NATSIdentity.escaped("plain ä€/") == "plain ä€/")
        #expect(NATSIdentity.escaped("a\"b\\c\n\0\u{1F}") == #"a\"b\\c\u000a\u0000\u001f"#)
        #expect(NATSServer("nats://q%22:%5C@a:1").urlForLibrary == #"nats://q\":\\@a:1"#)
        #expect(NATSServer("nats://token@a").urlForLibrary == "nats://token@a")
        #expect(NATSServer("nats://a").urlForLibrary == "nats://a")
        for url in ["nats://u%3Av:p@a", "nats://:p@a"] { #expect(NATSServer(url).urlForLibrary == nil) }
    }

    @Test("a file of credentials is known by its two parts, and what is none is said to be so")
    func credentials() throws {
        let folder = try TemporaryFolder()
        let made = """
            -----BEGIN NATS USER JWT-----
            eyJ0eXAi
            ------END NATS USER JWT------
            -----BEGIN USER NKEY SEED-----
            SUAC
            ------END USER NKEY SEED------
            """
        for (text, isUsable) in [(made, true), ("-----BEGIN CERTIFICATE-----\nMIIB", false), ("", false)] {
            try Data(text.utf8).write(to: URL(filePath: folder.file("it.creds")))
            #expect((NATSCredentials.flaw(of: folder.file("it.creds")) == nil) == isUsable)
        }
        #expect(NATSCredentials.flaw(of: folder.file("missing"))?.contains("No such file") == true)
        #expect(NATSCredentials.flaw(of: folder.path)?.contains("Is a directory") == true)
    }

    @Test(
        "servers that take little in a message are remarked on",
        arguments: [(262_144, false), (262_143, true), (1_024, true)])
    func payload(most: Int, isRemarked: Bool) {
        #expect((NATSLog.remark(onPayload: most) != nil) == isRemarked)
    }

    @Test(
        "what a server says of its files is told without their names, and a full disk as what it is",
        arguments: [
            (
                "write /srv/js/$G/streams/a-log-0/msgs/1.blk: no space left on device",
                "a NATS server cannot write to its disk, which is full: no space left on device"
            ),
            (
                "open /srv/1.blk: disk quota exceeded",
                "a NATS server cannot write to its disk, which is full: disk quota exceeded"
            ),
            ("write /srv/1.blk: input/output error", "a NATS server cannot write to its disk: input/output error"),
            ("insufficient storage resources available", "insufficient storage resources available"),
            ("replicas > 1 not supported: a /b: c", "replicas > 1 not supported: a /b: c"),
            ("write /srv", "write /srv"),
        ])
    func filesOfServers(said: String, told: String) {
        let answer = StreamAnswer(Array(#"{"error":{"code":503,"err_code":10077,"description":"\#(said)"}}"#.utf8))
        #expect(answer.errorWords == told)
    }

    @Test("a server that ends the connection behind TLS may want a certificate, or another one")
    func hangUps() {
        var settings = NATSSettings(servers: ["tls://a"])
        #expect(NATSOptions.hangUp(settings).contains("asks for a client certificate: see nats.cert and nats.key"))
        settings.certificate = "c.pem"
        #expect(NATSOptions.hangUp(settings).contains("does not take the client certificate in 'c.pem'"))
    }

    @Test("what cannot be used of the settings is known without a server")
    func flaws() {
        #expect(NATSSettings(servers: ["nats://ada:p@a:1", "nats://b:1"]).flaw() == nil)
        #expect(
            NATSSettings(servers: ["nats://u%3Av:p@a", "nats://b"]).flaw()?.contains("has a colon or nothing") == true)
        var settings = NATSSettings(servers: ["tls://a"])
        settings.authorities = "/dev/null"
        #expect(settings.flaw()?.contains("the authorities in '/dev/null' cannot be used") == true)
    }

    @Test("a server has another log where the stream is not there or another one, and silence says nothing")
    func agreement() {
        func finding(_ text: String) -> ServerAgreement.Finding {
            ServerAgreement.finding(in: .reply(Array(text.utf8), status: nil, sequence: nil), "x.log.0.one.")
        }
        #expect(finding(#"{"config":{"subjects":["x.log.0.one.*"]}}"#) == .same)
        #expect(finding(#"{"config":{"subjects":["x.log.0.two.*"]}}"#) == .other)
        #expect(finding(#"{"error":{"code":404,"err_code":10059,"description":"stream not found"}}"#) == .other)
        #expect(finding(#"{"error":{"code":503,"err_code":10008,"description":"unavailable"}}"#) == .unknown)
        for silence in [NATSAnswer.none, .nobody, .notSent] {
            #expect(ServerAgreement.finding(in: silence, "x.log.0.one.") == .unknown)
        }
    }

    @Test("what a stream answers is read")
    func answers() {
        let put = StreamAnswer(Array(#"{"stream":"x-log-0", "seq":12,"duplicate": true}"#.utf8))
        #expect(put.sequence == 12)
        #expect(put.errorCode == nil)
        let failed = StreamAnswer(
            Array(#"{"error":{"code":503,"err_code":10077,"description":"maximum bytes exceeded"},"seq":0}"#.utf8))
        #expect(failed.errorCode == 10077)
        #expect(failed.errorWords == "maximum bytes exceeded")
        let message = StreamAnswer(
            Array(#"{"type":"t","message":{"subject":"x.log.0.c","seq":5,"hdrs":"TkE=","data":"aGk5/+8="}}"#.utf8))
        #expect(message.sequence == 5)
        #expect(message.data == Array("hi9".utf8) + [0xFF, 0xEF])
        let info = StreamAnswer(Array(#"{"config":{"name":"x","subjects":["x.log.0.abc.*"]},"state":{}}"#.utf8))
        #expect(info.text(between: "\"x.log.0.", and: ".") == "abc")
        #expect(info.text(between: "\"x.log.1.", and: ".") == nil)
        #expect(info.text(between: "\"x.log.0.", and: ":") == nil)
        #expect(StreamAnswer([]).sequence == nil)
    }

    @Test(
        "times of JetStream are read, and what is none is not",
        arguments: [
            ("1970-01-01T00:00:00Z", 0), ("2026-11-30T21:24:04.123456789Z", 1_796_073_844_123),
            ("2024-02-29T23:59:59.9Z", 1_709_251_199_900), ("2000-03-01T00:00:00.05Z", 951_868_800_050),
            ("2100-02-28T12:00:00Z", 4_107_499_200_000), ("", nil), ("2026-11-30T21:24:04", nil),
            ("2026-11-30T21:24:04+01:00Z", nil), ("2026-13-30T21:24:04Z", nil), ("2026-11-30T21:24:04.x1Z", nil),
            ("2026-11-3üT21:24:04Z", nil),
        ] as [(String, Int64?)])
    func times(text: String, milliseconds: Int64?) {
        #expect(Timestamp.milliseconds(text) == milliseconds)
        let answer = #"{"type":"x","message":{"subject":"f.state.clock","seq":5,"time":"\#(text)"}}"#
        #expect(StreamAnswer(Array(answer.utf8)).time == milliseconds)
    }

    @Test("a replica that knows of no leader is told from a leader that has nothing")
    func leaderless() {
        func answer(_ code: Int) -> StreamAnswer {
            StreamAnswer(Array(#"{"type":"x","error":{"code":503,"err_code":\#(code),"description":"no"}}"#.utf8))
        }
        #expect(answer(10008).isOfLeaderless)
        #expect(!answer(10037).isOfLeaderless)
        #expect(!StreamAnswer(Array(#"{"message":{"seq":10008}}"#.utf8)).isOfLeaderless)
    }

    @Test("base 64 is read, and what is none is not")
    func base64() {
        #expect(Base64.bytes(of: "") == [])
        #expect(Base64.bytes(of: "AA==") == [0])
        #expect(Base64.bytes(of: "AAEC/w==") == [0, 1, 2, 255])
        #expect(Base64.bytes(of: "A*==") == nil)
    }

    @Test("a snapshot's head comes back, and what is none is not")
    func heads() {
        let head = SnapshotHead(position: .max, at: 1_764_470_400_123, floor: 7, places: [8, 9, .max])
        #expect(SnapshotHead(head.bytes) == head)
        #expect(head.parts == 3)
        for text in ["", "1 2 3", "1 2 3 ", "1 2 3 4 5", "a 2 3 4", "-1 2 3 4", "1 2 3 4,", "1 2 3 ,4", "1 2 3 4,b"] {
            #expect(SnapshotHead(Array(text.utf8)) == nil)
        }
    }

    @Test("a revocation comes back, and what is none is not")
    func revocations() {
        let revocation = Revocation(user: "ada", at: 5, by: "mod")
        #expect(Revocation(revocation.bytes) == revocation)
        for text in ["", "5 ada", "5  mod", "x ada mod", "5 ada mod more"] {
            #expect(Revocation(Array(text.utf8)) == nil)
        }
    }

    @Test("a long part of a log is read by several walks, which leave nothing out")
    func walks() {
        #expect(EntryWalks.ends(after: 7, through: 7) == [7])
        #expect(EntryWalks.ends(after: 7, through: 8) == [8])
        #expect(EntryWalks.ends(after: 0, through: 127) == [127])
        #expect(EntryWalks.ends(after: 10, through: 138) == [74, 138])
        for (place, last) in [(0, 1_000_003), (5, 1_300), (0, .max), (.max - 2_000, .max)] as [(UInt64, UInt64)] {
            let ends = EntryWalks.ends(after: place, through: last)
            #expect(ends.count == 16 && ends.last == last && ends == ends.sorted() && Set(ends).count == 16)
            #expect(ends.allSatisfy { $0 > place })
        }
    }

    @Test("places before a snapshot are taken once; what came after a loss stands for all before it")
    func places() {
        let places = EntryPlaces()
        #expect(places.take("a", before: 9) == [])
        let channel = places.begin("a")
        for (place, previous) in [(3, 0), (5, 3), (9, 5)] as [(UInt64, UInt64)] { channel.note(place, after: previous) }
        #expect(places.take("a", before: 9) == [3, 5])
        #expect(places.take("a", before: 9) == [])
        for (place, previous) in [(15, 14), (12, 9), (14, 12)] as [(UInt64, UInt64)] {
            channel.note(place, after: previous)
        }
        #expect(places.take("a", before: 15) == [9, 12, 14])
        channel.note(8, after: 5)
        #expect(places.take("a", before: .max) == [8])
        for place in 10..<UInt64(EntryPlaces.most) + 20 { channel.note(place, after: place - 1) }
        let kept = places.take("a", before: .max)
        #expect(kept.count <= EntryPlaces.most && kept.last == UInt64(EntryPlaces.most) + 19)
        places.end("a")
        #expect(places.take("a", before: .max) == [])
    }
    @Test("places before what was not told are not taken: they may be another channel's by now")
    func unprovenPlaces() {
        let places = EntryPlaces()
        let channel = places.begin("a")
        func note(_ told: [(UInt64, UInt64)]) {
            for (place, previous) in told { channel.note(place, after: previous) }
        }
        // 5 and 6 are lost, and 7 is not told.
        note([(3, 0), (5, 3), (6, 5), (8, 7), (9, 8)])
        #expect(places.take("a", before: 9) == [8])
        #expect(places.take("a", before: .max) == [9])
        // 12, 13 and 15 come late, in whichever order.
        for late in [[(12, 11), (13, 12), (15, 14)], [(15, 14), (13, 12), (12, 11)]] as [[(UInt64, UInt64)]] {
            places.end("a")
            let channel = places.begin("a")
            for (place, previous) in [(11, 10), (14, 13), (16, 15)] + late { channel.note(place, after: previous) }
            #expect(places.take("a", before: .max) == [11, 12, 13, 14, 15, 16])
        }
        places.end("a")
        let other = places.begin("a")
        for (place, previous) in [(11, 10), (14, 13), (13, 12), (16, 15), (17, 16)] as [(UInt64, UInt64)] {
            other.note(place, after: previous)
        }
        #expect(places.take("a", before: .max) == [16, 17])
    }
    @Test(
        "the library's words come without a place in its sources",
        arguments: [
            ("(conn.c:733): SSL handshake error: 18:self-signed", "SSL handshake error: 18:self-signed"),
            ("Timeout", "Timeout"), ("", ""), ("(odd", "(odd"),
        ])
    func words(_ words: String, _ told: String) {
        #expect(NATSOptions.withoutPlace(words) == told)
    }
}
