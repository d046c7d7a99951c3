import TestSupport
import Testing
import Transport

@testable import FanfareClient

/// A machine with a clock and a generator of its own.
private struct Rig {
    var machine = ConnectionMachine(connectTimeout: .seconds(10))
    var generator = SeededGenerator(seed: 11)
    var now = Duration.seconds(1000)

    mutating func tell(_ event: ConnectionMachine.Event, after wait: Duration = .zero) -> [ConnectionMachine.Action] {
        now += wait
        return machine.handle(event, at: now, using: &generator)
    }

    /// Sends the timer at the very deadline.
    mutating func waitForDeadline() throws -> [ConnectionMachine.Action] {
        now = try #require(machine.deadline)
        return machine.handle(.timer, at: now, using: &generator)
    }

    mutating func connect() {
        _ = tell(.start)
        _ = tell(.welcomed(user: "ada", heartbeat: .seconds(25)), after: .milliseconds(20))
    }

    var wait: Duration? {
        if case .waiting(let wait, _) = machine.state { wait } else { nil }
    }
}

@Suite("The life of a client's connection")
struct ConnectionMachineTests {
    @Test("begins with one attempt")
    func start() {
        var rig = Rig()
        #expect(rig.machine.state == nil)
        #expect(rig.tell(.start) == [.open])
        #expect(rig.machine.state == .connecting)
        #expect(rig.tell(.start) == [])
        #expect(rig.machine.deadline == rig.now + .seconds(10))
    }

    @Test("resumes at the welcome")
    func welcome() {
        var rig = Rig()
        _ = rig.tell(.start)
        #expect(rig.tell(.welcomed(user: "ada", heartbeat: .seconds(25))) == [.resume])
        #expect(rig.machine.state == .connected(user: "ada"))
        #expect(rig.tell(.welcomed(user: "eve", heartbeat: .seconds(25))) == [])
        #expect(rig.machine.state == .connected(user: "ada"))
    }

    @Test("is never connected to a broker that takes the client for nobody, and says so")
    func unrecognized() {
        var rig = Rig()
        _ = rig.tell(.start)
        let end = CloseReason.unauthorized("this broker wants a token")
        #expect(rig.tell(.unrecognized("this broker wants a token")) == [.leave, .finish(end)])
        #expect(rig.machine.state == .closed(end))
        #expect(rig.machine.deadline == nil)
    }

    @Test("gives up an attempt without a welcome in time, and tries again")
    func noWelcome() throws {
        var rig = Rig()
        _ = rig.tell(.start)
        #expect(rig.tell(.timer, after: .seconds(9)) == [])
        #expect(try rig.waitForDeadline() == [.drop])
        #expect(rig.machine.state == .waiting(retryAfter: try #require(rig.wait), .noWelcome))
        #expect(try rig.waitForDeadline() == [.open])
        #expect(rig.machine.state == .connecting)
    }

    @Test("drops a connection on which nothing was heard for heartbeat_ms and 10 s")
    func silence() throws {
        var rig = Rig()
        rig.connect()
        rig.now += .seconds(30)
        rig.machine.heard(at: rig.now)
        #expect(rig.machine.deadline == rig.now + .seconds(35))
        #expect(rig.tell(.timer, after: .seconds(34)) == [])
        #expect(rig.tell(.timer, after: .seconds(1)) == [.drop])
        #expect(rig.machine.state == .waiting(retryAfter: try #require(rig.wait), .silent))
    }

    @Test("waits within a ceiling that doubles while connections do not last 5 s", arguments: [11, 12, 13] as [UInt64])
    func backoff(seed: UInt64) throws {
        var rig = Rig()
        rig.generator = SeededGenerator(seed: seed)
        rig.connect()
        for ceiling in [500, 1000, 2000, 4000, 8000, 16_000, 20_000, 20_000] {
            #expect(rig.tell(.lost(.broken(nil)), after: .milliseconds(4999)) == [])
            #expect(try #require(rig.wait) <= .milliseconds(ceiling))
            #expect(try rig.waitForDeadline() == [.open])
            _ = rig.tell(.welcomed(user: nil, heartbeat: .seconds(25)))
        }
    }

    @Test("starts the back-off anew only after 5 s of stability")
    func stability() throws {
        var rig = Rig()
        _ = rig.tell(.start)
        for _ in 0..<8 {
            _ = rig.tell(.lost(.unreachable("refused")))
            _ = try rig.waitForDeadline()
        }
        _ = rig.tell(.welcomed(user: nil, heartbeat: .seconds(25)))
        _ = rig.tell(.lost(.broken(nil)), after: .seconds(5))
        #expect(try #require(rig.wait) <= .milliseconds(500))
    }

    @Test("obeys the retry_after_ms of a goodbye", arguments: [0, 1, 2300, 60_000])
    func goodbye(milliseconds: Int) {
        var rig = Rig()
        rig.connect()
        let asked = Duration.milliseconds(milliseconds)
        #expect(rig.tell(.goodbye(code: 1012, reason: "restart", retryAfter: asked), after: .seconds(60)) == [])
        #expect(rig.tell(.lost(.closed(code: 1012, reason: ""))) == [])
        #expect(rig.machine.state == .waiting(retryAfter: asked, .closed(code: 1012, reason: "restart")))
    }

