import HTTP
import Reactions
import Testing
import Wire

@testable import Broker

/// What hooks are asked, what they answer, and what is remembered of it.
@Suite struct HookTests {
    private func hook(allowed: Bool = false, cache: Int = 60_000) throws -> Hook {
        let url = try #require(OutboundURL("http://127.0.0.1:1/"))
        return Hook(
            endpoint: Endpoint(url: url, secret: try #require(SigningSecret("s")), timeoutMilliseconds: 1_000),
            isAllowedWhenDown: allowed, maxCacheMilliseconds: cache)
    }

    private func parse(_ body: String, status: Int = 200, cacheControl: String? = nil) -> HookAnswer? {
        var headers = HTTPHeaders()
        if let cacheControl { headers.append("Cache-Control", cacheControl) }
        return HookAnswer(ClientAnswer(status: status, headers: headers, body: Array(body.utf8)))
    }

    private let key = HookQuestion.Key(type: "add", user: "ada", channel: "chat:1", reactions: ["👍"])

    @Test(
        "an answer says yes or no, why, and for how long",
        arguments: [
            (#"{"allow":true}"#, nil, HookVerdict.allowed, 0),
            (#"{"allow":false}"#, nil, .denied(HookAnswer.usualReason), 0),
            (#"{"allow":false,"reason":"no","more":1}"#, nil, .denied("no"), 0),
            (#"{"allow":true,"cache_seconds":1.5}"#, nil, .allowed, 1_500),
            (#"{"allow":true,"cache_seconds":-1}"#, nil, .allowed, 0),
            (#"{"allow":true,"cache_seconds":1e300}"#, nil, .allowed, 86_400_000),
            (#"{"allow":true}"#, "private, Max-Age=7", .allowed, 7_000),
            (#"{"allow":true}"#, "max-age=7, no-store", .allowed, 0),
            (#"{"allow":true}"#, "max-age=-7", .allowed, 0),
            (#"{"allow":true,"cache_seconds":2}"#, "max-age=7", .allowed, 2_000),
        ] as [(String, String?, HookVerdict, Int64)])
    func answers(body: String, cacheControl: String?, verdict: HookVerdict, cache: Int64) throws {
        let answer = try #require(parse(body, cacheControl: cacheControl))
        #expect(answer.verdict == verdict)
        #expect(answer.cacheMilliseconds == cache)
    }

    @Test(
        "anything else is no answer",
        arguments: [
            ("", 200), ("true", 200), ("{}", 200), (#"{"allow":1}"#, 200), (#"{"allow":"true"}"#, 200),
            (#"{"allow":null}"#, 200), (#"{"allow":true,"cache_seconds":"1"}"#, 200), (#"{"allow":true"#, 200),
            (#"{"allow":true}"#, 201), (#"{"allow":true}"#, 302), (#"{"allow":false}"#, 403), (#"{"allow":true}"#, 500),
        ])
    func noAnswers(body: String, status: Int) {
        #expect(parse(body, status: status) == nil)
    }

    @Test("a long reason is cut")
    func longReason() throws {
        let answer = try #require(parse(#"{"allow":false,"reason":"\#(String(repeating: "ä", count: 1_000))"}"#))
        #expect(answer.verdict == .denied(String(repeating: "ä", count: 256)))
    }

    @Test("an answer is taken again for as long as it and the settings say, for the same question")
    func cache() throws {
        let hook = try hook(cache: 1_000)
        #expect(hook.known(key, clock: 0) == .nothing)
        #expect(
            hook.take(parse(#"{"allow":false,"reason":"no","cache_seconds":5}"#), to: key, clock: 0) == .denied("no"))
        #expect(hook.known(key, clock: 999) == .cached(.denied("no")))
        #expect(hook.known(key, clock: 1_000) == .nothing)
        for change in [\HookQuestion.Key.user, \.channel] {
            var other = key
            other[keyPath: change] = "other"
            #expect(hook.known(other, clock: 0) == .nothing)
        }
        var other = key
        other.reactions = ["🎉"]
        #expect(hook.known(other, clock: 0) == .nothing)
        other = key
        other.type = "remove"
        #expect(hook.known(other, clock: 0) == .nothing)
    }

    @Test("the cache is bounded")
    func cacheBound() throws {
        let hook = try hook()
        let yes = parse(#"{"allow":true,"cache_seconds":60}"#)
        var kept = 0
        for number in 0..<(2 * Hook.maxCached + 5) {
            var key = key
            key.user = "u\(number)"
            _ = hook.take(yes, to: key, clock: 0)
        }
        for number in 0..<(2 * Hook.maxCached + 5) {
            var key = key
            key.user = "u\(number)"
            if hook.known(key, clock: 0) == .cached(.allowed) { kept += 1 }
        }
        #expect(kept == 5)
    }

    @Test("after five failures in a row a server is asked once a second, until it answers", arguments: [true, false])
    func breaker(allowed: Bool) throws {
        let hook = try hook(allowed: allowed)
        let whenDown = allowed ? HookVerdict.allowed : .unavailable
        for _ in 0..<5 {
            #expect(hook.known(key, clock: 100) == .nothing)
            #expect(hook.take(nil, to: key, clock: 100) == whenDown)
        }
        #expect(hook.known(key, clock: 1_099) == .down)
        #expect(hook.known(key, clock: 1_100) == .nothing)
        #expect(hook.known(key, clock: 1_101) == .down, "one question is enough to find out")
        #expect(hook.take(nil, to: key, clock: 1_500) == whenDown)
        #expect(hook.known(key, clock: 2_499) == .down)
        #expect(hook.known(key, clock: 2_500) == .nothing)
        #expect(hook.take(parse(#"{"allow":true}"#), to: key, clock: 2_600) == .allowed)
        for _ in 0..<4 { _ = hook.take(nil, to: key, clock: 2_700) }
        #expect(hook.known(key, clock: 2_700) == .nothing, "it begins anew after an answer")
    }

    @Test(
        "requests that hooks are asked about, and what they are told",
        arguments: [
            (
                ChannelRequest.Body.operation(
                    Operation(
                        .add(reaction: "👍", count: 2, data: ReactionData(text: #"{ "a":1 }"#, canonical: "")),
                        message: "m", user: "ada")),
                #"{"address":"::1","channel":"chat:1","connection":"c-1","count":2,"hook":"react","message":"m","reaction":"👍","type":"add","user":"ada","data":{ "a":1 }}"#
            ),
            (
                .operation(Operation(.set(reactions: ["👍", "🎉"]), message: "", user: "ada")),
                #"{"address":"::1","channel":"chat:1","connection":"c-1","hook":"react","message":"","reactions":["👍","🎉"],"type":"set","user":"ada"}"#
            ),
            (
                .operation(Operation(.toggle(reaction: "\"/", count: nil, data: nil), message: "m", user: "ada")),
                #"{"address":"::1","channel":"chat:1","connection":"c-1","hook":"react","message":"m","reaction":"\"/","type":"toggle","user":"ada"}"#
            ),
            (
                .subscribe(.init(channel: "chat:1", mode: .summary, messages: ["m"])),
                #"{"address":"::1","channel":"chat:1","connection":"c-1","hook":"subscribe","messages":["m"],"mode":"summary","type":"subscribe","user":"ada"}"#
            ),
            (.operation(Operation(.delete, message: "m", user: "ada")), nil),
            (.operation(Operation(.freeze(true), message: "", user: "ada")), nil),
            (.operation(Operation(.clear(reaction: nil, user: nil), message: "m", user: "ada")), nil),
            (.unsubscribe, nil), (.list(.messages(["m"])), nil), (.refused(.forbidden, ""), nil),
        ] as [(ChannelRequest.Body, String?)])
    func questions(body: ChannelRequest.Body, json: String?) {
        let origin = Origin(
            connection: ConnectionKey(hub: 0, slot: 1, generation: 0), user: "ada", id: nil, wantsReply: true)
        let question = HookQuestion(ChannelRequest(channel: "chat:1", origin: origin, body: body))
        let bytes = question?.json(connection: "c-1", address: "::1")
        #expect(bytes.map { String(decoding: $0, as: UTF8.self) } == json)
    }

    @Test("who connects without a name is told apart by address")
    func connecting() {
        let unnamed = ["::1", "::2"].map { HookQuestion(user: nil, address: $0, origin: nil).key }
        let named = ["::1", "::2"].map { HookQuestion(user: "ada", address: $0, origin: nil).key }
        #expect(unnamed[0] != unnamed[1])
        #expect(named[0] == named[1])
    }
}
