import Reactions

/// Writing the words of `Reactions`: what several messages say in the same way.
extension [UInt8] {
    /// Begins a message of a type about a channel.
    mutating func open(_ type: StaticString, _ id: RequestID?, _ channel: String) {
        open(type)
        member("id", id)
        member("channel", channel)
    }

    mutating func member(_ name: StaticString, _ id: RequestID?) {
        switch id {
        case .number(let number): member(name, number)
        case .text(let text): member(name, text)
        case nil: break
        }
    }

    mutating func member(_ name: StaticString, ifAny reaction: Reaction?) {
        if let reaction { member(name, reaction.text) }
    }

    /// Writes `data`, which is JSON already, where there is any.
    mutating func member(_ name: StaticString, ifAny data: ReactionData?) {
        guard let data else { return }
        member(name)
        append(contentsOf: data.text.utf8)
    }

    /// Writes `own` and, for policy `multiple`, `own_counts`.
    mutating func members(own: [OwnReaction]?, isCounted: Bool) {
        guard let own else { return }
        member("own")
        array(own) { $0.append(string: $1.reaction.text) }
        guard isCounted else { return }
        member("own_counts")
        object(own.lazy.map { ($0.reaction, $0.count) })
    }

    /// Writes an object of reactions and numbers.
    mutating func object(_ counts: some Sequence<(Reaction, UInt64)>) {
        append(.openBrace)
        var isFirst = true
        for (reaction, count) in counts {
            if !isFirst { append(.comma) }
            isFirst = false
            append(string: reaction.text)
            append(.colon)
            append(number: count)
        }
        append(.closeBrace)
    }

    mutating func member(_ name: StaticString, _ groups: [GroupCount]) {
        member(name)
        array(groups) { bytes, group in
            bytes.append(json: #"{"reaction":"#)
            bytes.append(string: group.reaction.text)
            bytes.member("count", group.count)
            bytes.member("users", group.users)
            bytes.close()
        }
    }

    mutating func member(_ name: StaticString, _ summaries: [Summary], isCounted: Bool) {
        member(name)
        array(summaries) { bytes, summary in
            bytes.append(json: #"{"message":"#)
            bytes.append(string: summary.message)
            bytes.members(after: summary, isCounted: isCounted)
            bytes.close()
        }
    }

    /// Writes what a SUMMARY holds after its message; a deleted one has no `own`.
    mutating func members(after summary: Summary, isCounted: Bool) {
        member("total", summary.total)
        member("reactions")
        array(summary.groups) { $0.append(group: $1) }
        if summary.isDeleted {
            member("deleted", true)
        } else {
            members(own: summary.own, isCounted: isCounted)
        }
    }

    private mutating func append(group: Summary.Group) {
        append(json: #"{"reaction":"#)
        append(string: group.reaction.text)
        member("count", group.count)
        member("users", group.users)
        member("first", group.first)
        member("last", group.last)
        if let latest = group.latest { member("latest", latest) }
        close()
    }

    mutating func append(reactor: Reactor) {
        append(json: #"{"user":"#)
        append(string: reactor.user)
        member("reaction", reactor.reaction.text)
        member("count", reactor.count)
        member("at", reactor.at)
        member("data", ifAny: reactor.data)
        close()
    }
}
