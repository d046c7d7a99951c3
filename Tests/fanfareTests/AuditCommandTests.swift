import CommandOptions
import FanfareClient
import Storage
import Testing

@testable import fanfare

@Suite("The commands audit and revoke")
struct AuditCommandTests {
    static let cleared = AuditEntry(
        at: 1_764_470_400_123, .cleared, by: "mod", channel: "chat:42", message: "m1", reaction: "👎", user: "mallory",
        removed: 3, seq: 24)

    @Test(
        "an entry is a line for people",
        arguments: [
            (cleared, "2025-11-30T02:40:00.123Z mod cleared 👎 of mallory on m1 in chat:42: 3 removed (seq 24)"),
            (
                AuditEntry(at: 0, .cleared, by: "mod", channel: "c", message: "*", user: "", removed: 1, seq: 2),
                "1970-01-01T00:00:00.000Z mod cleared of a user who is not named on all messages in c: 1 removed (seq 2)"
            ),
            (
                AuditEntry(at: 0, .cleared, by: "mod", channel: "c", message: "", removed: 1, seq: 2),
                "1970-01-01T00:00:00.000Z mod cleared on the channel itself in c: 1 removed (seq 2)"
            ),
            (
                AuditEntry(at: 0, .deleted, by: "mod", channel: "c", message: "m", removed: 0, seq: 2),
                "1970-01-01T00:00:00.000Z mod deleted on m in c: 0 removed (seq 2)"
            ),
            (AuditEntry(at: 0, .frozen, by: "mod", channel: "c"), "1970-01-01T00:00:00.000Z mod frozen c"),
            (AuditEntry(at: 0, .revoked, by: "server", user: "u"), "1970-01-01T00:00:00.000Z server revoked u"),
            (AuditEntry(at: 0, .frozen, by: "a\nb", channel: "c"), "1970-01-01T00:00:00.000Z a?b frozen c"),
        ])
    func text(entry: AuditEntry, line: String) {
        #expect(AuditLine.text(entry) == line)
    }

    @Test("an entry is a JSON object for programs, without what it does not have")
    func json() throws {
        #expect(
            try AuditLine.json(Self.cleared)
                == #"{"action":"cleared","at":1764470400123,"by":"mod","channel":"chat:42","message":"m1","reaction":"👎","removed":3,"seq":24,"time":"2025-11-30T02:40:00.123Z","user":"mallory"}"#
        )
        #expect(
            try AuditLine.json(AuditEntry(at: 0, .revoked, by: "server", user: "u"))
                == #"{"action":"revoked","at":0,"by":"server","time":"1970-01-01T00:00:00.000Z","user":"u"}"#)
    }

    @Test(
        "--since is a time ago, a day, or a moment",
        arguments: [
            ("2h", 1_000_000_000_000 - 7_200_000), ("7d", 1_000_000_000_000 - 604_800_000),
            ("2025-11-30", 1_764_460_800_000), ("2025-11-30T02:40:00Z", 1_764_470_400_000), ("0", nil),
        ] as [(String, Int64?)])
    func since(text: String, moment: Int64?) throws {
        let words = try AuditCommand.options.parse(["--since", text])
        #expect(try AuditCommand.query(words, now: 1_000_000_000_000).since == moment)
    }

    @Test(
        "wrong words end with 2", arguments: [["--since", "yesterday"], ["--limit", "0"], ["--limit", "x"], ["m1"]])
    func wrongWords(words: [String]) {
        #expect(AuditCommand.run(words) == ExitCode.wrongWords)
    }

    @Test("where there is no store, audit fails")
    func noStore() {
        #expect(AuditCommand.run(["--data", "/dev/null/data"]) == ExitCode.failed)
    }

    @Test(
        "a revocation is asked for beside the WebSocket's address",
        arguments: [
            ("ws://h:1", nil, "/v1/users/a%2Fb/revoke"), ("wss://h/v1/ws", nil, "/v1/users/a%2Fb/revoke"),
            ("http://h/fan/v1/ws", "m&m", "/fan/v1/users/a%2Fb/revoke?user=m%26m"),
            ("http://h/fan/", nil, "/fan/v1/users/a%2Fb/revoke"),
        ])
    func target(url: String, by: String?, target: String) throws {
        #expect(RevokeCommand.target("a/b", by, try BrokerURL(url)) == target)
    }

    @Test(
        "wrong words of revoke end with 2, and the key is not repeated",
        arguments: [
            ["--key", "k"], ["--user", "a b", "--key", "k"], ["--user", "ada", "--key", ""], ["--user", "ada"],
            ["--user", "ada", "--key", "k k"], ["--user", "ada", "--key", "k", "--url", "nowhere"],
        ])
    func revokeWords(words: [String]) {
        #expect(RevokeCommand.run(words) == ExitCode.wrongWords)
    }

    @Test(
        "an answer is read as far as it goes",
        arguments: [
            ("HTTP/1.1 200 OK\r\nA: b\r\n\r\n{}", 200), ("HTTP/1.0 401 \r\n\r\n", 401), ("HTTP/1.1 200 OK\r\n", nil),
            ("", nil), ("HTTP/2 200 OK\r\n\r\n", nil), ("HTTP/1.1 x OK\r\n\r\n", nil), ("\r\n\r\n", nil),
            ("HTTP/1.1 9999999999999999999999 OK\r\n\r\n", nil),
        ])
    func answers(text: String, status: Int?) {
        #expect(HTTPCall.Answer(Array(text.utf8))?.status == status)
    }
}
