import Foundation
import Reactions
import Storage
import Wire

/// One line of an export: a JSON object whose `type` says what it is (DataCare.md).
struct ExportLine: Codable, Equatable {
    enum Kind: String, Codable {
        case export, channel, message, group, reaction, key, revocation, audit, end
    }

    /// The version of the form.
    static let version = 1

    var type: Kind
    var version: Int?
    var epoch: String?
    var channels: Int?
    var channel: String?
    var seq: UInt64?
    var frozen: Bool?
    var message: String?
    var changed: UInt64?
    var deleted: Bool?
    var reaction: String?
    var started: UInt64?
    var first: Int64?
    var last: Int64?
    var user: String?
    var count: UInt64?
    var given: UInt64?
    var touched: UInt64?
    var at: Int64?
    /// The JSON text of what the user attached.
    var data: String?
    var key: String?
    var body: Data?
    var answer: Data?
    var by: String?
    var action: String?
    var removed: UInt64?
    var lines: Int?

    init(_ type: Kind) {
        self.type = type
    }

    /// The line of a record; `nil` for one that a channel's own line tells, or that says that something is not there.
    init?(_ record: Record) {
        switch record {
        case .message(let name, let message):
            self.init(.message)
            self.message = name
            changed = message.changed
            deleted = message.isDeleted
        case .group(let message, let reaction, let group?):
            self.init(.group)
            self.message = message
            self.reaction = reaction.text
            started = group.started
            first = group.first
            last = group.last
        case .entry(let message, let user, let reaction, let entry?):
            self.init(.reaction)
            self.message = message
            self.reaction = reaction.text
            self.user = user
            count = entry.count
            given = entry.given
            touched = entry.touched
            at = entry.at
            data = entry.data?.text
        case .key(let user, let key, let use):
            self.init(.key)
            self.user = user
            self.key = key
            at = use.at
            body = Data(use.body)
            answer = Data(use.answer)
        case .frozen, .swept, .group, .entry: return nil
        }
    }

    init(_ revocation: Revocation) {
        self.init(.revocation)
        user = revocation.user
        at = revocation.at
        by = revocation.by
    }

    init(_ entry: AuditEntry) {
        self.init(.audit)
        at = entry.at
        action = entry.action.rawValue
        by = entry.by
        channel = entry.channel
        message = entry.message
        reaction = entry.reaction
        user = entry.user
        removed = entry.removed
        seq = entry.seq
    }
}

// MARK: Back

extension ExportLine {
    /// Why a line cannot be taken.
    struct Fault: Error, Equatable {
        var words: String
    }

    /// What it is about, where the line must say so.
    private func needed<Value>(_ value: Value?, _ name: String) throws(Fault) -> Value {
        guard let value else { throw Fault(words: "a line of the type \(type.rawValue) needs \"\(name)\"") }
        return value
    }

    private func name(_ value: String?, _ field: String, upTo length: Int) throws(Fault) -> String {
        let text = try needed(value, field)
        guard BrokerOptions.isName(text, upTo: length) else {
            throw Fault(words: "\"\(field)\" is 1 to \(length) visible ASCII characters")
        }
        return text
    }

    /// The channel that a line begins, and what it says of it.
    func beginning() throws(Fault) -> (name: String, image: ChannelImage) {
        let seq = try needed(seq, "seq")
        guard seq <= 1 << 53 else { throw Fault(words: "\"seq\" is at most 2^53") }
        let isFrozen = try needed(frozen, "frozen")
        return (
            try name(channel, "channel", upTo: 200), ChannelImage(seq: seq, records: isFrozen ? [.frozen(true)] : [])
        )
    }

    /// The record that a line stands for, in a channel whose counter is at `seq`.
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
                started: try needed(started, "started"), first: try needed(first, "first"),
                last: try needed(last, "last"))
            return .group(message: try messageName(), reaction: try givenReaction(), group)
        case .reaction:
            return .entry(
                message: try messageName(), user: try name(user, "user", upTo: 128), reaction: try givenReaction(),
                try entry())
        case .key:
            return .key(
                user: try name(user, "user", upTo: 128), key: try name(key, "key", upTo: 64),
                .init(
                    at: try needed(at, "at"), body: Array(try needed(body, "body")),
                    answer: Array(try needed(answer, "answer"))))
        case .export, .channel, .revocation, .audit, .end: throw Fault(words: "this is no part of a channel")
        }
    }

    private func messageName() throws(Fault) -> String {
        message == "" ? "" : try name(message, "message", upTo: 128)
    }

    private func givenReaction() throws(Fault) -> Reaction {
        let text = try needed(reaction, "reaction")
        guard (1...128).contains(text.utf8.count) else { throw Fault(words: "\"reaction\" is 1 to 128 bytes") }
        return Reaction(canonical: text)
    }

    private func entry() throws(Fault) -> Record.Entry {
        let count = try needed(count, "count")
        guard (1...1 << 53).contains(count) else { throw Fault(words: "\"count\" is 1 to 2^53") }
        var entry = Record.Entry(
            count: count, given: try needed(given, "given"), touched: try needed(touched, "touched"),
            at: try needed(at, "at"))
        guard entry.given <= entry.touched else { throw Fault(words: "\"given\" is above \"touched\"") }
        if let data {
            do throws(BadRequest) { entry.data = try ReactionData.decode(Array(data.utf8).span) } catch {
                throw Fault(words: "\"data\" is the text of a JSON object of at most 1,024 bytes")
            }
        }
        return entry
    }

    func revocation() throws(Fault) -> Revocation {
        Revocation(
            user: try name(user, "user", upTo: 128), at: try needed(at, "at"), by: try needed(by, "by"))
    }

    func auditEntry() throws(Fault) -> AuditEntry {
        guard let action = AuditEntry.Action(rawValue: try needed(action, "action")) else {
            throw Fault(words: "\"action\" is none of an audit")
        }
        return AuditEntry(
            at: try needed(at, "at"), action, by: try needed(by, "by"), channel: channel, message: message,
            reaction: reaction, user: user, removed: removed, seq: seq)
    }
}
