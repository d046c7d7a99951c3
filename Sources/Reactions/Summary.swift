/// A message's reactions at one moment (`SUMMARY` in PROTOCOL.md section 3).
public struct Summary: Sendable, Equatable {
    /// One group of equal reactions.
    public struct Group: Sendable, Equatable {
        /// The reaction.
        public var reaction: Reaction
        /// How many of it.
        public var count: UInt64
        /// How many people gave it.
        public var users: UInt64
        /// When the group was started, in Unix milliseconds.
        public var first: Int64
        /// Its newest add, in Unix milliseconds.
        public var last: Int64
        /// The min(5, `users`) people who added or updated last, newest first; `nil` where nobody may be named.
        public var latest: [String]?

        /// Makes a group.
        public init(reaction: Reaction, count: UInt64, users: UInt64, first: Int64, last: Int64, latest: [String]?) {
            self.reaction = reaction
            self.count = count
            self.users = users
            self.first = first
            self.last = last
            self.latest = latest
        }
    }

    /// The message, `""` for the channel itself.
    public var message: String
    /// The sum of the groups' counts.
    public var total: UInt64
    /// The groups, in order of first use.
    public var groups: [Group]
    /// The asking user's reactions, in the order given; `nil` where nobody in particular asks.
    public var own: [OwnReaction]?
    /// Whether the message was deleted.
    public var isDeleted: Bool

    /// Makes a summary.
    public init(message: String, total: UInt64, groups: [Group], own: [OwnReaction]?, isDeleted: Bool = false) {
        self.message = message
        self.total = total
        self.groups = groups
        self.own = own
        self.isDeleted = isDeleted
    }
}

/// One entry of a page of reactors.
public struct Reactor: Sendable, Equatable {
    /// Who reacted.
    public var user: String
    /// With what.
    public var reaction: Reaction
    /// How many of it.
    public var count: UInt64
    /// When it was last added or updated, in Unix milliseconds.
    public var at: Int64
    /// What the user attached.
    public var data: ReactionData?

    /// Makes a reactor.
    public init(user: String, reaction: Reaction, count: UInt64, at: Int64, data: ReactionData?) {
        self.user = user
        self.reaction = reaction
        self.count = count
        self.at = at
        self.data = data
    }
}

/// A page of something, newest first.
public struct Page<Element: Sendable & Equatable>: Sendable, Equatable {
    /// The elements.
    public var elements: [Element]
    /// Where the next page starts: everything after it has a lower seq; `nil` at the end.
    public var next: UInt64?

    /// Makes a page.
    public init(elements: [Element], next: UInt64?) {
        self.elements = elements
        self.next = next
    }
}
