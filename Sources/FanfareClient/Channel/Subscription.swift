import Wire

/// A channel that is followed, with everyone who reads about it.
struct Subscription {
    var follower: ChannelFollower
    /// The messages that the broker is known to tell of; `nil`: the whole channel.
    var covered: [String]?
    /// How many `watch` requests have no answer.
    var watchesUnanswered = 0
    /// Whether a snapshot is needed, rather than what was missed.
    var isStale = false
    private var readers: [Reader]

    /// A reader's buffer, which goes with the reader.
    private struct Reader {
        weak var buffer: UpdateBuffer?
    }

    init(_ follower: ChannelFollower) {
        self.follower = follower
        readers = []
    }

    /// Whether anyone reads its sequence of updates.
    var hasReaders: Bool { readers.contains { $0.buffer != nil } }

    /// What to ask the broker for now.
    mutating func nextRequest() -> Request.Body {
        let mustStartAnew = isStale || watchesUnanswered > 0
        isStale = false
        watchesUnanswered = 0
        return follower.request(startsAnew: mustStartAnew)
    }

    /// Adds a reader, who is first told where things stand.
    mutating func add(_ buffer: UpdateBuffer, state: ConnectionState?) {
        readers.append(Reader(buffer: buffer))
        if let state { buffer.push(.connection(state)) { nil } }
        if let snapshot = follower.snapshot(.subscribed) { buffer.push(.snapshot(snapshot)) { snapshot } }
    }

    /// Forgets the readers that have gone.
    mutating func removeGone() {
        readers.removeAll { $0.buffer == nil || $0.buffer?.isFinished == true }
    }

    /// Takes one of the broker's messages and tells what is news.
    mutating func take(_ message: BrokerMessage) {
        if let update = follower.take(message) { push(update) }
    }

    /// Tells every reader.
    func push(_ update: ChannelUpdate) {
        for reader in readers { reader.buffer?.push(update) { follower.snapshot(.coalesced) } }
    }

    /// Ends every reader's sequence.
    func finish(_ error: ClientError?) {
        for reader in readers { reader.buffer?.finish(error) }
    }
}
