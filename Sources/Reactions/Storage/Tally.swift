/// Who reacted to what: the state under a ledger, with the changes that keep its parts in step.
///
/// It knows no policies and no limits. Names are kept once; everything else refers to them by place.
struct Tally: Sendable {
    /// A message that has reactions, or was deleted.
    struct Message: Sendable {
        var name = ""
        var changed: UInt64 = 0
        var isDeleted = false
        var total: UInt64 = 0
        /// In the order in which they were started.
        var groups: [Slot] = []
        /// Whether it is in `recent`.
        fileprivate var isListed = false
        var isBare: Bool { groups.isEmpty && !isDeleted }
    }

    /// Everyone's equal reactions on one message.
    struct Group: Sendable {
        var message = Slot.nowhere
        var reaction = Reaction(canonical: "")
        var count: UInt64 = 0
        var started: UInt64 = 0
        var first: Int64 = 0
        var last: Int64 = 0
        /// Its entries by `touched`.
        var members = Timeline()
        var users: UInt64 { UInt64(members.count) }
        var numbers: GroupCount { GroupCount(reaction: reaction, count: count, users: users) }
    }

    /// A user's reaction on a message; 56 bytes, as there may be very many.
    struct Entry: Sendable {
        var user = Slot.nowhere
        var group = Slot.nowhere
        var data = Slot.nowhere
        fileprivate var older = Slot.nowhere
        fileprivate var newer = Slot.nowhere
        var count: UInt64 = 0
        var given: UInt64 = 0
        var touched: UInt64 = 0
        var at: Int64 = 0
    }

    /// Someone who has reactions in this channel.
    struct User: Sendable {
        var name = Name("")
        /// The newest of the chain of the user's entries.
        fileprivate var newest = Slot.nowhere
    }

    private(set) var messages = Pool(blank: Message())
    private(set) var groups = Pool(blank: Group())
    private(set) var entries = Pool(blank: Entry())
    private(set) var users = Pool(blank: User())
    private var data = Pool<ReactionData?>(blank: nil)
    private var messagesByName = HashIndex()
    private var usersByName = HashIndex()
    private var entriesByOwner = HashIndex()
    /// The messages with reactions, by their newest change.
    private(set) var recent = Timeline()
    /// Groups that are on no message any more, whose entries are still to be taken away.
    private var closed: [Slot] = []
}

// MARK: Finding

extension Tally {
    /// The place of a message that has reactions or was deleted.
    func message(_ name: String) -> Slot? {
        var slot = messagesByName.first(Self.hash(name))
        while slot.isSomewhere, messages[slot].name != name { slot = messagesByName.next(after: slot) }
        return slot.isSomewhere ? slot : nil
    }

    /// The place of someone who has reactions in the channel.
    func user(_ name: String) -> Slot? {
        var slot = usersByName.first(Self.hash(name))
        while slot.isSomewhere, !users[slot].name.matches(name) { slot = usersByName.next(after: slot) }
        return slot.isSomewhere ? slot : nil
    }

    /// The place of a reaction's group on a message.
    func group(_ reaction: Reaction, on message: Slot) -> Slot? {
        for group in messages[message].groups where groups[group].reaction == reaction { return group }
        return nil
    }

    /// The place of a user's entry in a group.
    func entry(of user: Slot, in group: Slot) -> Slot? {
        var slot = entriesByOwner.first(Self.hash(user, groups[group].message))
        while slot.isSomewhere, entries[slot].user != user || entries[slot].group != group {
            slot = entriesByOwner.next(after: slot)
        }
        return slot.isSomewhere ? slot : nil
    }

    /// The places of a user's entries on a message, in the order in which they were given.
    func entries(of user: Slot, on message: Slot) -> [Slot] {
        var own: [Slot] = []
        var slot = entriesByOwner.first(Self.hash(user, message))
        while slot.isSomewhere {
            if entries[slot].user == user, groups[entries[slot].group].message == message { own.append(slot) }
            slot = entriesByOwner.next(after: slot)
        }
        return own.count > 1 ? inOrder(own) : own
    }

    /// Entries in the order in which they were given; the index usually finds the newest first.
    private func inOrder(_ found: [Slot]) -> [Slot] {
        var marks: [(given: UInt64, slot: Slot)] = []
        var isSorted = true
        for slot in found.reversed() {
            let given = entries[slot].given
            if let last = marks.last, last.given > given { isSorted = false }
            marks.append((given, slot))
        }
        // With what it needs beside it, for a closure that looks into the tally would have a copy of it.
        if !isSorted { marks.sort { $0.given < $1.given } }
        return marks.map(\.slot)
    }

    /// The messages on which a user has something, the one that changed longest ago first.
    func messages(of user: Slot) -> [Slot] {
        var found: Set<Slot> = []
        var slot = users[user].newest
        while slot.isSomewhere {
            let message = groups[entries[slot].group].message
            if message.isSomewhere { found.insert(message) }
            slot = entries[slot].older
        }
        return found.sorted { messages[$0].changed < messages[$1].changed }
    }

    /// What a user attached to an entry.
    func data(of entry: Slot) -> ReactionData? {
        let slot = entries[entry].data
        return slot.isSomewhere ? data[slot] : nil
    }

    private static func hash(_ name: String) -> UInt32 { NameHash.hash(name) }

    private static func hash(_ user: Slot, _ message: Slot) -> UInt32 {
        let both = UInt64(UInt32(bitPattern: user.index)) << 32 | UInt64(UInt32(bitPattern: message.index))
        return UInt32(truncatingIfNeeded: ((both ^ both >> 29) &* 0x9E37_79B9_7F4A_7C15) >> 32)
    }
}

