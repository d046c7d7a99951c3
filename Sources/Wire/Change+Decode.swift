import Reactions

/// Reading the events of section 4, one for each change.
extension Members {
    /// The event of a type; `nil`: the type is no event's.
    func event(_ type: MessageType, _ text: Span<UInt8>) throws(BadRequest) -> BrokerMessage? {
        let kind: Change.Kind
        switch type {
        case .added: kind = .added(try group(text), byCount: try byCount(text), data: try data(text))
        case .removed: kind = .removed(try group(text), byCount: try byCount(text))
        case .updated: kind = .updated(try group(text), data: try data(text).required(.data))
        case .replaced: kind = .replaced(try group(text), previous: try previous(text), data: try data(text))
        case .cleared: kind = try cleared(text)
        default: return nil
        }
        let user = type == .cleared ? nil : try string(.user, text)
        let change = Change(
            seq: try number(.seq, text), message: try self.text(.message, text), user: user,
            at: try milliseconds(.at, text), total: try number(.total, text), kind: kind)
        return .event(channel: try channel(text), change)
    }

    private func byCount(_ text: Span<UInt8>) throws(BadRequest) -> UInt64? {
        try wholeNumber(.byCount, text, in: 0...UInt64.max)
    }

    private func previous(_ text: Span<UInt8>) throws(BadRequest) -> GroupCount {
        GroupCount(
            reaction: try reaction(.previous, text).required(.previous), count: try number(.previousCount, text),
            users: try number(.previousUsers, text))
    }

    private func cleared(_ text: Span<UInt8>) throws(BadRequest) -> Change.Kind {
        let groups = try objects(.groups, text) { group, text throws(BadRequest) in try group.group(text) }
        return .cleared(
            groups: try groups.required(.groups), reaction: try reaction(.reaction, text),
            user: try string(.user, text), by: try self.text(.by, text), removed: try number(.removed, text),
            isDeletion: try string(.reason, text) == "deleted")
    }
}
