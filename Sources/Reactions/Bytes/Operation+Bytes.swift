// The form in which an operation is logged.
extension Operation {
    func append(to writer: inout ByteWriter) {
        writer.put(byte: code)
        writer.put(message)
        writer.put(user)
        writer.put(optional: key) { $0.put($1) }
        writer.put(optional: tokenAllowed) { $0.put(list: $1) { $0.put($1) } }
        switch action {
        case .add(let reaction, let count, let data), .toggle(let reaction, let count, let data):
            writer.put(reaction)
            writer.put(optional: count) { $0.put(Int64($1)) }
            writer.put(optional: data) { $1.append(to: &$0) }
        case .remove(let reaction, let count):
            writer.put(reaction)
            writer.put(optional: count) { $0.put(Int64($1)) }
        case .set(let reactions):
            writer.put(list: reactions) { $0.put($1) }
        case .clear(let reaction, let user):
            writer.put(optional: reaction) { $0.put($1) }
            writer.put(optional: user) { $0.put($1) }
        case .delete, .freeze: break
        }
    }

    /// Reads what ``append(to:)`` writes; `nil` where it is none.
    init?(_ reader: inout ByteReader) {
        guard let code = reader.byte(), let message = reader.text(), let user = reader.text(),
            let key = reader.optional({ $0.text() }),
            let tokenAllowed = reader.optional({ $0.list { $0.text() } }),
            let action = Action(code, &reader)
        else { return nil }
        self.init(action, message: message, user: user, key: key, tokenAllowed: tokenAllowed)
    }

    // What is written, so new actions go at the end.
    private var code: UInt8 {
        switch action {
        case .add: 1
        case .remove: 2
        case .toggle: 3
        case .set: 4
        case .clear: 5
        case .delete: 6
        case .freeze(let frozen): frozen ? 7 : 8
        }
    }
}

extension Operation.Action {
    fileprivate init?(_ code: UInt8, _ reader: inout ByteReader) {
        switch code {
        case 1, 3:
            guard let reaction = reader.text(), let count = reader.optional({ $0.signed() }),
                let data = reader.optional({ ReactionData(&$0) })
            else { return nil }
            let whole = count.map { Int(clamping: $0) }
            self =
                code == 1
                ? .add(reaction: reaction, count: whole, data: data)
                : .toggle(reaction: reaction, count: whole, data: data)
        case 2:
            guard let reaction = reader.text(), let count = reader.optional({ $0.signed() }) else { return nil }
            self = .remove(reaction: reaction, count: count.map { Int(clamping: $0) })
        case 4:
            guard let reactions = reader.list({ $0.text() }) else { return nil }
            self = .set(reactions: reactions)
        case 5:
            guard let reaction = reader.optional({ $0.text() }), let user = reader.optional({ $0.text() }) else {
                return nil
            }
            self = .clear(reaction: reaction, user: user)
        case 6: self = .delete
        case 7: self = .freeze(true)
        case 8: self = .freeze(false)
        default: return nil
        }
    }
}

extension ReactionData {
    func append(to writer: inout ByteWriter) {
        writer.put(text)
        writer.put(canonical)
    }

    init?(_ reader: inout ByteReader) {
        guard let text = reader.text(), let canonical = reader.text() else { return nil }
        self.init(text: text, canonical: canonical)
    }
}
