extension Tally {
    /// The reaction of an entry.
    func reaction(of entry: Slot) -> Reaction {
        groups[entries[entry].group].reaction
    }

    /// Where an entry belongs.
    func names(of entry: Slot) -> (message: String, user: String, reaction: Reaction) {
        let group = groups[entries[entry].group]
        return (messages[group.message].name, users[entries[entry].user].name, group.reaction)
    }

    /// An entry as a store keeps it.
    func record(of entry: Slot) -> Record {
        let (message, user, reaction) = names(of: entry)
        let state = entries[entry]
        return .entry(
            message: message, user: user, reaction: reaction,
            Record.Entry(
                count: state.count, given: state.given, touched: state.touched, at: state.at, data: data(of: entry)))
    }

    /// A group as a store keeps it.
    func record(ofGroup slot: Slot) -> Record {
        let group = groups[slot]
        return .group(
            message: messages[group.message].name, reaction: group.reaction,
            Record.Group(started: group.started, first: group.first, last: group.last))
    }

    /// Everything as a store keeps it.
    var records: [Record] {
        var records: [Record] = []
        for slot in messages.slots where !messages[slot].isBare {
            let message = messages[slot]
            records.append(
                .message(message.name, Record.Message(changed: message.changed, isDeleted: message.isDeleted)))
            for group in message.groups {
                records.append(record(ofGroup: group))
                for mark in groups[group].members.newestFirst() { records.append(record(of: mark.slot)) }
            }
        }
        return records
    }
}

extension Tally {
    /// Makes a tally from what a store kept.
    ///
    /// Records that contradict each other (no ledger writes such) give some tally, never a trap.
    init(_ records: [Record]) {
        var messages: [(name: String, Record.Message)] = []
        var groups: [(message: String, reaction: Reaction, Record.Group)] = []
        var entries: [(message: String, user: String, reaction: Reaction, Record.Entry)] = []
        for record in records {
            switch record {
            case .message(let name, let message): messages.append((name, message))
            case .group(let message, let reaction, .some(let group)): groups.append((message, reaction, group))
            case .entry(let message, let user, let reaction, .some(let entry)) where entry.count > 0:
                entries.append((message, user, reaction, entry))
            case .group, .entry, .key, .frozen: break
            }
        }
        groups.sort { $0.2.started < $1.2.started }
        for (message, reaction, group) in groups { restore(group, reaction, on: openMessage(message)) }
        entries.sort { $0.3.touched < $1.3.touched }
        for (message, user, reaction, entry) in entries {
            let group = openGroup(reaction, on: openMessage(message), seq: entry.given, at: entry.at)
            if let user = self.user(user), self.entry(of: user, in: group) != nil { continue }
            _ = insert(entry, by: user, in: group)
        }
        for slot in self.groups.slots where self.groups[slot].message.isSomewhere && self.groups[slot].users == 0 {
            closeGroup(slot)
        }
        messages.sort { $0.1.changed < $1.1.changed }
        for (name, message) in messages {
            let slot = openMessage(name)
            if message.isDeleted { delete(slot) }
            settle(slot, seq: message.changed)
        }
    }

    private mutating func restore(_ group: Record.Group, _ reaction: Reaction, on message: Slot) {
        let slot = openGroup(reaction, on: message, seq: group.started, at: group.first)
        setLast(group.last, of: slot)
    }
}
