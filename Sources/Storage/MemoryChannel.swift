import Reactions

/// A channel's records folded into what they leave behind.
struct MemoryChannel {
    fileprivate struct Message {
        var own: Record.Message?
        var groups: [Reaction: Record.Group] = [:]
        var entries: [Reaction: [String: Record.Entry]] = [:]
    }

    private var seq: UInt64 = 0
    private var isFrozen = false
    private var messages: [String: Message] = [:]
    private var keys: [KeyPlace: Record.Key] = [:]
    private var newestKey = Int64.min
    private var keysAfterPruning = 0

    /// Takes a write over.
    mutating func apply(_ write: ChannelWrite) {
        seq = write.seq
        // Records in a row are of one message, most of the time, which is looked for once.
        var last: (name: String, place: Dictionary<String, Message>.Index)?
        for index in write.records.indices {
            guard let name = write.records[index].message else {
                apply(write.records[index])
                continue
            }
            let place = last.flatMap { $0.name == name ? $0.place : nil } ?? place(of: name)
            last = (name, place)
            messages.values[place].apply(write.records[index])
        }
        pruneKeysWhereManyWereAdded()
    }

    /// Where a message is, made where it is not there.
    private mutating func place(of name: String) -> Dictionary<String, Message>.Index {
        while true {
            if let place = messages.index(forKey: name) { return place }
            messages[name] = Message()
        }
    }

    /// Takes over what is of no message.
    private mutating func apply(_ record: Record) {
        switch record {
        case .entry, .swept, .group, .message: break
        case .key(let user, let name, let key):
            let wasAhead = newestKey.subtractingReportingOverflow(key.at)
            if wasAhead.partialValue > keyLead, !wasAhead.overflow {
                bringBackKeys(from: key.at)
            } else {
                newestKey = max(newestKey, key.at)
            }
            keys[KeyPlace(user: user, key: name)] = key
        case .frozen(let frozen):
            isFrozen = frozen
        }
    }

    /// Has what was used at later times count as used now, since the clock went back; see ``keyLead``.
    private mutating func bringBackKeys(from now: Int64) {
        for (place, key) in keys where key.at > now { keys[place]?.at = now }
        newestKey = now
    }

    /// Looks at all keys only when their number has doubled, so that a key costs a constant time.
    private mutating func pruneKeysWhereManyWereAdded() {
        if keys.count < 2 * keysAfterPruning + 64 { return }
        let horizon = keyHorizon(newest: newestKey)
        keys = keys.filter { $0.value.at >= horizon }
        keysAfterPruning = keys.count
    }

    /// The channel as a store gives it back.
    func image(keysSince: Int64) -> ChannelImage {
        var records: [Record] = isFrozen ? [.frozen(true)] : []
        for (name, message) in messages {
            if let own = message.own { records.append(.message(name, own)) }
            for (reaction, group) in message.groups {
                records.append(.group(message: name, reaction: reaction, group))
            }
            for (reaction, entries) in message.entries {
                for (user, entry) in entries {
                    records.append(.entry(message: name, user: user, reaction: reaction, entry))
                }
            }
        }
        for (place, key) in keys where key.at >= keysSince {
            records.append(.key(user: place.user, key: place.key, key))
        }
        return ChannelImage(seq: seq, records: records)
    }
}

extension MemoryChannel.Message {
    /// Takes over a record of the message.
    fileprivate mutating func apply(_ record: Record) {
        switch record {
        case .entry(_, let user, let reaction, let entry):
            entries[reaction, default: [:]][user] = entry
        case .swept(_, let reaction, _):
            // What was given later than it says comes later, too.
            entries[reaction] = nil
        case .group(_, let reaction, let group): groups[reaction] = group
        case .message(_, let own): self.own = own
        case .key, .frozen: break
        }
    }
}

extension Record {
    /// The message that it is of; `nil`: it is of the channel.
    var message: String? {
        switch self {
        case .entry(let message, _, _, _), .group(let message, _, _), .swept(let message, _, _),
            .message(let message, _):
            message
        case .key, .frozen: nil
        }
    }
}
