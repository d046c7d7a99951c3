import Reactions
import Storage
import Testing
import Wire

@testable import Broker

/// What a channel leaves to be posted, and what is made of it.
@Suite struct WebhookBatchTests {
    private func namespace(policy: Policy = .distinct, isAnonymous: Bool = false) throws -> Namespace {
        let url = try #require(OutboundURL("http://127.0.0.1:1/"))
        let endpoint = Endpoint(url: url, secret: try #require(SigningSecret("s")), timeoutMilliseconds: 1_000)
        return Namespace(
            rules: Rules(policy: policy), isAnonymous: isAnonymous,
            outbound: OutboundSettings(webhook: Webhook(endpoint: endpoint), subscribeHook: nil, reactHook: nil))
    }

    private func text(_ entry: OutboxEntry) -> String { String(decoding: entry.body, as: UTF8.self) }

    @Test("a change is left with its commit, as the event that clients get, with the epoch")
    func posts() async throws {
        let harness = try ChannelHarness(try namespace())
        await harness.load()
        await harness.add(1)
        await harness.add(1)
        await harness.act(1, .freeze(true))
        let write = try #require(await harness.takeWrite())
        #expect(
            write.posts.map(text) == [
                #"{"type":"added","channel":"chat:1","seq":1,"message":"m1","reaction":"👍","user":"u1","count":1,"users":1,"total":1,"at":1000000,"epoch":"e1"}"#
            ])
        #expect(write.posts.map(\.queue) == ["chat"])
        await harness.act(1, .freeze(false))
        #expect(try #require(await harness.takeWrite()).posts == [], "each is left once")
    }

    @Test("what the store refuses is not posted")
    func failed() async throws {
        let harness = try ChannelHarness(try namespace())
        await harness.load()
        await harness.add(1)
        await harness.channel.failed(at: harness.moment)
        await harness.load()
        await harness.add(2)
        let write = try #require(await harness.takeWrite())
        #expect(write.posts.count == 1)
        #expect(try text(#require(write.posts.first)).contains(#""user":"u2""#))
    }

    @Test("with durability memory, what the store refused is left with the commit that makes it good")
    func retried() async throws {
        var namespace = try namespace()
        namespace.durability = .memory
        let harness = try ChannelHarness(namespace)
        await harness.load()
        await harness.add(1)
        _ = await harness.takeWrite()
        await harness.channel.failed(at: harness.moment)
        await harness.add(2)
        harness.moment.clock += 10_000
        let posts = try #require(await harness.takeWrite()).posts
        #expect(posts.map { text($0).contains(#""user":"u1""#) } == [true, false])
    }

    @Test("without a webhook, and in ephemeral channels, nothing is left")
    func nothing() async throws {
        for namespace in [Namespace(), try namespace(policy: .ephemeral)] {
            let harness = try ChannelHarness(namespace)
            await harness.load()
            await harness.act(1, .add(reaction: "👍", count: nil, data: nil), key: "k")
            #expect(try #require(await harness.takeWrite()).posts == [])
        }
    }

    @Test("in an anonymous namespace nobody is named")
    func anonymous() async throws {
        let harness = try ChannelHarness(try namespace(isAnonymous: true))
        await harness.load()
        await harness.add(1)
        let write = try #require(await harness.takeWrite())
        #expect(try !text(#require(write.posts.first)).contains("u1"))
    }

    @Test("what was left before a namespace became anonymous loses its names when it is posted")
    func becomesAnonymous() async throws {
        let harness = try ChannelHarness(try namespace())
        await harness.load()
        await harness.add(1)
        await harness.add(2, "🎉")
        let posts = try #require(await harness.takeWrite()).posts
        let named = WebhookBatch.body(of: posts, isAnonymous: false, epoch: "e1")
        #expect(String(decoding: named, as: UTF8.self) == "{\"events\":[\(posts.map(text).joined(separator: ","))]}")
        let unnamed = String(decoding: WebhookBatch.body(of: posts, isAnonymous: true, epoch: "e1"), as: UTF8.self)
        let expected = posts.map(text).joined(separator: ",").replacing(#""user":"u1","#, with: "")
            .replacing(#""user":"u2","#, with: "")
        #expect(unnamed == "{\"events\":[\(expected)]}")
    }
}