    @Test("never waits less than a goodbye asked, and backs off from a broker that sends away at once")
    func goodbyeAtOnce() throws {
        var rig = Rig()
        rig.connect()
        for _ in 0..<8 {
            _ = rig.tell(.goodbye(code: 1013, reason: "full", retryAfter: .milliseconds(100)))
            _ = rig.tell(.lost(.closed(code: 1013, reason: "full")))
            #expect(try #require(rig.wait) >= .milliseconds(100))
            _ = try rig.waitForDeadline()
            _ = rig.tell(.welcomed(user: nil, heartbeat: .seconds(25)))
        }
        _ = rig.tell(.lost(.broken(nil)))
        #expect(rig.machine.state != nil)
    }

    @Test("does not wait longer for a close after a goodbye than 5 s")
    func farewell() throws {
        var rig = Rig()
        rig.connect()
        _ = rig.tell(.goodbye(code: 1012, reason: "restart", retryAfter: .seconds(3)), after: .seconds(60))
        rig.machine.heard(at: rig.now + .seconds(1))
        #expect(rig.machine.deadline == rig.now + .seconds(5))
        // Said again, it wins the broker no more time.
        _ = rig.tell(.goodbye(code: 1012, reason: "restart", retryAfter: .seconds(9)), after: .seconds(4))
        #expect(rig.machine.deadline == rig.now + .seconds(1))
        #expect(try rig.waitForDeadline() == [.drop])
        #expect(rig.wait == .seconds(3))
    }

    struct End: Sendable, CustomTestStringConvertible {
        var name: String
        var events: [ConnectionMachine.Event]
        var reason: CloseReason
        var testDescription: String { name }
    }

    private static let unauthorized = CloseReason.unauthorized("the token ran out or none was given (close code 4001)")

    @Test(
        "does not come back where that is no use",
        arguments: [
            End(
                name: "goodbye with retry_after_ms null",
                events: [
                    .goodbye(code: 4003, reason: "banned", retryAfter: nil), .lost(.closed(code: 4003, reason: "")),
                ], reason: .unwanted(code: 4003, reason: "banned")),
            End(
                name: "null with another code",
                events: [.goodbye(code: 1013, reason: "gone", retryAfter: nil), .lost(.broken(nil))],
                reason: .unwanted(code: 1013, reason: "gone")),
            End(
                name: "close 4003", events: [.lost(.closed(code: 4003, reason: "no"))],
                reason: .unwanted(code: 4003, reason: "no")),
            End(name: "close 4001", events: [.lost(.closed(code: 4001, reason: ""))], reason: unauthorized),
            End(
                name: "goodbye 4001",
                events: [.goodbye(code: 4001, reason: "expired", retryAfter: .zero), .lost(.broken(nil))],
                reason: .unauthorized("the token ran out or none was given (close code 4001): expired")),
            End(
                name: "HTTP 401", events: [.lost(.rejected(status: 401))],
                reason: .unauthorized("the broker does not accept the token (HTTP status 401)")),
            End(
                name: "HTTP 401 that says why", events: [.lost(.rejected(status: 401, words: "it ran out"))],
                reason: .unauthorized("the broker does not accept the token (HTTP status 401): it ran out")),
        ])
    func noReturn(_ end: End) {
        var rig = Rig()
        rig.connect()
        let actions = end.events.map { rig.tell($0) }
        #expect(actions.last == [.finish(end.reason)])
        #expect(rig.machine.state == .closed(end.reason))
        #expect(rig.machine.deadline == nil)
        #expect(rig.tell(.start) == [])
    }

    @Test(
        "ends at once where there never was a connection and none can come about",
        arguments: [
            (.impossible("no such name"), "no such name"),
            (.rejected(status: 403), "the broker answered with HTTP status 403"),
            (.rejected(status: 404), "the broker answered with HTTP status 404"),
            (.rejected(status: 301), "the broker answered with HTTP status 301"),
            (
                .rejected(status: 400, words: "This port speaks TLS."),
                "the broker answered with HTTP status 400: This port speaks TLS."
            ),
        ] as [(Loss, String)])
    func neverThere(_ loss: Loss, _ why: String) {
        var rig = Rig()
        _ = rig.tell(.start)
        #expect(rig.tell(.lost(loss)) == [.finish(.unreachable(why))])
        #expect(rig.machine.state == .closed(.unreachable(why)))
        #expect(rig.machine.deadline == nil)
    }

