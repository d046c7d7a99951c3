import Reactions
import Storage

/// The lines about one channel so far: what they come to, and whether the next one belongs to them.
///
/// They come as an export has them: a message before its groups, and a group before its reactions. What a store would keep
/// only once stands there once.
struct ChannelLines {
    /// The channel.
    let name: String
    private(set) var image: ChannelImage
    private var messages: [String: Message] = [:]

    private struct Message {
        var isDeleted: Bool
        /// Who has each of the reactions.
        var users: [Reaction: Set<String>] = [:]
        var total: UInt64 = 0
    }

    /// Begins with the line of the channel itself.
    init(_ line: ExportLine) throws(ExportLine.Fault) {
        (name, image) = try line.beginning()
    }

    /// Takes the next line.
    ///
    /// - Throws: `ExportLine.Fault` where it is wrong, or does not belong to those before it.
    mutating func take(_ line: ExportLine) throws(ExportLine.Fault) {
        let record = try line.record(upTo: image.seq)
        switch record {
        case .message(let message, let own):
            guard messages.updateValue(Message(isDeleted: own.isDeleted), forKey: message) == nil else {
                throw .second("message \(quoted(message))")
            }
        case .group(let message, let reaction, _): try begin(reaction, on: message)
        case .entry(let message, let user, let reaction, let entry?):
            try add(entry.count, of: reaction, on: message, by: user)
        // Of two uses of a key the later one counts, as everywhere.
        case .key, .entry, .swept, .frozen: break
        }
        image.records.append(record)
    }

    private mutating func begin(_ reaction: Reaction, on message: String) throws(ExportLine.Fault) {
        guard let isDeleted = messages[message]?.isDeleted else {
            throw .unknown("message \(quoted(message))", "message")
        }
        guard !isDeleted else { throw .deleted(message) }
        guard messages[message]?.users.updateValue([], forKey: reaction) == nil else {
            throw .second("group \(reaction) of the message \(quoted(message))")
        }
    }

    private mutating func add(
        _ count: UInt64, of reaction: Reaction, on message: String, by user: String
    ) throws(ExportLine.Fault) {
        // Part by part: a copy of what is known of the message would have all its users copied with the next change.
        guard let isDeleted = messages[message]?.isDeleted, let before = messages[message]?.total else {
            throw .unknown("message \(quoted(message))", "message")
        }
        guard !isDeleted else { throw .deleted(message) }
        guard messages[message]?.users[reaction] != nil else {
            throw .unknown("group \(reaction) of the message \(quoted(message))", "group")
        }
        let total = before + count
        guard total <= ExportLine.mostNumber else {
            throw ExportLine.Fault(
                words: "the counts on the message \(quoted(message)) are above \(ExportLine.mostNumber) together")
        }
        messages[message]?.total = total
        guard messages[message]?.users[reaction]?.insert(user).inserted == true else {
            throw .second("reaction \(reaction) of this user on the message \(quoted(message))")
        }
    }
}

private func quoted(_ name: String) -> String { "\"\(name)\"" }

extension ExportLine.Fault {
    /// Something stands there that must be there once.
    static func second(_ what: String) -> ExportLine.Fault {
        ExportLine.Fault(words: "the \(what) stands here for the second time")
    }

    /// Something is told of what no line has told so far.
    static func unknown(_ what: String, _ type: String) -> ExportLine.Fault {
        ExportLine.Fault(words: "the \(what) is not known: its line of the type \(type) comes before this one")
    }

    static func deleted(_ message: String) -> ExportLine.Fault {
        ExportLine.Fault(words: "the message \(quoted(message)) is deleted, and has no reactions")
    }
}
