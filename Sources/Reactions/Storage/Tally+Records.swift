extension Tally {
    /// The reaction of an entry.
    func reaction(of entry: Slot) -> Reaction {
        groups[entries[entry].group].reaction
    }

    /// Where an entry belongs.
    func names(of entry: Slot) -> (message: String, user: String, reaction: Reaction) {
        let group = groups[entries[entry].group]
        return (messages[group.message].name, users[entries[entry].user].name.text, group.reaction)
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
    /// Makes a tally from what a store kept of a channel whose counter is at `seq`.
    ///
    /// Records that contradict each other (no ledger writes such) give some tally, never a trap.
    init(_ records: [Record], seq: UInt64) {
        var changed: [Slot: UInt64] = [:]
        var groups: [(message: Slot, reaction: Reaction, Record.Group)] = []
        var entries: [(message: Slot, user: String, reaction: Reaction, Record.Entry)] = []
        for record in records {
            switch record {
            case .message(let name, let message):
                let slot = openMessage(name)
                changed[slot, default: 0] = max(changed[slot, default: 0], min(message.changed, seq))
                if message.isDeleted { delete(slot) }
            case .group(let message, let reaction, .some(let group)):
                groups.append((openMessage(message), reaction, group))
            case .entry(let message, let user, let reaction, .some(let entry))
            where entry.count > 0 && entry.touched <= seq:
                let slot = openMessage(message)
                changed[slot, default: 0] = max(changed[slot, default: 0], entry.touched)
                entries.append((slot, user, reaction, entry))
            case .group, .entry, .swept, .key, .frozen: break
            }
        }
        groups.sort { $0.2.started < $1.2.started }
        for (message, reaction, group) in groups {
            let slot = openGroup(reaction, on: message, seq: group.started, at: group.first)
            setLast(group.last, of: slot)
        }
        entries.sort { $0.3.touched < $1.3.touched }
        for (message, user, reaction, entry) in entries where !messages[message].isDeleted {
            let group = openGroup(reaction, on: message, seq: entry.given, at: entry.at)
            if let user = self.user(user), self.entry(of: user, in: group) != nil { continue }
            _ = insert(entry, by: user, in: group)
        }
        for slot in self.groups.slots where self.groups[slot].users == 0 { closeGroup(slot) }
        for slot in messages.slots.sorted(by: { changed[$0, default: 0] < changed[$1, default: 0] }) {
            settle(slot, seq: changed[slot, default: 0])
        }
    }
}
