import FanfareClient
import Foundation
import Observation
import Testing

/// The client library for Swift, against the real broker.
@MainActor
@Suite struct SwiftClientTests {
    /// What a client waits for is longer than a busy machine takes over a test.
    private static let patient = ClientOptions(connectTimeout: .seconds(120), requestTimeout: .seconds(120))

    private func client(_ url: String, _ user: String, _ options: ClientOptions = patient) throws -> ReactionClient {
        try ReactionClient(url: url, identity: .user(user), options: options)
    }

    /// Waits until something holds that observable objects tell of.
    private func wait(until condition: () -> Bool) async {
        while !condition() {
            await withCheckedContinuation { continuation in
                withObservationTracking {
                    _ = condition()
                } onChange: {
                    continuation.resume()
                }
            }
            // It is told before the change, which the turn of the main actor that makes it completes.
            await Task.yield()
        }
    }

    @Test("two clients see each other's reactions, and where one's own has come", .timeLimit(.minutes(5)))
    func together() async throws {
        try await BrokerProcess.run { broker in
            let (ada, bob) = (try client(broker.url, "ada"), try client(broker.url, "bob"))
            let mine = ChannelReactions("chat:swift", of: ada)
            let theirs = ChannelReactions("chat:swift", of: bob, mode: .summary)
            let (here, there) = (mine["m1"], theirs["m1"])
            await wait { mine.isReady && theirs.isReady }
            here.toggle("❤")
            #expect(here["❤️"]?.status == .sending)
            await wait { there.total == 1 }
            await wait { here["❤️"]?.status == .sent }
            there.toggle("❤️")
            there.add("👍")
            await wait { here.total == 3 && theirs.failed.isEmpty }
            #expect(here.groups.map(\.type) == ["❤️", "👍"] && here.groups.map(\.count) == [2, 1])
            #expect(here.own == ["❤️"] && here["❤️"]?.latest == ["bob", "ada"])
            await wait { there.own == ["❤️", "👍"] && there.total == 3 }
            let page = try await ada.reactors(of: "m1", in: "chat:swift", limit: 2)
            #expect(page.total == 3 && page.reactions.map(\.user) == ["bob", "bob"] && page.next != nil)
            here.toggle("❤️")
            await wait { there.total == 2 }
            await ada.close()
            await bob.close()
        }
    }

    @Test("who speaks TLS to a port without it is told so", .timeLimit(.minutes(5)))
    func plainPort() async throws {
        try await BrokerProcess.run { broker in
            let ada = try client(broker.url.replacing("ws://", with: "https://").replacing("/v1/ws", with: ""), "ada")
            var words = ""
            for await event in ada.events(in: "chat:swift") {
                guard case .connection(.waiting(_, let loss)) = event else { continue }
                words = loss.description
                break
            }
            #expect(words.contains("is this port TLS? One without it is ws:// or http://"), "it said: \(words)")
            await ada.close()
        }
    }

    @Test("who is not taken for anyone, or has a wrong token, is told why by the broker", .timeLimit(.minutes(5)))
    func refused() async throws {
        let words = ["--token-secret", "0123456789012345678901234567890123456789", "--store", "memory"]
        try await BrokerProcess.run(only: words + ["--listen", "127.0.0.1:0"]) { broker in
            for (identity, why) in [
                (Identity.user("ada"), "this broker wants a token"),
                (.token("a.b"), "(HTTP status 401): the token is malformed"),
            ] {
                let client = try ReactionClient(url: broker.url, identity: identity, options: Self.patient)
                let channel = ChannelReactions("chat:swift", of: client)
                let error = await #expect(throws: ClientError.self) { try await channel.ready() }
                #expect(error?.code == .unauthorized && error?.message.contains(why) == true, "\(error?.message ?? "")")
                await wait { channel.connection == error.map { .closed(.unauthorized($0.message)) } }
                await client.close()
            }
        }
    }

