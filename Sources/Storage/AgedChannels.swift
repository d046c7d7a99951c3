/// Channels that nothing has changed for some time: one page of them.
public struct AgedChannels: Sendable, Equatable {
    /// Which are asked for.
    public struct Query: Sendable, Equatable {
        /// Those that nothing has changed after this moment, in Unix seconds.
        public var unchangedSince: Int64
        /// Where the page before ended; 0 for the first.
        public var after: Int64
        /// How many channels are looked at for one page, whatever their age.
        public var limit: Int

        /// Makes a query.
        public init(unchangedSince: Int64, after: Int64 = 0, limit: Int = 2_000) {
            self.unchangedSince = unchangedSince
            self.after = after
            self.limit = limit
        }
    }

    /// One of them.
    public struct Channel: Sendable, Equatable {
        /// Its name.
        public var name: String
        /// When it last changed, in Unix seconds.
        public var changed: Int64

        /// Makes one.
        public init(name: String, changed: Int64) {
            self.name = name
            self.changed = changed
        }
    }

    /// The channels.
    public var channels: [Channel]
    /// Where the next page begins; `nil`: this was the last.
    public var next: Int64?

    /// Makes a page; without arguments the empty last one.
    public init(channels: [Channel] = [], next: Int64? = nil) {
        self.channels = channels
        self.next = next
    }
}
