import Reactions

/// A channel's records folded into what they leave behind.
struct MemoryChannel {
    private struct Message {
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
        for record in write.records { apply(record) }
        pruneKeysWhereManyWereAdded()
    }

    private mutating func apply(_ record: Record) {
        switch record {
        case .entry(let message, let user, let reaction, let entry):
            messages[message, default: Message()].entries[reaction, default: [:]][user] = entry
        case .swept(let message, let reaction, _):
            // What was given later than it says comes later, too.
            messages[message]?.entries[reaction] = nil
        case .group(let message, let reaction, let group):
            messages[message, default: Message()].groups[reaction] = group
        case .message(let message, let own):
            messages[message, default: Message()].own = own
        case .key(let user, let name, let key):
            keys[KeyPlace(user: user, key: name)] = key
            newestKey = max(newestKey, key.at)
        case .frozen(let frozen):
            isFrozen = frozen
        }
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
