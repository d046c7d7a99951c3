import Reactions
import Storage
import Testing
import Wire

@testable import Broker

/// What a revocation does to those who are here, and what a moderator's doings leave behind.
@Suite(.timeLimit(.minutes(5))) struct RevocationTests {
    @Test("a revocation ends the user's connections on all loops, save those with a newer token")
    func sendAway() async throws {
        let harness = try HubHarness(loops: 2)
        var ears: [(key: ConnectionKey, isGone: Bool)] = []
        for hub in harness.broker.hubs {
            ears.append((await harness.ear(on: hub, user: "mallory"), true))
            ears.append((await harness.ear(on: hub, user: "mallory", issued: 1_000), true))
            ears.append((await harness.ear(on: hub, user: "mallory", issued: 1_001), false))
            ears.append((await harness.ear(on: hub, user: "ada", issued: 5), false))
        }
        let asking = harness.broker.hubs[1]
        let revocation = Revocation(user: "mallory", at: 1_000, by: "mod")
        let key = await harness.onLoop(asking) { $0.recipients.reserve(on: $0.index) }
        await harness.turn(asking, [.revoked(revocation, .success(()), for: key)])
        for ear in ears {
            let code = await harness.onLoop(harness.broker.hubs[ear.key.hub]) { $0.recipient(ear.key)?.closeCode }
            #expect(code == (ear.isGone ? 4003 : nil))
        }
    }

    @Test("what the store did not keep is not in force")
    func notKept() async throws {
        let harness = try HubHarness(loops: 1)
        let hub = harness.broker.hubs[0]
        let ear = await harness.ear(on: hub, user: "mallory")
        let revocation = Revocation(user: "mallory", at: 1_000, by: "mod")
        await harness.turn(hub, [.revoked(revocation, .failure(.unavailable("full")), for: ear)])
        #expect(await harness.onLoop(hub) { $0.recipient(ear)?.closeCode } == nil)
        #expect(harness.broker.settings.authenticator.revocations?.cover("mallory", issued: 5) == false)
    }

    @Test("tokens issued then or before are refused, also those that do not say when; other settings change nothing")
    func refusal() throws {
        let harness = try HubHarness(loops: 1)
        let secret = "a secret of some length"
        var settings = harness.broker.settings
        settings.authenticator = Authenticator(tokens: TokenVerifier(secret: secret), development: nil)
        settings.authenticator.revocations = nil
        harness.broker.adopt(settings)
        let authenticator = harness.broker.settings.authenticator
        func isTaken(_ user: String, _ issued: Double?) throws -> Bool {
            let token = try JSONWebToken.sign(.init(sub: user, exp: 4e9, iat: issued), secret: Array(secret.utf8))
            return (try? authenticator.identify(token: token, now: 1_700_000_000_000)) != nil
        }
        #expect(try isTaken("mallory", 100) && isTaken("mallory", nil))
        authenticator.revocations?.add(Revocation(user: "mallory", at: 100_500, by: "mod"))
        authenticator.revocations?.add(Revocation(user: "mallory", at: 3, by: "mod"))
        #expect(try !isTaken("mallory", 100) && !isTaken("mallory", nil) && !isTaken("mallory", 100.5))
        #expect(try isTaken("mallory", 101) && isTaken("mallory", 100.501) && isTaken("ada", nil))
    }

    @Test("each moderation that changes something has an entry in its own commit; nothing else has")
    func audit() async throws {
        let harness = try HubHarness(loops: 1)
        let hub = harness.broker.hubs[0]
        let key = await harness.ear(on: hub, user: "mod", grants: Identity.moderatorGrants)
        let entries: [AuditEntry?] = await {
            var entries: [AuditEntry?] = []
            func ask(_ channel: String, _ action: Operation.Action, on message: String, by user: String) async {
                let request = ChannelRequest(
                    channel: channel, origin: Origin(connection: key, user: user, wantsReply: true),
                    body: .operation(Operation(action, message: message, user: user)))
                await harness.turn(hub, [.request(request)])
                guard let commit = harness.store.next() else { return }
                entries += commit.group.flatMap { $0.audit.isEmpty ? [nil] : $0.audit.map(Optional.init) }
                commit.answer(.success(()))
                await harness.settle()
            }
            for user in ["ada", "bob", "cy"] {
                await ask("chat:1", .add(reaction: "👍", count: nil, data: nil), on: "m", by: user)
            }
            await ask("chat:1", .clear(reaction: nil, user: "nobody"), on: "m", by: "mod")
            await ask("chat:1", .clear(reaction: "👍", user: "ada"), on: "m", by: "mod")
            await ask("chat:1", .clear(reaction: nil, user: "bob"), on: "*", by: "mod")
            await ask("chat:1", .delete, on: "m", by: "mod")
            await ask("chat:1", .delete, on: "m", by: "mod")
            await ask("chat:1", .freeze(true), on: "", by: "mod")
            await ask("chat:1", .freeze(true), on: "", by: "mod")
            await ask("chat:1", .freeze(false), on: "", by: "mod")
            await ask("anon:1", .add(reaction: "👍", count: nil, data: nil), on: "m", by: "ada")
            await ask("anon:1", .clear(reaction: nil, user: "ada"), on: "m", by: "mod")
            return entries
        }()
        let expected: [AuditEntry?] = [
            nil, nil, nil,
            AuditEntry(
                at: 0, .cleared, by: "mod", channel: "chat:1", message: "m", reaction: "👍", user: "ada", removed: 1,
                seq: 4),
            AuditEntry(at: 0, .cleared, by: "mod", channel: "chat:1", message: "*", user: "bob", removed: 1, seq: 5),
            AuditEntry(at: 0, .deleted, by: "mod", channel: "chat:1", message: "m", removed: 1, seq: 6),
            AuditEntry(at: 0, .frozen, by: "mod", channel: "chat:1"),
            AuditEntry(at: 0, .unfrozen, by: "mod", channel: "chat:1"),
            nil,
            AuditEntry(at: 0, .cleared, by: "mod", channel: "anon:1", message: "m", user: "", removed: 1, seq: 2),
        ]
        let timeless = entries.map { entry in
            var entry = entry
            entry?.at = 0
            return entry
        }
        #expect(timeless == expected)
        #expect(entries.allSatisfy { $0.map { $0.at > 1_700_000_000_000 } ?? true })
    }
}