    @Test("a broker that is killed and comes back is resumed: nothing missed, nothing double", .timeLimit(.minutes(10)))
    func killed() async throws {
        try await Places.withFolder { folder in
            let words = ["--dev", "--data", folder.appending(path: "data").path()]
            let first = try await BrokerProcess.start(words + ["--listen", "127.0.0.1:0"])
            defer { first.program.send(SIGKILL) }
            let address = try BrokerURL(first.url).authority
            let (ada, bob) = (try client(first.url, "ada"), try client(first.url, "bob"))
            let isGapless = Task { await Self.isGapless(bob.events(in: "chat:swift"), upTo: 9) }
            let channel = ChannelReactions("chat:swift", of: ada)
            let message = channel["m1"]
            let watcher = ChannelReactions("chat:swift", of: bob)
            await wait { channel.isReady && watcher.isReady }
            for type in ["👍", "❤️", "😂"] as [ReactionType] { message.add(type) }
            await wait { message.groups.count == 3 && message.groups.allSatisfy { $0.status == .sent } }
            await wait { watcher["m1"].total == 3 }

            // Some are on their way when it is killed; some come while there is none, of which the last wish counts.
            for type in ["🎉", "🔥"] as [ReactionType] { message.add(type) }
            first.program.send(SIGKILL)
            _ = await first.program.end()
            await wait {
                if case .connected = channel.connection { false } else { true }
            }
            message.remove("👍")
            message.add("🚀")
            message.add("👀")
            message.remove("👀")
            #expect(message.own == ["❤️", "😂", "🎉", "🔥", "🚀"], "it is seen while there is no broker")

            let second = try await BrokerProcess.start(words + ["--listen", address])
            await wait { message.groups.allSatisfy { $0.status == .sent } && message.total == 5 }
            #expect(message.own == ["❤️", "😂", "🎉", "🔥", "🚀"])
            #expect(message.groups.allSatisfy { $0.count == 1 }, "nothing is double: \(message.groups)")
            await wait { watcher["m1"].total == 5 }
            for number in 1...2 { _ = try await bob.add("👍", to: "m\(number + 1)", in: "chat:swift") }
            #expect(await isGapless.value, "every change comes once, and in order")
            await ada.close()
            await bob.close()
            second.program.send(SIGTERM)
            second.program.endByForce(after: 30)
            #expect(await second.program.end().status == 0)
        }
    }

    /// Whether each event is the next one, after the last event or a snapshot; read up to a seq.
    private nonisolated static func isGapless(_ updates: ChannelUpdates, upTo end: UInt64) async -> Bool {
        var seq: UInt64 = 0
        var isGapless = true
        for await update in updates {
            switch update {
            case .snapshot(let snapshot):
                isGapless = isGapless && snapshot.view.seq >= seq
                seq = snapshot.view.seq
            case .event(let change):
                isGapless = isGapless && change.seq == seq + 1
                seq = change.seq
            default: break
            }
            if seq >= end { break }
        }
        return isGapless && seq == end
    }

    @Test("a certificate is verified, unless it is trusted by name of its file", .timeLimit(.minutes(5)))
    func certificates() async throws {
        try await Places.withFolder { folder in
            let authority = Authority(folder: folder)
            try await authority.make("cert", for: "DNS:localhost,IP:127.0.0.1")
            let words = [
                "--tls-listen", "127.0.0.1:0", "--tls-cert", authority.path("cert.pem"), "--tls-key",
                authority.path("cert.key"),
            ]
            try await BrokerProcess.run(words, listeners: 2) { broker in
                let url = try #require(broker.addresses.first { $0.hasPrefix("wss://") })
                let distrusting = try client(url, "ada")
                let error = await #expect(throws: ClientError.self) {
                    try await distrusting.add("👍", to: "m1", in: "chat:swift")
                }
                #expect(error?.code == .unreachable, "\(error?.message ?? "")")
                var options = Self.patient
                options.trustedCertificates = authority.path("cert.pem")
                let trusting = try client(url, "ada", options)
                #expect(try await trusting.add("👍", to: "m1", in: "chat:swift").count == 1)
                await trusting.close()
            }
        }
    }
}
