/// The keys that were used lately, with what they were used for (PROTOCOL.md section 3, `key`).
struct UsedKeys: Sendable {
    /// How long a key is remembered, in milliseconds.
    static let lifetime: Int64 = 600_000

    /// A used key.
    struct Use: Sendable {
        var user: String
        var key: String
        var at: Int64
        var body: Fingerprint
        var answer: [UInt8]
        fileprivate var older = Slot.nowhere
        fileprivate var newer = Slot.nowhere

        init(user: String, key: String, at: Int64, body: Fingerprint, answer: [UInt8]) {
            self.user = user
            self.key = key
            self.at = at
            self.body = body
            self.answer = answer
        }
    }

    private var pool = Pool<Use?>(blank: nil)
    private var index = HashIndex()
    private var oldest = Slot.nowhere
    private var newest = Slot.nowhere

    /// What a key was last used for, unless that is forgotten at this time.
    func use(of key: String, by user: String, at now: Int64) -> Use? {
        guard let slot = slot(of: key, by: user), let use = pool[slot], !use.isForgotten(at: now) else { return nil }
        return use
    }

    /// Remembers a use, in place of an older one of the same key.
    mutating func remember(_ use: Use) {
        if let slot = slot(of: use.key, by: use.user) { remove(slot) }
        bringBack(to: use.at)
        var use = use
        use.older = newest
        use.newer = .nowhere
        let slot = pool.insert(use)
        index.insert(slot, Self.hash(use.key, use.user))
        if newest.isSomewhere { pool[newest]?.newer = slot } else { oldest = slot }
        newest = slot
    }

    /// How far the newest use may be ahead of the next one, in milliseconds.
    private static let lead: Int64 = 3_600_000

    /// Where time went back far, has what was used later count as used now: it would be known for as long as time was
    /// ahead, and so would all that comes after it.
    private mutating func bringBack(to now: Int64) {
        guard newest.isSomewhere, let last = pool[newest], now < last.at &- Self.lead else { return }
        var slot = newest
        while slot.isSomewhere, let use = pool[slot], use.at > now {
            pool[slot]?.at = now
            slot = use.older
        }
    }

    /// Forgets what was used before a time.
    mutating func forget(before time: Int64) {
        while oldest.isSomewhere, let use = pool[oldest], use.at < time { remove(oldest) }
    }

    /// All uses, the oldest first.
    var all: [Use] {
        var uses: [Use] = []
        var slot = oldest
        while slot.isSomewhere, let use = pool[slot] {
            uses.append(use)
            slot = use.newer
        }
        return uses
    }

    private func slot(of key: String, by user: String) -> Slot? {
        var slot = index.first(Self.hash(key, user))
        while slot.isSomewhere {
            if let use = pool[slot], use.key == key, use.user == user { return slot }
            slot = index.next(after: slot)
        }
        return nil
    }

    private mutating func remove(_ slot: Slot) {
        guard let use = pool[slot] else { return }
        if use.older.isSomewhere { pool[use.older]?.newer = use.newer } else { oldest = use.newer }
        if use.newer.isSomewhere { pool[use.newer]?.older = use.older } else { newest = use.older }
        index.remove(slot)
        pool.remove(slot)
    }

    private static func hash(_ key: String, _ user: String) -> UInt32 {
        var hasher = Hasher()
        hasher.combine(key)
        hasher.combine(user)
        return UInt32(truncatingIfNeeded: hasher.finalize())
    }
}

extension UsedKeys.Use {
    /// Whether it was used longer ago than keys are remembered.
    fileprivate func isForgotten(at now: Int64) -> Bool {
        now &- at > UsedKeys.lifetime
    }

    /// As a store keeps it.
    var record: Record {
        .key(user: user, key: key, Record.Key(at: at, body: body.bytes, answer: answer))
    }
}