    @Test(
        "of what a refusal says the first line is shown, cut off, with characters of control escaped",
        arguments: [
            ("This port speaks TLS: use https://.\n", "This port speaks TLS: use https://."), ("a\r\nb", "a"),
            ("a\u{1B}[2Jb\u{9B}1m", "a\\u{1B}[2Jb\\u{009B}1m"), ("{\"code\": \"not_found\"}", nil),
            ("{\"code\":\"unauthorized\",\"message\":\"it ran out\\nlong ago\"}", "it ran out"),
            ("a\u{202E}b", "a\\u{202E}b"), ("<html>", nil),
            ("", nil), ("\nlate", nil), (String(repeating: "é", count: 200), String(repeating: "é", count: 200)),
            (String(repeating: "é", count: 201), String(repeating: "é", count: 200) + "…"),
        ] as [(String, String?)])
    func words(body: String, shown: String?) {
        #expect(Loss.words(of: body) == shown)
    }

    @Test("takes a name that nobody could be asked for as one that may be known later: there is no network, say")
    func namesWithoutNetwork() {
        let reason = "Temporary failure in name resolution"
        #expect(
            Loss(.unresolved(host: "a.example", reason: reason, mayPass: true)) == .unreachable("a.example: \(reason)"))
        #expect(Loss(.unresolved(host: "a.example", reason: "none", mayPass: false)) == .impossible("a.example: none"))
    }

    @Test(
        "tries again from the first where the way may open by itself",
        arguments: [.unreachable("refused"), .rejected(status: 429), .rejected(status: 503), .noWelcome] as [Loss])
    func mayOpen(_ loss: Loss) throws {
        var rig = Rig()
        _ = rig.tell(.start)
        #expect(rig.tell(.lost(loss)) == [])
        #expect(try rig.waitForDeadline() == [.open])
    }

    @Test("waits as long as a broker asks for that lets nobody in, and a moment of its own", arguments: [0, 3, 86_399])
    func retryAfter(seconds: Int) throws {
        var rig = Rig()
        _ = rig.tell(.start)
        let loss = Loss.rejected(status: 503, retryAfter: .seconds(seconds))
        #expect(rig.tell(.lost(loss)) == [])
        let wait = try #require(rig.wait)
        #expect(wait >= .seconds(seconds) && wait <= .seconds(seconds) + Backoff.first)
        #expect(rig.machine.lastLoss == loss)
        #expect(try rig.waitForDeadline() == [.open])
        #expect(rig.machine.lastLoss == loss, "while it tries again, that is why there is no connection")
        _ = rig.tell(.welcomed(user: nil, heartbeat: .seconds(25)))
        #expect(rig.machine.lastLoss == nil)
    }

    @Test("waits a day at most, whatever is asked for")
    func longRetryAfter() {
        var rig = Rig()
        _ = rig.tell(.start)
        _ = rig.tell(.lost(.rejected(status: 503, retryAfter: .seconds(999_999_999))))
        #expect(rig.wait == ConnectionMachine.longestWait)
    }

    @Test(
        "comes back after every other loss",
        arguments: [
            .unreachable("refused"), .impossible("no such name"), .rejected(status: 404), .rejected(status: 503),
            .noWelcome, .silent, .broken("reset"),
            .closed(code: 1000, reason: ""), .closed(code: 1012, reason: ""), .closed(code: 1013, reason: ""),
            .closed(code: 4000, reason: ""), .closed(code: 4008, reason: ""),
        ] as [Loss])
    func comesBack(_ loss: Loss) throws {
        var rig = Rig()
        rig.connect()
        #expect(rig.tell(.lost(loss), after: .seconds(9)) == [])
        #expect(rig.machine.state == .waiting(retryAfter: try #require(rig.wait), loss))
        #expect(try rig.waitForDeadline() == [.open])
    }

    @Test("ends when the program wants it, in any state")
    func close() throws {
        var rig = Rig()
        #expect(rig.tell(.close) == [.finish(.requested)])
        rig = Rig()
        _ = rig.tell(.start)
        #expect(rig.tell(.close) == [.leave, .finish(.requested)])
        rig = Rig()
        rig.connect()
        #expect(rig.tell(.close) == [.leave, .finish(.requested)])
        #expect(rig.tell(.close) == [])
        rig = Rig()
        rig.connect()
        _ = rig.tell(.lost(.broken(nil)))
        #expect(rig.tell(.close) == [.finish(.requested)])
    }

    @Test("takes numbers of any size from a broker without a trap")
    func extremes() {
        var rig = Rig()
        _ = rig.tell(.start)
        _ = rig.tell(.welcomed(user: nil, heartbeat: .milliseconds(Int64.max)))
        _ = rig.tell(.goodbye(code: 1012, reason: "", retryAfter: .milliseconds(Int64.max)), after: .seconds(6))
        _ = rig.tell(.lost(.broken(nil)))
        #expect(rig.wait == ConnectionMachine.longestWait)
        rig = Rig()
        _ = rig.tell(.start)
        _ = rig.tell(.welcomed(user: nil, heartbeat: .milliseconds(Int64.min)))
        _ = rig.tell(.goodbye(code: 1012, reason: "", retryAfter: .milliseconds(Int64.min)), after: .seconds(6))
        _ = rig.tell(.lost(.broken(nil)))
        #expect(rig.wait == .zero)
    }
}
