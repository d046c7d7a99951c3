import Foundation
import Reactions
import Storage
import Wire

/// What a line says, once it is known to say nothing that the broker itself would refuse (PROTOCOL.md sections 1, 3 and 7).
extension ExportLine {
    /// Why a line cannot be taken.
    struct Fault: Error, Equatable {
        var words: String
    }

    /// The largest number that is taken: below it is room for what comes later, up to the largest one that JSON carries
    /// exactly wherever it is read.
    static let mostNumber: UInt64 = 1 << 53 - 1 << 40

    /// Whatever may be a reaction in some namespace.
    private static let anyReaction = Rules(kind: .any)

    /// What it is about, where the line must say so.
    func needed<Value>(_ value: Value?, _ name: String) throws(Fault) -> Value {
        guard let value else { throw Fault(words: "a line of the type \(type.rawValue) needs \"\(name)\"") }
        return value
    }

    private func name(
        _ value: String?, _ field: String, upTo length: Int, _ isName: (String) -> Bool
    ) throws(Fault) -> String {
        let text = try needed(value, field)
        guard isName(text) else { throw Fault(words: "\"\(field)\" is 1 to \(length) visible ASCII characters") }
        return text
    }

    private func userName(_ value: String?, _ field: String) throws(Fault) -> String {
        try name(value, field, upTo: 128, Shape.isUser)
    }

    private func whole(_ value: UInt64?, _ field: String, from least: UInt64 = 0) throws(Fault) -> UInt64 {
        let number = try needed(value, field)
        guard (least...Self.mostNumber).contains(number) else {
            throw Fault(words: "\"\(field)\" is \(least) to \(Self.mostNumber)")
        }
        return number
    }

    private func time(_ value: Int64?, _ field: String) throws(Fault) -> Int64 {
        let time = try needed(value, field)
        guard time >= 0, time <= Self.mostNumber else {
            throw Fault(words: "\"\(field)\" is in Unix milliseconds, 0 to \(Self.mostNumber)")
        }
        return time
    }
}

// MARK: Channels

extension ExportLine {
    /// The channel that a line begins, and what it says of it.
    func beginning() throws(Fault) -> (name: String, image: ChannelImage) {
        let seq = try whole(seq, "seq")
        let isFrozen = try needed(frozen, "frozen")
        return (
            try name(channel, "channel", upTo: 200, Shape.isChannel),
            ChannelImage(seq: seq, records: isFrozen ? [.frozen(true)] : [])
        )
    }

    /// The record that a line stands for, in a channel whose counter is at `limit`.
    func record(upTo limit: UInt64) throws(Fault) -> Record {
        for number in [changed, started, given, touched].compactMap(\.self) where number > limit {
            throw Fault(words: "\(number) is above the channel's seq, \(limit)")
        }
        switch type {
        case .message:
            return .message(
                try messageName(),
                .init(changed: try needed(changed, "changed"), isDeleted: try needed(deleted, "deleted")))
        case .group:
            let group = Record.Group(
                started: try needed(started, "started"), first: try time(first, "first"), last: try time(last, "last"))
            return .group(message: try messageName(), reaction: try givenReaction(), group)
        case .reaction:
            return .entry(
                message: try messageName(), user: try userName(user, "user"), reaction: try givenReaction(),
                try entry())
        case .key:
            return .key(user: try userName(user, "user"), key: try name(key, "key", upTo: 64, Shape.isKey), try use())
        case .export, .channel, .revocation, .audit, .end: throw Fault(words: "this is no part of a channel")
        }
    }

    private func messageName() throws(Fault) -> String {
        let text = try needed(message, "message")
        guard text.isEmpty || Shape.isMessage(text) else {
            throw Fault(words: "\"message\" is 1 to 128 visible ASCII characters, not -, ., .. or *, or \"\"")
        }
        return text
    }

    /// The canonical form, as all forms of an emoji are one reaction.
    private func givenReaction() throws(Fault) -> Reaction {
        let text = try needed(reaction, "reaction")
        do throws(Refusal) { return try Self.anyReaction.reaction(from: text) } catch {
            throw Fault(words: "\"reaction\" is one emoji, or a name of 1 to 64 of a-z, 0-9, _, + and -")
        }
    }

    private func entry() throws(Fault) -> Record.Entry {
        var entry = Record.Entry(
            count: try whole(count, "count", from: 1), given: try needed(given, "given"),
            touched: try needed(touched, "touched"), at: try time(at, "at"))
        guard entry.given <= entry.touched else { throw Fault(words: "\"given\" is above \"touched\"") }
        if let data {
            do throws(BadRequest) { entry.data = try ReactionData.decode(Array(data.utf8).span) } catch {
                throw Fault(words: "\"data\" is the text of a JSON object of at most 1,024 bytes")
            }
        }
        return entry
    }

    private func use() throws(Fault) -> Record.Key {
        let use = Record.Key(
            at: try time(at, "at"), body: Array(try needed(body, "body")), answer: Array(try needed(answer, "answer")))
        guard use.isReadable else { throw Fault(words: "\"body\" and \"answer\" are not those of a used key") }
        return use
    }
}

// MARK: Moderators

extension ExportLine {
    /// Who was revoked.
    func revocation() throws(Fault) -> Revocation {
        Revocation(user: try userName(user, "user"), at: try time(at, "at"), by: try userName(by, "by"))
    }

    /// What a moderator did.
    func auditEntry() throws(Fault) -> AuditEntry {
        guard let action = AuditEntry.Action(rawValue: try needed(action, "action")) else {
            throw Fault(words: "\"action\" is none of an audit")
        }
        var entry = AuditEntry(at: try time(at, "at"), action, by: try userName(by, "by"))
        if channel != nil { entry.channel = try name(channel, "channel", upTo: 200, Shape.isChannel) }
        if message != nil { entry.message = message == "*" ? "*" : try messageName() }
        if reaction != nil { entry.reaction = try givenReaction().text }
        // The empty text is a user who is not named.
        if user != nil { entry.user = user == "" ? "" : try userName(user, "user") }
        if removed != nil { entry.removed = try whole(removed, "removed") }
        if seq != nil { entry.seq = try whole(seq, "seq") }
        return entry
    }
}
