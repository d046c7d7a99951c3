import FanfareClient
import Foundation
import Observation

// The examples of the documentation, compiled; DocumentationTests compares the two.

enum DocumentedExamples {
    @MainActor
    static func overview(token: String) throws {
        let client = try ReactionClient(url: "wss://reactions.example.org", identity: .token(token))
        let channel = ChannelReactions("chat:42", of: client)
        let message = channel["m1"]
        message.toggle("👍")
        print(message.groups, message.own)
    }

    @MainActor
    static func once() async throws {
        let client = try ReactionClient(url: "ws://127.0.0.1:8080", identity: .user("ada"))
        let channel = ChannelReactions("chat:42", of: client)
        try await channel.ready()
        let message = channel["m1"]
        message.toggle("👍")
        for await groups in Observations({ message.groups }) {
            print(groups)
            if groups.allSatisfy({ $0.status != .sending }) { break }
        }
        await client.close()
    }

    static func printing() async throws {
        let client = try ReactionClient(url: "ws://127.0.0.1:8080", identity: .user("ada"))
        for await event in client.events(in: "chat:42") {
            print(event)
            fflush(nil)  // shows each line at once where the output is a pipe
        }
    }

    @MainActor
    static func counting() async throws {
        let client = try ReactionClient(url: "ws://127.0.0.1:8080", identity: .user("ada"))
        let channel = ChannelReactions("chat:42", of: client)
        try await channel.ready()
        for await groups in Observations({ channel["m1"].groups }) {
            print(groups)
            fflush(nil)
        }
    }

    static func following() async throws {
        let client = try ReactionClient(url: "ws://127.0.0.1:8080", identity: .user("ada"))
        for await event in client.events(in: "chat:42") {
            print(event)
        }
    }

    static func lookingInto(_ client: ReactionClient) async {
        for await event in client.events(in: "chat:42") {
            switch event {
            case .snapshot(let snapshot):
                print("\(snapshot.view.count) messages have reactions")
            case .event(let change):
                guard case .added(let group, _, _) = change.kind else { continue }
                print("\(change.user ?? "someone") added \(group.reaction) to \(change.message): \(group.count)")
            case .ended(let error):
                print("no more: \(error)")
            default:
                continue
            }
        }
    }

    static func reacting(_ client: ReactionClient) async {
        do {
            let answer = try await client.add("👍", to: "m1", in: "chat:42")
            print("there are \(answer.count ?? 0) now")
        } catch {
            print("not added: \(error)", error.refusal == .frozen ? "(try later)" : "")
        }
    }

    static func reactingInAClosure(_ client: ReactionClient) {
        Task {
            do throws(ClientError) {
                let answer = try await client.remove("👍", from: "m1", in: "chat:42")
                print("there are \(answer.count ?? 0) now")
            } catch {
                print("not removed: \(error)", error.refusal == .frozen ? "(try later)" : "")
            }
        }
    }

    static func followingMany(_ client: ReactionClient) -> ChannelUpdates {
        client.events(in: "live:final", mode: .summary)
    }

    static func paging(_ client: ReactionClient) async throws {
        var page = try await client.reactors(of: "m1", in: "chat:42", with: "👍", limit: 50)
        for reaction in page.reactions { print(reaction.user, reaction.createdAt) }
        if let next = page.next {
            page = try await client.reactors(of: "m1", in: "chat:42", with: "👍", after: next)
        }
    }

    @MainActor
    static func retrying(_ channel: ChannelReactions) {
        for draft in channel.failed {
            print("\(draft.type) on \(draft.message) was refused")
            channel[draft.message].retry(draft.type)
        }
    }

    @MainActor
    static func keeping(_ channel: ChannelReactions) throws -> Data {
        let saved = try JSONEncoder().encode(channel.unsent)
        return saved
    }

    @MainActor
    static func restoring(_ channel: ChannelReactions, _ saved: Data) throws {
        channel.restore(try JSONDecoder().decode(UnsentChanges.self, from: saved))
    }

    @MainActor
    static func watching(_ client: ReactionClient) {
        let channel = ChannelReactions("chat:42", of: client, scope: .watchedMessages)
        channel.watch("m1")
        print(channel["m1"].total)
        channel.unwatch("m1")
    }

    @MainActor
    static func bursts(_ client: ReactionClient) async {
        let live = ChannelReactions("burst:final", of: client, occupancy: true)
        live[""].add("🎉")
        for await burst in Observations({ live.latestBurst }) {
            for counted in burst?.counts ?? [] {
                print("let \(counted.count) × \(counted.reaction) float up for \(live.occupancy?.users ?? 0) people")
            }
        }
    }

    static func tokens(_ appServer: AppServer) throws -> ReactionClient {
        let client = try ReactionClient(
            url: "wss://reactions.example.org",
            identity: .tokens {
                let (data, _) = try await appServer.get("/reaction-token")
                return String(decoding: data, as: UTF8.self)
            })
        return client
    }

    static func certificates() throws -> ReactionClient {
        let client = try ReactionClient(
            url: "wss://127.0.0.1:8443", identity: .user("ada"),
            options: ClientOptions(trustedCertificates: "cert.pem"))
        return client
    }

    @MainActor
    static func delegating(_ channel: ChannelReactions) -> ChatRules {
        let rules = ChatRules()
        channel.delegate = rules
        return rules
    }

    @MainActor
    static func feeding(_ channel: ChannelReactions, _ message: ChatLibrary.Message) -> [ChatLibrary.Reaction] {
        let reactions = channel[message.id].reactions.map(ChatLibrary.Reaction.init)
        return reactions
    }
}

final class ChatRules: ReactionDelegate {
    func canReact(to message: MessageReactions) -> Bool {
        !message.message.hasPrefix("system-")
    }

    func reactions(for message: MessageReactions) -> [ReactionType]? {
        ["👍", "❤️", "party_parrot"]
    }

    func didReact(to message: MessageReactions, reaction: DraftReaction) {
        print("\(reaction.action) \(reaction.type)")
    }
}

extension ChatLibrary.Reaction {
    init(_ reaction: Reaction) {
        self.init(
            id: reaction.id, user: ChatLibrary.User(id: reaction.user, name: reaction.user),
            createdAt: reaction.createdAt, type: .emoji(reaction.type.text), status: Status(reaction.status))
    }
}

extension ChatLibrary.Reaction.Status {
    init(_ status: Reaction.Status) {
        switch status {
        case .sending: self = .sending
        case .sent: self = .sent
        case .failed(let draft):
            self = .error(
                ChatLibrary.DraftReaction(
                    id: draft.id, messageID: draft.message, createdAt: draft.createdAt, type: .emoji(draft.type.text)))
        }
    }
}

@MainActor
final class Bridge: ChatLibrary.ReactionDelegate {
    let channel: ChannelReactions

    init(_ channel: ChannelReactions) {
        self.channel = channel
    }

    func didReact(to message: ChatLibrary.Message, reaction: ChatLibrary.DraftReaction) {
        channel[message.id].toggle(ReactionType(reaction.type.text))
    }

    func canReact(to message: ChatLibrary.Message) -> Bool { channel[message.id].canReact }

    func reactions(for message: ChatLibrary.Message) -> [ChatLibrary.ReactionType]? {
        channel[message.id].choices.map { .emoji($0.text) }
    }

    func allowEmojiSearch(for message: ChatLibrary.Message) -> Bool { channel[message.id].allowsEmojiSearch }

    func shouldShowOverview(for message: ChatLibrary.Message) -> Bool { channel[message.id].showsOverview }
}
