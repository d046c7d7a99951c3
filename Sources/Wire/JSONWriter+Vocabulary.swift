import Reactions

/// Writing the words of `Reactions`: what several messages say in the same way.
extension [UInt8] {
    /// Begins a message of a type about a channel.
    mutating func open(_ piece: StaticString, _ id: RequestID?, _ channel: String) {
        append(json: piece)
        member(#","id":"#, id)
        member(#","channel":"#, channel)
    }

    mutating func member(_ piece: StaticString, _ id: RequestID?) {
        switch id {
        case .number(let number): member(piece, number)
        case .text(let text): member(piece, text)
        case nil: break
        }
    }

    mutating func member(_ piece: StaticString, ifAny reaction: Reaction?) {
        if let reaction { member(piece, reaction.text) }
    }

    /// Writes `data`, which is JSON already, where there is any.
    mutating func member(_ piece: StaticString, ifAny data: ReactionData?) {
        guard let data else { return }
        append(json: piece)
        append(contentsOf: data.text.utf8)
    }

    /// Writes `own` and, for policy `multiple`, `own_counts`.
    mutating func members(own: [OwnReaction]?, isCounted: Bool) {
        guard let own else { return }
        append(json: #","own":"#)
        array(own) { $0.append(string: $1.reaction.text) }
        guard isCounted else { return }
        append(json: #","own_counts":"#)
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

    mutating func member(_ piece: StaticString, _ groups: [GroupCount]) {
        append(json: piece)
        array(groups) { bytes, group in
            bytes.append(json: #"{"reaction":"#)
            bytes.append(string: group.reaction.text)
            bytes.member(#","count":"#, group.count)
            bytes.member(#","users":"#, group.users)
            bytes.close()
        }
    }

    mutating func member(_ piece: StaticString, _ summaries: [Summary], isCounted: Bool) {
        append(json: piece)
        array(summaries) { bytes, summary in
            bytes.append(json: #"{"message":"#)
            bytes.append(string: summary.message)
            bytes.members(after: summary, isCounted: isCounted)
            bytes.close()
        }
    }

    /// Writes what a SUMMARY holds after its message; a deleted one has no `own`.
    mutating func members(after summary: Summary, isCounted: Bool) {
        member(#","total":"#, summary.total)
        append(json: #","reactions":"#)
        array(summary.groups) { $0.append(group: $1) }
        if summary.isDeleted {
            member(#","deleted":"#, true)
        } else {
            members(own: summary.own, isCounted: isCounted)
        }
    }

    private mutating func append(group: Summary.Group) {
        append(json: #"{"reaction":"#)
        append(string: group.reaction.text)
        member(#","count":"#, group.count)
        member(#","users":"#, group.users)
        member(#","first":"#, group.first)
        member(#","last":"#, group.last)
        if let latest = group.latest { member(#","latest":"#, latest) }
        close()
    }

    mutating func append(reactor: Reactor) {
        append(json: #"{"user":"#)
        append(string: reactor.user)
        member(#","reaction":"#, reactor.reaction.text)
        member(#","count":"#, reactor.count)
        member(#","at":"#, reactor.at)
        member(#","data":"#, ifAny: reactor.data)
        close()
    }
}
