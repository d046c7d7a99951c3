import Reactions
import Testing
import Transport
import Wire

@testable import FanfareClient

/// Something that no broker does, on a connection that a client is subscribed on.
struct Hostility: Sendable, CustomTestStringConvertible {
    /// What becomes of the connection.
    enum Outcome: Sendable {
        case survives, ends
    }

    var testDescription: String
    var outcome: Outcome
    /// Given the id of the subscription.
    var commit: @Sendable (FakeBroker, UInt64) async -> Void

    static func says(_ name: String, _ outcome: Outcome, _ texts: String...) -> Hostility {
        Hostility(testDescription: name, outcome: outcome) { broker, id in
            for text in texts { await broker.send(text: text.replacing("ID", with: "\(id)")) }
        }
    }

    private static let answer =
        #"{"type":"subscribed","id":ID,"channel":"chat:42","epoch":"e1","seq":3,"mode":"events","policy":"distinct","interval_ms":100,"allowed":null,"limits":{"kinds":20,"per_user":10},"frozen":false,"recovered":false,"messages":[],"more":null}"#

    static let all: [Hostility] = [
        says("a message that is cut", .ends, answer, #"{"type":"added","chan"#),
        says("no JSON", .ends, "nonsense"),
        says("nothing", .ends, ""),
        says("a list", .ends, "[]"),
        says("very deep JSON", .ends, String(repeating: "[", count: 100_000)),
        says(
            "a number that is none of the contract", .ends,
            #"{"type":"lagged","channel":"chat:42","from":1e400,"to":1}"#),
        says("an unknown type, and unknown fields", .survives, #"{"type":"from the future","channel":5}"#, answer),
        says(
            "answers to what nobody asked", .survives,
            #"{"type":"ack","id":99999,"result":"added","channel":"chat:42","message":"m1","reaction":"👍","seq":9,"count":1,"own":[]}"#,
            #"{"type":"reactors","id":98,"channel":"chat:42","message":"m1","total":0,"reactors":[],"after":null}"#,
            #"{"type":"error","id":97,"code":"strange","message":""}"#,
            #"{"type":"error","code":"strange","message":""}"#),
        says("the same answer three times", .survives, answer, answer, answer),
        says("an answer about another channel", .ends, answer.replacing("chat:42", with: "chat:43")),
        says(
            "an answer of another kind", .survives,
            #"{"type":"ack","id":ID,"result":"added","channel":"chat:42","message":"m1","reaction":"👍","seq":9,"count":1,"own":[]}"#,
            answer),
        says(
            "events before their subscription", .survives,
            #"{"type":"added","channel":"chat:42","seq":9,"message":"m1","reaction":"👍","user":"ada","count":1,"users":1,"total":1,"at":1}"#,
            answer),
        says(
            "events of channels that nobody follows", .survives, answer,
            #"{"type":"added","channel":"chat:41","seq":9,"message":"m1","reaction":"👍","user":"ada","count":1,"users":1,"total":1,"at":1}"#
        ),
        says(
            "many welcomes", .survives, answer,
            #"{"type":"welcome","connection":"c","user":"eve","time":0,"heartbeat_ms":0,"limits":{"max_message_bytes":1,"max_subscriptions":1}}"#
        ),
        says(
            "an unsubscribed that nobody asked for", .survives, answer, #"{"type":"unsubscribed","channel":"chat:43"}"#,
            #"{"type":"unsubscribed","channel":"chat:41","reason":"forbidden"}"#),
        says(
            "a goodbye, again and again, and no close", .ends, answer,
            #"{"type":"goodbye","code":1012,"reason":"restart","retry_after_ms":0}"#,
            #"{"type":"goodbye","code":1012,"reason":"restart","retry_after_ms":0}"#),
        says("a message that is too large", .ends, "\"" + String(repeating: "x", count: 17 << 20) + "\""),
        Hostility(testDescription: "a close without a word", outcome: .ends) { broker, _ in await broker.breakOff() },
        Hostility(testDescription: "a strange close code", outcome: .ends) { broker, _ in await broker.close(code: 4999)
        },
    ]
}

@Suite("A client and a hostile broker", .timeLimit(.minutes(5)))
struct HostileBrokerTests {
    /// What a client waits for is longer than a busy machine takes over a test.
    private static let patient = ClientOptions(connectTimeout: .seconds(600), requestTimeout: .seconds(600))

    private static let welcome =
        #"{"type":"welcome","connection":"c","user":"ada","time":0,"heartbeat_ms":25000,"limits":{"max_message_bytes":65536,"max_subscriptions":256}}"#

    private static func subscribed(_ id: UInt64) -> String {
        #"{"type":"subscribed","id":\#(id),"channel":"chat:42","epoch":"e2","seq":20,"mode":"events","policy":"distinct","interval_ms":100,"allowed":null,"limits":{"kinds":20,"per_user":10},"frozen":false,"recovered":false,"messages":[{"message":"m9","total":2,"reactions":[{"reaction":"👍","count":2,"users":2,"first":1,"last":1,"latest":["cy","bob"]}],"own":[]}],"more":null}"#
    }

    private static func ack(_ id: UInt64) -> String {
        #"{"type":"ack","id":\#(id),"result":"added","channel":"chat:42","message":"m9","reaction":"🎉","seq":21,"count":1,"own":["🎉"]}"#
    }

    /// The number of the next request that subscribes, or of the next change.
    private static func next(_ broker: FakeBroker, isChange: Bool = false) async -> UInt64 {
        while true {
            let request = await broker.nextRequest()
            guard case .number(let id)? = request.id else { continue }
            switch request.body {
            case .operation where isChange: return id
            case .subscribe where !isChange: return id
            default: continue
            }
        }
    }

    @Test("go on with the next good word, on this connection or on another", arguments: Hostility.all)
    func goesOn(_ hostility: Hostility) async throws {
        let broker = try FakeBroker()
        let client = try ReactionClient(url: await broker.listen(), identity: .user("ada"), options: Self.patient)
        let updates = client.events(in: "chat:42")
        await broker.nextUpgrade()
        await broker.send(text: Self.welcome)
        var id = await Self.next(broker)
        await hostility.commit(broker, id)
        if hostility.outcome == .ends {
            await broker.nextUpgrade()
            await broker.send(text: Self.welcome)
            id = await Self.next(broker)
        }
        // What stands now is whatever this broker says: another epoch, and a lower seq than nonsense may have named.
        await broker.send(text: Self.subscribed(id))
        for await update in updates {
            guard case .snapshot(let snapshot) = update, snapshot.epoch == "e2" else { continue }
            #expect(snapshot.view["m9"]?.total == 2 && snapshot.view.seq == 20 && snapshot.view.count == 1)
            break
        }
        async let answer = client.add("🎉", to: "m9", in: "chat:42")
        await broker.send(text: Self.ack(Self.next(broker, isChange: true)))
        let seq = try await answer.seq
        #expect(seq == 21)
        await client.close()
    }

    @Test("take no answer to something else for theirs", arguments: [("chat:41", "m9"), ("chat:42", "m8")])
    func otherAnswer(_ channel: String, _ message: String) async throws {
        let broker = try FakeBroker()
        let client = try ReactionClient(url: await broker.listen(), identity: .user("ada"), options: Self.patient)
        let answer = Task { try await client.add("🎉", to: "m9", in: "chat:42") }
        await broker.nextUpgrade()
        await broker.send(text: Self.welcome)
        let id = await Self.next(broker, isChange: true)
        await broker.send(text: Self.ack(id).replacing("chat:42", with: channel).replacing("m9", with: message))
        let error = await #expect(throws: ClientError.self) { try await answer.value }
        #expect(error?.code == .misread)
        await client.close()
    }

    @Test("send their token once for each connection, however often they are greeted")
    func greetings() async throws {
        let broker = try FakeBroker()
        let client = try ReactionClient(
            url: await broker.listen(), identity: .tokens { "a.b.c" }, options: Self.patient)
        let updates = client.events(in: "chat:42")
        await broker.nextUpgrade()
        for _ in 0..<50 { await broker.send(text: Self.welcome) }
        _ = await Self.next(broker)
        async let answer = client.add("🎉", to: "m9", in: "chat:42")
        var tokens = 0
        var id: UInt64?
        while id == nil {
            let request = await broker.nextRequest()
            if case .auth = request.body { tokens += 1 }
            if case .operation = request.body, case .number(let number)? = request.id { id = number }
        }
        #expect(tokens == 1)
        await broker.send(text: Self.ack(try #require(id)))
        let seq = try await answer.seq
        #expect(seq == 21)
        await client.close()
        _ = updates
    }

    @MainActor
    @Test("wait no longer than the newest word asks for")
    func waits() async throws {
        let broker = try FakeBroker()
        let client = try ReactionClient(url: await broker.listen(), identity: .user("ada"), options: Self.patient)
        let channel = ChannelReactions("chat:42", of: client)
        channel["m9"].add("🎉")
        // First it is asked to wait for a day; after the next connection for a millisecond, twice.
        for (connection, waits) in [[86_400_000], [1, 1]].enumerated() {
            await broker.nextUpgrade()
            await broker.send(text: Self.welcome)
            await broker.send(text: Self.subscribed(await Self.next(broker)))
            for wait in waits {
                let key = await Self.key(broker)
                await broker.send(
                    text:
                        #"{"type":"error","id":"\#(key)","code":"rate_limited","message":"","retry_after_ms":\#(wait)}"#
                )
            }
            guard connection == 0 else { continue }
            // Once this is answered, what came before it was taken.
            async let answer = client.add("👍", to: "m8", in: "chat:42")
            let id = await Self.next(broker, isChange: true)
            await broker.send(text: Self.ack(id).replacing("m9", with: "m8"))
            _ = try await answer
            await broker.breakOff()
        }
        let key = await Self.key(broker)
        await broker.send(text: Self.ack(0).replacing("\"id\":0", with: "\"id\":\"\(key)\""))
        await client.close()
    }

    /// The key of the next change.
    private static func key(_ broker: FakeBroker) async -> String {
        while true {
            if case .text(let key)? = await broker.nextRequest().id { return key }
        }
    }
}