// MARK: Changing

extension Tally {
    /// The place of a message, made where it is not there.
    mutating func openMessage(_ name: String) -> Slot {
        if let slot = message(name) { return slot }
        let slot = messages.insert(Message(name: name))
        messagesByName.insert(slot, Self.hash(name))
        return slot
    }

    /// The place of a group, started where it is not there.
    mutating func openGroup(_ reaction: Reaction, on message: Slot, seq: UInt64, at: Int64) -> Slot {
        if let slot = group(reaction, on: message) { return slot }
        let slot = groups.insert(Group(message: message, reaction: reaction, started: seq, first: at, last: at))
        messages[message].groups.append(slot)
        return slot
    }

    /// Adds an entry where its user, who may have a known place, has none in the group.
    mutating func insert(
        _ record: Record.Entry, by userName: String, at known: Slot? = nil, in group: Slot
    ) -> Slot {
        let user = place(of: userName, known) ?? openUser(userName)
        let slot = entries.insert(
            Entry(
                user: user, group: group, data: record.data.map { data.insert($0) } ?? .nowhere,
                older: users[user].newest, count: record.count, given: record.given, touched: record.touched,
                at: record.at))
        let message = groups[group].message
        entriesByOwner.insert(slot, Self.hash(user, message))
        if users[user].newest.isSomewhere { entries[users[user].newest].newer = slot }
        users[user].newest = slot
        groups[group].members.append(slot, at: record.touched)
        groups[group].count &+= record.count
        messages[message].total &+= record.count
        return slot
    }

    /// Notes the newest add to a group.
    mutating func setLast(_ at: Int64, of group: Slot) {
        groups[group].last = at
    }

    /// Makes an entry the newest of its group; with a count above 0 it grows, with data it has those.
    mutating func touch(_ entry: Slot, adding count: UInt64, data new: ReactionData?, seq: UInt64, at: Int64) {
        let group = entries[entry].group
        groups[group].members.renew(entry, from: entries[entry].touched, to: seq)
        groups[group].count &+= count
        messages[groups[group].message].total &+= count
        entries[entry].count &+= count
        entries[entry].touched = seq
        entries[entry].at = at
        if let new {
            if entries[entry].data.isSomewhere {
                data[entries[entry].data] = new
            } else {
                entries[entry].data = data.insert(new)
            }
        }
    }

    /// Takes some of an entry away, or all of it, and its group where that is empty then.
    ///
    /// - Returns: the group's numbers afterwards.
    mutating func take(_ amount: UInt64, from entry: Slot) -> GroupCount {
        let group = entries[entry].group
        let message = groups[group].message
        groups[group].count &-= amount
        messages[message].total &-= amount
        if amount < entries[entry].count {
            entries[entry].count -= amount
            return groups[group].numbers
        }
        groups[group].members.remove(entry, at: entries[entry].touched)
        remove(entry)
        let numbers = groups[group].numbers
        if numbers.users == 0 { closeGroup(group) }
        return numbers
    }

    /// Ends a change of a message: it is the newest one, and forgotten where it is bare.
    ///
    /// - Returns: the message's place, if it still has one.
    @discardableResult
    mutating func settle(_ message: Slot, seq: UInt64) -> Slot? {
        if messages[message].isListed { recent.remove(message, at: messages[message].changed) }
        messages[message].changed = seq
        messages[message].isListed = !messages[message].groups.isEmpty && !messages[message].isDeleted
        if messages[message].isListed {
            recent.append(message, at: seq)
        } else if messages[message].isBare {
            messagesByName.remove(message)
            messages.remove(message)
            return nil
        }
        return message
    }

    /// Marks a message as deleted.
    mutating func delete(_ message: Slot) {
        messages[message].isDeleted = true
    }

    /// Takes a group away that has no entries.
    mutating func closeGroup(_ group: Slot) {
        messages[groups[group].message].groups.removeAll { $0 == group }
        groups.remove(group)
    }

    /// Takes a group away with all its entries, which are found no more and give their memory back by ``reclaim(_:)``.
    mutating func closeWhole(_ group: Slot) {
        let message = groups[group].message
        messages[message].total &-= groups[group].count
        messages[message].groups.removeAll { $0 == group }
        groups[group].message = .nowhere
        closed.append(group)
    }

    /// Takes away entries of closed groups, so many at most.
    mutating func reclaim(_ limit: Int) {
        var left = limit
        while left > 0, let group = closed.last {
            if let entry = groups[group].members.removeNewest() {
                remove(entry)
                left -= 1
            } else {
                groups.remove(group)
                closed.removeLast()
            }
        }
    }

    /// A place where a user was a moment ago, unless it went with the last entry.
    private func place(of user: String, _ known: Slot?) -> Slot? {
        guard let known, users.contains(known), users[known].newest.isSomewhere, users[known].name.matches(user) else {
            return nil
        }
        return known
    }

    private mutating func openUser(_ name: String) -> Slot {
        if let slot = user(name) { return slot }
        let slot = users.insert(User(name: Name(name)))
        usersByName.insert(slot, Self.hash(name))
        return slot
    }

    private mutating func remove(_ slot: Slot) {
        let entry = entries[slot]
        if entry.older.isSomewhere { entries[entry.older].newer = entry.newer }
        if entry.newer.isSomewhere {
            entries[entry.newer].older = entry.older
        } else {
            users[entry.user].newest = entry.older
        }
        if !users[entry.user].newest.isSomewhere {
            usersByName.remove(entry.user)
            users.remove(entry.user)
        }
        if entry.data.isSomewhere { data.remove(entry.data) }
        entriesByOwner.remove(slot)
        entries.remove(slot)
    }
}
