import Reactions

/// Reading the words of `Reactions`: what several of a broker's messages say in the same way.
extension Members {
    /// The string of a field that must be there.
    func text(_ field: Field, _ text: Span<UInt8>) throws(BadRequest) -> String {
        try string(field, text).required(field)
    }

    /// The number of a field that must be there.
    func number(_ field: Field, _ text: Span<UInt8>) throws(BadRequest) -> UInt64 {
        try wholeNumber(field, text, in: 0...UInt64.max).required(field)
    }

    /// The time or the length of time of a field that must be there, in milliseconds.
    func milliseconds(_ field: Field, _ text: Span<UInt8>) throws(BadRequest) -> Int64 {
        try optionalMilliseconds(field, text).required(field)
    }

    /// A time or a length of time, in milliseconds; `null` is none.
    func optionalMilliseconds(_ field: Field, _ text: Span<UInt8>) throws(BadRequest) -> Int64? {
        guard unlessNull(field) != nil else { return nil }
        return try wholeNumber(field, text, in: 0...UInt64(Int64.max)).map { Int64(clamping: $0) }
    }

    /// The small number of a field that must be there.
    func int(_ field: Field, _ text: Span<UInt8>) throws(BadRequest) -> Int {
        try wholeNumber(field, text, in: 0...Int.max).required(field)
    }

    func reaction(_ field: Field, _ text: Span<UInt8>) throws(BadRequest) -> Reaction? {
        try string(field, text).map { Reaction(canonical: $0) }
    }

    func strings(_ field: Field, _ text: Span<UInt8>) throws(BadRequest) -> [String]? {
        try elements(field, text) { element, text throws(BadRequest) in
            guard let string = element.string(in: text) else { throw .wrongKind(field) }
            return string
        }
    }

    func reactions(_ field: Field, _ text: Span<UInt8>) throws(BadRequest) -> [Reaction]? {
        try strings(field, text)?.map { Reaction(canonical: $0) }
    }

    /// The objects of an array, each read by `read`.
    func objects<Value>(
        _ field: Field, _ text: Span<UInt8>, _ read: (borrowing Members, Span<UInt8>) throws(BadRequest) -> Value
    ) throws(BadRequest) -> [Value]? {
        try elements(field, text) { element, text throws(BadRequest) in
            try read(try element.members(field, text), text)
        }
    }

    /// The elements of an array, each read by `read`; `nil` where the field is left out or `null`.
    private func elements<Value>(
        _ field: Field, _ text: Span<UInt8>, _ read: (JSONValue, Span<UInt8>) throws(BadRequest) -> Value
    ) throws(BadRequest) -> [Value]? {
        guard let value = unlessNull(field) else { return nil }
        guard value.kind == .array else { throw .wrongKind(field) }
        var values: [Value] = []
        var elements = JSONElements(value)
        while let element = try elements.next(text) { values.append(try read(element, text)) }
        return values
    }

    /// An object of reactions and numbers, in their order.
    func counts(_ field: Field, _ text: Span<UInt8>) throws(BadRequest) -> [ReactionCount]? {
        guard let value = self[field] else { return nil }
        guard value.kind == .object else { throw .wrongKind(field) }
        var counts: [ReactionCount] = []
        var members = JSONMembers(value)
        while let (name, value) = try members.next(text) {
            guard let reaction = name.string(in: text), let count = value.wholeNumber(in: text) else {
                throw .wrongKind(field)
            }
            counts.append(ReactionCount(reaction: Reaction(canonical: reaction), count: count))
        }
        return counts
    }

    /// `own`, with the counts of `own_counts` where it is there.
    func own(_ text: Span<UInt8>) throws(BadRequest) -> [OwnReaction]? {
        guard let own = try reactions(.own, text) else { return nil }
        guard let counts = try counts(.ownCounts, text) else { return own.map { OwnReaction(reaction: $0) } }
        var countOf: [Reaction: UInt64] = [:]
        for count in counts { countOf[count.reaction] = count.count }
        return own.map { OwnReaction(reaction: $0, count: countOf[$0] ?? 1) }
    }

    /// Whether `own_counts` is said, as it is where the policy is `multiple`.
    var isCounted: Bool { self[.ownCounts] != nil }

    func group(_ text: Span<UInt8>) throws(BadRequest) -> GroupCount {
        GroupCount(
            reaction: try reaction(.reaction, text).required(.reaction), count: try number(.count, text),
            users: try number(.users, text))
    }

    func summary(_ text: Span<UInt8>) throws(BadRequest) -> Summary {
        let groups = try objects(.reactions, text) { group, text throws(BadRequest) in
            let count = try group.group(text)
            return Summary.Group(
                reaction: count.reaction, count: count.count, users: count.users,
                first: try group.milliseconds(.first, text), last: try group.milliseconds(.last, text),
                latest: try group.strings(.latest, text))
        }
        return Summary(
            message: try self.text(.message, text), total: try number(.total, text),
            groups: try groups.required(.reactions), own: try own(text), isDeleted: try bool(.deleted) ?? false)
    }

    func summaryDelta(_ text: Span<UInt8>) throws(BadRequest) -> SummaryDelta {
        let groups = try objects(.reactions, text) { group, text throws(BadRequest) in try group.group(text) }
        return SummaryDelta(
            message: try self.text(.message, text), total: try number(.total, text),
            groups: try groups.required(.reactions), isDeleted: try bool(.deleted) ?? false)
    }

    func reactor(_ text: Span<UInt8>) throws(BadRequest) -> Reactor {
        Reactor(
            user: try self.text(.user, text), reaction: try reaction(.reaction, text).required(.reaction),
            count: try number(.count, text), at: try milliseconds(.at, text), data: try data(text))
    }

    /// The summaries of `messages`, and whether any of them says `own_counts`.
    func summaries(_ text: Span<UInt8>) throws(BadRequest) -> (messages: [Summary]?, isCounted: Bool) {
        var isCounted = false
        let messages = try objects(.messages, text) { summary, text throws(BadRequest) in
            if summary.isCounted { isCounted = true }
            return try summary.summary(text)
        }
        return (messages, isCounted)
    }
}
