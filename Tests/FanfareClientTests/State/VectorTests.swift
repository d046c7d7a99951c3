import Foundation
import Reactions
import Testing
import Wire

@testable import FanfareClient

/// A file of `Tests/Vectors`: what is done to a channel's state, and what is to be seen after each step.
///
/// `views` and what is in them name only what matters, all lists are whole. The id of a request is its key; `elapsed` moves the clock, in
/// milliseconds; `scope`, beside `receive`, says which messages are watched from then on.
struct Vector: Sendable, CustomTestStringConvertible {
    static let folder = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().appending(path: "Vectors")

    static let files = ((try? FileManager.default.contentsOfDirectory(atPath: folder.path())) ?? [])
        .filter { $0.hasSuffix(".json") }.sorted()

    var file: String
    var testDescription: String { file }
}

@Suite("The state of a channel")
struct VectorTests {
    @Test("follows the vectors that the browser client follows", arguments: Vector.files.map { Vector(file: $0) })
    func replay(_ vector: Vector) throws {
        let content = try JSONText(parsing: Data(contentsOf: Vector.folder.appending(path: vector.file)))
        var replay = Replay(channel: content["channel"]?.text ?? "chat:42", user: content["user"]?.text)
        let steps = try #require(content["steps"]?.elements)
        for (place, step) in steps.enumerated() {
            let what = try #require(step["do"])
            try replay.perform(what)
            if let expected = step["expect"], let difference = try replay.difference(from: expected) {
                Issue.record("\(vector.file), step \(place + 1), \(what): \(difference)")
                return
            }
        }
    }

    @Test("has vectors to follow")
    func files() {
        #expect(Vector.files.count >= 19)
    }
}

/// A channel's state to which the steps of a vector are done.
private struct Replay {
    var state: ChannelState
    var now: Int64 = 0

    init(channel: String, user: String?) {
        state = ChannelState(channel, user: user)
    }

    mutating func perform(_ step: JSONText) throws {
        if let message = step["receive"] {
            let covers = step["scope"]?["watched"]?.elements?.compactMap(\.text)
            let message = try BrokerMessage.decode(Array("\(message)".utf8).span)
            _ = state.receive(message, now: now, covers: covers)
        } else if let intent = step["intent"] {
            try act(intent)
        } else if let key = step["sent"]?.text {
            state.sent(key)
        } else if let isConnected = step["connected"] {
            state.connected(isConnected == true)
        } else if let failed = step["retry"] {
            let (message, reaction) = try place(failed)
            state.retry(message, reaction)
        } else if let failed = step["discard"] {
            let (message, reaction) = try place(failed)
            state.discard(message, reaction)
        } else {
            now += Int64(try #require(step["elapsed"]?.integer, "no step: \(step)"))
        }
    }

    private func place(_ failed: JSONText) throws -> (String, Reactions.Reaction) {
        (try #require(failed["message"]?.text), Reactions.Reaction(canonical: try #require(failed["reaction"]?.text)))
    }

    private mutating func act(_ intent: JSONText) throws {
        let actions: [String: PendingChange.Action] = ["add": .add, "remove": .remove, "toggle": .toggle, "set": .set]
        let action = try #require(intent["op"]?.text.flatMap { actions[$0] })
        let texts = try intent["reactions"]?.elements?.compactMap(\.text) ?? [#require(intent["reaction"]?.text)]
        let data = try intent["data"].map { try ReactionData.decode(Array("\($0)".utf8).span) }
        state.act(
            action, texts.map(Reactions.Reaction.init(canonical:)), on: try #require(intent["message"]?.text),
            key: try #require(intent["key"]?.text), count: intent["count"]?.integer, data: data)
    }

    func difference(from expected: JSONText) throws -> String? {
        if case .object(let views)? = expected["views"] {
            for (message, view) in views {
                if let difference = JSONText(state.view(of: message), of: message).difference(from: view, at: message) {
                    return difference
                }
            }
        }
        if let outbox = expected["outbox"] {
            let requests = try state.outbox(now: now).map { change in
                var text: [UInt8] = []
                Request(change.request(in: state.channel)).append(to: &text)
                return try JSONText(parsing: text)
            }
            if let difference = JSONText.array(requests).difference(from: outbox, at: "outbox") { return difference }
        }
        guard let failed = expected["failed"] else { return nil }
        let failures = state.changes.all.compactMap { change in
            change.failure.map { failure in
                JSONText.object([
                    "message": .string(change.message), "reaction": .string(change.reactions.first?.text ?? ""),
                    "code": .string(failure.refusal?.rawValue ?? ""),
                ])
            }
        }
        return JSONText.array(failures).difference(from: failed, at: "failed")
    }
}

extension JSONText {
    /// A view as the browser client has it.
    init(_ sight: MessageSight, of message: String) {
        self = .object([
            "message": .string(message), "total": .number(Double(sight.total)), "deleted": .bool(sight.isDeleted),
            "own": .array(sight.own.reactions.map { .string($0.text) }),
            "reactions": .array(sight.groups.map(JSONText.init)),
        ])
    }

    private init(_ group: MessageSight.Group) {
        var members: [String: JSONText] = [
            "reaction": .string(group.group.reaction.text), "count": .number(Double(group.group.count)),
            "users": .number(Double(group.group.users)), "own": .bool(group.ownCount > 0),
            "ownCount": .number(Double(group.ownCount)),
            "latest": group.group.latest.map { .array($0.map { .string($0.user) }) } ?? .null,
        ]
        switch group.status {
        case .sent: members["status"] = "sent"
        case .sending: members["status"] = "sending"
        case .failed(let error):
            members["status"] = "failed"
            members["error"] = .object([
                "code": .string(error.refusal?.rawValue ?? ""), "message": .string(error.message),
            ])
        }
        self = .object(members)
    }
}
