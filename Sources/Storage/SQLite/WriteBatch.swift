import Reactions

/// The writes of one transaction, with only the last record of each place.
///
/// Channels, messages and groups are hot: a thousand reactions on one message change these rows once.
struct WriteBatch {
    /// What one channel has.
    struct Channel {
        let name: String
        var seq: UInt64
        var isFrozen: Bool?
        var messages: [String: Message] = [:]
        var keys: [KeyPlace: Record.Key] = [:]
        var posts: [OutboxEntry] = []
        var audit: [AuditEntry] = []
    }

    /// What one message has; an inner `nil` says that the place is to be emptied.
    struct Message {
        var own: Record.Message?
        var groups: [Reaction: Record.Group?] = [:]
        /// Up to which seq everyone's entries with a reaction are gone; they go before the entries are written.
        var sweeps: [Reaction: UInt64] = [:]
        var entries: [EntryPlace: Record.Entry?] = [:]
    }

    private(set) var channels: [Channel] = []
    private var positions: [String: Int] = [:]
    /// How many records came, before any gave way to a later one.
    private(set) var recordCount = 0

    /// Whether some of it must be on the disk before it is answered.
    private(set) var isSynced = false

    /// Whether entries are gone that are to be taken out later.
    private(set) var hasSweeps = false

    func contains(_ channel: String) -> Bool { positions[channel] != nil }

    mutating func add(_ write: ChannelWrite) {
        recordCount += write.records.count + write.posts.count
        if write.durability == .synced { isSynced = true }
        if !hasSweeps { hasSweeps = write.records.contains(where: \.isSweep) }
        if let position = positions[write.channel] {
            channels[position].add(write)
        } else {
            positions[write.channel] = channels.count
            var channel = Channel(name: write.channel, seq: write.seq)
            channel.add(write)
            channels.append(channel)
        }
    }
}

extension WriteBatch.Channel {
    fileprivate mutating func add(_ write: ChannelWrite) {
        seq = write.seq
        for record in write.records { add(record) }
        posts += write.posts
        audit += write.audit
    }

    private mutating func add(_ record: Record) {
        switch record {
        case .entry(let message, let user, let reaction, let entry):
            let place = EntryPlace(reaction: reaction, user: user)
            messages[message, default: .init()].entries.updateValue(entry, forKey: place)
        case .swept(let message, let reaction, let seq):
            messages[message, default: .init()].sweep(reaction, upTo: seq)
        case .group(let message, let reaction, let group):
            messages[message, default: .init()].groups.updateValue(group, forKey: reaction)
        case .message(let message, let own):
            messages[message, default: .init()].own = own
        case .key(let user, let name, let key):
            keys[KeyPlace(user: user, key: name)] = key
        case .frozen(let frozen):
            isFrozen = frozen
        }
    }
}

extension WriteBatch.Message {
    fileprivate mutating func sweep(_ reaction: Reaction, upTo seq: UInt64) {
        sweeps[reaction] = seq
        if !entries.isEmpty { entries = entries.filter { $0.key.reaction != reaction } }
    }
}

extension Record {
    fileprivate var isSweep: Bool {
        if case .swept = self { true } else { false }
    }
}
