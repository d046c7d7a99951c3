// MARK: Messages

extension Ledger {
    /// A message's reactions now.
    ///
    /// - Parameters:
    ///   - message: the message, `""` for the channel itself.
    ///   - user: who asks, for `own`; `nil` for nobody in particular.
    /// - Returns: the summary; `nil` where the message is bare and was not deleted.
    public func summary(of message: String, for user: String?) -> Summary? {
        tally.message(message).map { summary(of: $0, for: user) }
    }

    /// The summaries of messages that are asked for by name.
    ///
    /// - Parameters:
    ///   - messages: the messages.
    ///   - user: who asks, for `own`; `nil` for nobody in particular.
    /// - Returns: each once, in the order asked for; bare ones are left out, deleted ones are not.
    public func summaries(of messages: [String], for user: String?) -> [Summary] {
        var seen: Set<Slot> = []
        return messages.compactMap { name in
            guard let slot = tally.message(name), seen.insert(slot).inserted else { return nil }
            return summary(of: slot, for: user)
        }
    }

    /// The messages with the newest change, newest first; bare and deleted ones are not listed.
    ///
    /// - Parameters:
    ///   - limit: how many at most.
    ///   - seq: only those whose newest change is before this; `nil`: all.
    ///   - user: who asks, for `own`; `nil` for nobody in particular.
    /// - Returns: a page, with the seq to ask for the next one.
    public func newest(_ limit: Int, before seq: UInt64?, for user: String?) -> Page<Summary> {
        var marks = tally.recent.newestFirst(before: seq)
        var page = Page<Summary>(elements: [], next: nil)
        var last: UInt64?
        while let mark = marks.next() {
            guard page.elements.count < limit else {
                page.next = last
                break
            }
            page.elements.append(summary(of: mark.slot, for: user))
            last = mark.seq
        }
        return page
    }

    /// The sum of all counts on a message.
    public func total(of message: String) -> UInt64 {
        tally.message(message).map { tally.messages[$0].total } ?? 0
    }

    /// Whether a message was deleted.
    public func isDeleted(_ message: String) -> Bool {
        tally.message(message).map { tally.messages[$0].isDeleted } ?? false
    }

    /// The numbers of a message's groups: zeros for those that are not there, then the others in order of first use.
    public func groups(_ reactions: Set<Reaction>, on message: String) -> [GroupCount] {
        let slots = tally.message(message).map { tally.messages[$0].groups } ?? []
        let there = slots.map { tally.groups[$0].numbers }.filter { reactions.contains($0.reaction) }
        return reactions.subtracting(there.map(\.reaction)).map { GroupCount(reaction: $0, count: 0, users: 0) } + there
    }

    private func summary(of slot: Slot, for user: String?) -> Summary {
        let message = tally.messages[slot]
        if message.isDeleted {
            return Summary(message: message.name, total: 0, groups: [], own: nil, isDeleted: true)
        }
        return Summary(
            message: message.name, total: message.total, groups: message.groups.map { summary(ofGroup: $0) },
            own: user.map { own(of: $0, on: slot) })
    }

    private func summary(ofGroup slot: Slot) -> Summary.Group {
        let group = tally.groups[slot]
        let latest = group.members.newestFirst().prefix(5)
        return Summary.Group(
            reaction: group.reaction, count: group.count, users: group.users, first: group.first, last: group.last,
            latest: latest.map { tally.users[tally.entries[$0.slot].user].name.text })
    }
}

// MARK: Users

extension Ledger {
    /// What a user has on a message, in the order given.
    public func own(of user: String, on message: String) -> [OwnReaction] {
        tally.message(message).map { own(of: user, on: $0) } ?? []
    }

    /// Who reacted to a message, newest add or update first.
    ///
    /// - Parameters:
    ///   - message: the message.
    ///   - reaction: only with this one; `nil`: with any.
    ///   - limit: how many at most.
    ///   - seq: only those whose newest add or update is before this; `nil`: all.
    /// - Returns: a page, with the seq to ask for the next one.
    public func reactors(
        on message: String, with reaction: Reaction?, limit: Int, before seq: UInt64?
    ) -> Page<Reactor> {
        var walks = groups(on: message, reaction).map { tally.groups[$0].members.newestFirst(before: seq) }
        var heads = walks.indices.map { walks[$0].next() }
        var page = Page<Reactor>(elements: [], next: nil)
        var last: UInt64?
        while let (index, mark) = newest(of: heads) {
            guard page.elements.count < limit else {
                page.next = last
                break
            }
            page.elements.append(reactor(mark.slot))
            last = mark.seq
            heads[index] = walks[index].next()
        }
        return page
    }

    /// How many entries ``reactors(on:with:limit:before:)`` has in all.
    public func reactorCount(on message: String, with reaction: Reaction?) -> UInt64 {
        groups(on: message, reaction).reduce(0) { $0 &+ tally.groups[$1].users }
    }

    private func groups(on message: String, _ reaction: Reaction?) -> [Slot] {
        guard let message = tally.message(message) else { return [] }
        guard let reaction else { return tally.messages[message].groups }
        return tally.group(reaction, on: message).map { [$0] } ?? []
    }

    private func newest(of heads: [Timeline.Mark?]) -> (index: Int, mark: Timeline.Mark)? {
        var newest: (index: Int, mark: Timeline.Mark)?
        for (index, head) in heads.enumerated() {
            guard let head else { continue }
            if let mark = newest?.mark, mark.seq > head.seq { continue }
            newest = (index, head)
        }
        return newest
    }

    private func reactor(_ slot: Slot) -> Reactor {
        let entry = tally.entries[slot]
        return Reactor(
            user: tally.users[entry.user].name.text, reaction: tally.reaction(of: slot), count: entry.count,
            at: entry.at,
            data: tally.data(of: slot))
    }

    func own(of user: String, on message: Slot) -> [OwnReaction] {
        guard let user = tally.user(user) else { return [] }
        return own(of: user, on: message)
    }

    func own(of user: Slot, on message: Slot) -> [OwnReaction] {
        var own: [OwnReaction] = []
        for slot in tally.entries(of: user, on: message) {
            own.append(OwnReaction(reaction: tally.reaction(of: slot), count: tally.entries[slot].count))
        }
        return own
    }
}
