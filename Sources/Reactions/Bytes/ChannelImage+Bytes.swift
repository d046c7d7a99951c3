// The form of a channel in a snapshot.
extension ChannelImage {
    package func append(to writer: inout ByteWriter) {
        writer.put(seq)
        writer.put(list: records) { $1.append(to: &$0) }
    }

    /// Reads what ``append(to:)`` writes; `nil` where it is none.
    package init?(_ reader: inout ByteReader) {
        guard let seq = reader.number(), let records = reader.list({ Record(&$0) }) else { return nil }
        self.init(seq: seq, records: records)
    }
}

extension Record {
    fileprivate func append(to writer: inout ByteWriter) {
        switch self {
        case .entry(let message, let user, let reaction, let entry):
            writer.put(byte: 1)
            writer.put(message)
            writer.put(user)
            writer.put(reaction.text)
            writer.put(optional: entry) { $1.append(to: &$0) }
        case .group(let message, let reaction, let group):
            writer.put(byte: 2)
            writer.put(message)
            writer.put(reaction.text)
            writer.put(optional: group) { writer, group in
                writer.put(group.started)
                writer.put(group.first)
                writer.put(group.last)
            }
        case .swept(let message, let reaction, let seq):
            writer.put(byte: 3)
            writer.put(message)
            writer.put(reaction.text)
            writer.put(seq)
        case .message(let name, let message):
            writer.put(byte: 4)
            writer.put(name)
            writer.put(message.changed)
            writer.put(byte: message.isDeleted ? 1 : 0)
        case .key(let user, let name, let key):
            writer.put(byte: 5)
            writer.put(user)
            writer.put(name)
            writer.put(key.at)
            writer.put(key.body)
            writer.put(key.answer)
        case .frozen(let frozen):
            writer.put(byte: frozen ? 7 : 6)
        }
    }

    fileprivate init?(_ reader: inout ByteReader) {
        switch reader.byte() {
        case 1:
            guard let message = reader.text(), let user = reader.text(), let reaction = reader.reaction(),
                let entry = reader.optional({ Entry(&$0) })
            else { return nil }
            self = .entry(message: message, user: user, reaction: reaction, entry)
        case 2:
            guard let message = reader.text(), let reaction = reader.reaction(),
                let group = reader.optional({ Group(&$0) })
            else { return nil }
            self = .group(message: message, reaction: reaction, group)
        case 3:
            guard let message = reader.text(), let reaction = reader.reaction(), let seq = reader.number() else {
                return nil
            }
            self = .swept(message: message, reaction: reaction, upTo: seq)
        case 4:
            guard let name = reader.text(), let changed = reader.number(), let deleted = reader.byte(), deleted < 2
            else { return nil }
            self = .message(name, Message(changed: changed, isDeleted: deleted == 1))
        case 5:
            guard let user = reader.text(), let name = reader.text(), let at = reader.signed(),
                let body = reader.blob(), let answer = reader.blob()
            else { return nil }
            self = .key(user: user, key: name, Key(at: at, body: body, answer: answer))
        case 6: self = .frozen(false)
        case 7: self = .frozen(true)
        default: return nil
        }
    }
}

extension Record.Entry {
    fileprivate func append(to writer: inout ByteWriter) {
        writer.put(count)
        writer.put(given)
        writer.put(touched)
        writer.put(at)
        writer.put(optional: data) { $1.append(to: &$0) }
    }

    fileprivate init?(_ reader: inout ByteReader) {
        guard let count = reader.number(), let given = reader.number(), let touched = reader.number(),
            let at = reader.signed(), let data = reader.optional({ ReactionData(&$0) })
        else { return nil }
        self.init(count: count, given: given, touched: touched, at: at, data: data)
    }
}

extension Record.Group {
    fileprivate init?(_ reader: inout ByteReader) {
        guard let started = reader.number(), let first = reader.signed(), let last = reader.signed() else { return nil }
        self.init(started: started, first: first, last: last)
    }
}

extension ByteReader {
    fileprivate mutating func reaction() -> Reaction? {
        text().map(Reaction.init(canonical:))
    }
}
