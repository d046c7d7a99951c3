/// One piece of a channel's state as a store keeps it.
///
/// A record is absolute: writing it twice, or only the last of several for one place, gives the same store. `swept` is in
/// place of the entries that it names; those that were given later follow it and stay.
public enum Record: Sendable, Hashable {
    /// A user's reaction on a message; `nil`: it is not there.
    case entry(message: String, user: String, reaction: Reaction, Entry?)
    /// A group of equal reactions on a message; `nil`: it is empty.
    case group(message: String, reaction: Reaction, Group?)
    /// Everyone's reactions in a group that were given up to a seq: they are not there, in place of a record for each.
    case swept(message: String, reaction: Reaction, upTo: UInt64)
    /// A message that ever had a change.
    case message(String, Message)
    /// A key that was used; forgotten ten minutes after `Key.at`.
    case key(user: String, key: String, Key)
    /// Whether the channel is frozen.
    case frozen(Bool)

    /// A user's reaction on a message.
    public struct Entry: Sendable, Hashable {
        /// How many of it, at least 1.
        public var count: UInt64
        /// The seq of the change that brought it: the order of `own`.
        public var given: UInt64
        /// The seq of its last add or update: newest first in `reactors` and `latest`.
        public var touched: UInt64
        /// When it was last added or updated, in Unix milliseconds.
        public var at: Int64
        /// What the user attached.
        public var data: ReactionData?

        /// Makes an entry.
        public init(count: UInt64, given: UInt64, touched: UInt64, at: Int64, data: ReactionData? = nil) {
            self.count = count
            self.given = given
            self.touched = touched
            self.at = at
            self.data = data
        }
    }

    /// What a group has that its entries do not tell.
    public struct Group: Sendable, Hashable {
        /// The seq of the change that started the group: the order of groups.
        public var started: UInt64
        /// When the group was started, in Unix milliseconds.
        public var first: Int64
        /// When something was last added to it, in Unix milliseconds.
        public var last: Int64

        /// Makes a group.
        public init(started: UInt64, first: Int64, last: Int64) {
            self.started = started
            self.first = first
            self.last = last
        }
    }

    /// What a message has that its groups do not tell.
    public struct Message: Sendable, Hashable {
        /// The seq of its newest change.
        public var changed: UInt64
        /// Whether it was deleted.
        public var isDeleted: Bool

        /// Makes a message.
        public init(changed: UInt64, isDeleted: Bool = false) {
            self.changed = changed
            self.isDeleted = isDeleted
        }
    }

    /// A used key: what it was used for, and the first answer.
    public struct Key: Sendable, Hashable {
        /// When it was used, in Unix milliseconds.
        public var at: Int64
        /// A fingerprint of the body (PROTOCOL.md section 3): another one is `key_reused`.
        public var body: [UInt8]
        /// The first answer, in a form that only the ledger reads.
        public var answer: [UInt8]

        /// Makes a used key.
        public init(at: Int64, body: [UInt8], answer: [UInt8]) {
            self.at = at
            self.body = body
            self.answer = answer
        }
    }
}

/// A channel as a store gives it back.
public struct ChannelImage: Sendable, Equatable {
    /// The channel's counter.
    public var seq: UInt64
    /// All records, in any order; none for a fresh channel.
    public var records: [Record]

    /// Makes an image; without arguments a fresh channel's.
    public init(seq: UInt64 = 0, records: [Record] = []) {
        self.seq = seq
        self.records = records
    }
}
