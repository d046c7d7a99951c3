import Foundation
import Reactions
import Storage

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
