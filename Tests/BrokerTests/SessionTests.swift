import Reactions
import Testing
import Wire

@testable import Broker

/// What a session decides about requests, without any I/O.
@Suite struct SessionTests {
    static let key = ConnectionKey(hub: 0, slot: 1, generation: 0)
    let settings = BrokerSettings(
        namespaces: Namespace.development,
        authenticator: Authenticator(tokens: TokenVerifier(secret: "s3cret"), development: nil))

    func session(_ user: String? = "ada", rights: Set<Right> = [.subscribe, .react, .query]) -> Session {
        let identity = user.map { Identity(user: $0, grants: [Grant(pattern: "chat:*", rights: rights)]) }
        return Session(key: Self.key, identity: identity)
    }

    func step(_ session: inout Session, _ json: String, now: Int64 = 0) -> Session.Step {
        let text = Array(json.utf8)
        do throws(BadRequest) {
            return session.receive(try Request.decode(text.span), settings: settings, now: now)
        } catch {
            return session.receive(error, settings: settings, now: now)
        }
    }

    /// The error code of a step, whether the session says it or has the channel say it in order.
    func code(_ step: Session.Step) -> ErrorCode? {
        switch step {
        case .say(.error(_, let code, _, _)): code
        case .ask(let request):
            if case .refused(let code, _) = request.body { code } else { nil }
        default: nil
        }
    }

    @Test(
        "without an identity every request except auth and ping is unauthorized",
        arguments: [
            #"{"type":"subscribe","id":1,"channel":"chat:1"}"#,
            #"{"type":"unsubscribe","id":1,"channel":"chat:1"}"#,
            #"{"type":"add","id":1,"channel":"chat:1","reaction":"👍"}"#,
            #"{"type":"list","id":1,"channel":"nowhere:1"}"#,
            #"{"type":"freeze","id":1,"channel":"chat:1","frozen":true}"#,
        ])
    func unauthorized(_ json: String) {
        var session = session(nil)
        #expect(code(step(&session, json)) == .unauthorized)
        guard case .say(.pong) = step(&session, #"{"type":"ping","id":2}"#) else {
            Issue.record("ping is always answered")
            return
        }
    }

    @Test(
        "a right that the identity lacks, or an unknown namespace, is forbidden",
        arguments: [
            #"{"type":"clear","id":1,"channel":"chat:1","message":"m1"}"#,
            #"{"type":"delete","id":1,"channel":"chat:1","message":"m1"}"#,
            #"{"type":"freeze","id":1,"channel":"chat:1","frozen":true}"#,
            #"{"type":"add","id":1,"channel":"tap:1","reaction":"👍"}"#,
            #"{"type":"subscribe","id":1,"channel":"nowhere:1"}"#,
        ])
    func forbidden(_ json: String) {
        var session = session()
        #expect(code(step(&session, json)) == .forbidden)
    }

    @Test("unsubscribe is never refused")
    func unsubscribeIsNeverRefused() {
        var session = session(rights: [])
        #expect(code(step(&session, #"{"type":"unsubscribe","id":1,"channel":"chat:1"}"#)) == nil)
        guard case .say(.unsubscribed) = step(&session, #"{"type":"unsubscribe","id":1,"channel":"nowhere:1"}"#) else {
            Issue.record("an unknown namespace too has no subscription left")
            return
        }
    }

    @Test("the subscription past the limit is refused, a second one to the same channel is not")
    func tooManySubscriptions() {
        var session = session()
        for index in 0..<256 {
            #expect(code(step(&session, #"{"type":"subscribe","id":1,"channel":"chat:\#(index)"}"#)) == nil)
        }
        #expect(code(step(&session, #"{"type":"subscribe","id":1,"channel":"chat:x"}"#)) == .tooManySubscriptions)
        #expect(code(step(&session, #"{"type":"subscribe","id":1,"channel":"chat:7"}"#)) == nil)
        _ = step(&session, #"{"type":"unsubscribe","id":1,"channel":"chat:7"}"#)
        #expect(code(step(&session, #"{"type":"subscribe","id":1,"channel":"chat:x"}"#)) == nil)
    }

    @Test("watch needs a subscription, and asks only for what is new")
    func watch() {
        var session = session()
        let watch = #"{"type":"watch","id":1,"channel":"chat:1","messages":["m2","m3"]}"#
        #expect(code(step(&session, watch)) == .notSubscribed)
        _ = step(&session, #"{"type":"subscribe","channel":"chat:1","messages":["m1","m2"]}"#)
        guard case .ask(let request) = step(&session, watch), case .watch(let all, let newly) = request.body else {
            Issue.record("a watch goes to the channel")
            return
        }
        #expect(all == ["m2", "m3"])
        #expect(newly == ["m3"])
    }

    @Test("what is not JSON ten times within a minute closes with 4000, without an error of its own")
    func malformed() {
        var session = session()
        for texts in [["{", "nonsense", ""], ["[1", "{}x", "nul"], ["'", "{\"a\"}", "\u{FEFF}{}"]] {
            for text in texts { #expect(code(step(&session, text, now: 0)) == .badRequest) }
        }
        #expect(code(step(&session, "{}", now: 1)) == .badRequest)
        for _ in 0..<9 { #expect(code(step(&session, "{", now: 60_000)) == .badRequest) }
        guard case .close(code: 4000, _) = step(&session, "{", now: 119_999) else {
            Issue.record("the tenth within a minute closes")
            return
        }
    }

    @Test("a renewal is for the same user, and ends the subscriptions that it no longer allows")
    func renewal() throws {
        var session = session()
        _ = step(&session, #"{"type":"subscribe","id":1,"channel":"chat:1"}"#)
        func token(_ user: String, _ pattern: String) throws -> String {
            try JSONWebToken.sign(
                .init(sub: user, exp: 1000, channels: [.init(pattern: pattern, can: ["subscribe"])]),
                secret: Array("s3cret".utf8))
        }
        let other = step(&session, #"{"type":"auth","id":2,"token":"\#(try token("bob", "*"))"}"#)
        #expect(code(other) == .forbidden)
        #expect(session.identity?.user == "ada")
        guard
            case .authenticated(_, let ended) = step(
                &session, #"{"type":"auth","id":3,"token":"\#(try token("ada", "tap:*"))"}"#)
        else {
            Issue.record("a good token is taken")
            return
        }
        #expect(ended.map(\.channel) == ["chat:1"])
        #expect(code(step(&session, #"{"type":"auth","id":4,"token":"x.y.z"}"#)) == .unauthorized)
    }
}
