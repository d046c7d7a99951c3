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

    /// When the newest of its keys was used, in Unix milliseconds; `nil`: it has none.
    var newestKey: Int64? {
        channels.lazy.compactMap { channel in channel.keys.values.lazy.map(\.at).max() }.max()
    }

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
        // Records in a row are of one message, most of the time, which is looked for once.
        var last: (name: String, place: Dictionary<String, WriteBatch.Message>.Index)?
        for index in write.records.indices {
            guard let name = write.records[index].message else {
                add(write.records[index])
                continue
            }
            let place = last.flatMap { $0.name == name ? $0.place : nil } ?? place(of: name)
            last = (name, place)
            messages.values[place].add(write.records[index])
        }
        posts += write.posts
        audit += write.audit
    }

    /// Where a message is, made where it is not there.
    private mutating func place(of name: String) -> Dictionary<String, WriteBatch.Message>.Index {
        while true {
            if let place = messages.index(forKey: name) { return place }
            messages[name] = WriteBatch.Message()
        }
    }

    /// Adds what is of no message.
    private mutating func add(_ record: Record) {
        switch record {
        case .entry, .swept, .group, .message: break
        case .key(let user, let name, let key):
            keys[KeyPlace(user: user, key: name)] = key
        case .frozen(let frozen):
            isFrozen = frozen
        }
    }
}

extension WriteBatch.Message {
    /// Adds a record of the message.
    fileprivate mutating func add(_ record: Record) {
        switch record {
        case .entry(_, let user, let reaction, let entry):
            entries.updateValue(entry, forKey: EntryPlace(reaction: reaction, user: user))
        case .swept(_, let reaction, let seq): sweep(reaction, upTo: seq)
        case .group(_, let reaction, let group): groups.updateValue(group, forKey: reaction)
        case .message(_, let own): self.own = own
        case .key, .frozen: break
        }
    }

    private mutating func sweep(_ reaction: Reaction, upTo seq: UInt64) {
        sweeps[reaction] = seq
        if !entries.isEmpty { entries = entries.filter { $0.key.reaction != reaction } }
    }
}

extension Record {
    fileprivate var isSweep: Bool {
        if case .swept = self { true } else { false }
    }
}
