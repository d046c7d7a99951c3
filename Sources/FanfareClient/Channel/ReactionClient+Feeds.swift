import Wire

/// A feed that is attached to a client.
struct AttachedFeed {
    weak var feed: ChannelFeed?
    /// The messages that it is about; `nil`: the whole channel.
    var watched: [String]?
}

extension ReactionClient {
    /// How many bytes the messages that a request names may take of the 65,536 that it may have.
    private static let maxNamesBytes = 60_000

    /// Follows a channel for a feed, which also hears the answers to what ``send(_:)`` asks for.
    nonisolated func attach(_ feed: ChannelFeed, watching messages: [String]?) {
        onLoop { $0.add(feed, watching: messages) }
    }

    /// Forgets the feeds of a channel that have gone.
    nonisolated func detachGone(from channel: String) {
        onLoop { $0.removeGone(from: channel) }
    }

    /// Has a feed hear of other messages from now on.
    nonisolated func watch(_ messages: [String], for feed: ChannelFeed) {
        onLoop { $0.setWatched(messages, for: feed) }
    }

    /// Asks for a snapshot of a channel, because something of it was dropped.
    nonisolated func refresh(_ channel: String) {
        onLoop { $0.subscribeAnew(to: channel) }
    }

    /// Sends changes, each with its key as its id; without a connection nothing is sent.
    nonisolated func send(_ requests: [(key: String, body: Request.Body)]) {
        onLoop { client in
            guard client.isConnected else { return }
            for (key, body) in requests { client.connection?.send(Request(id: .text(key), body)) }
        }
    }

    private func add(_ feed: ChannelFeed, watching messages: [String]?) {
        let channel = feed.channel
        if case .closed(let reason) = machine.state { return feed.push(.connection(.closed(reason))) }
        start()
        feeds[channel, default: []].append(AttachedFeed(feed: feed, watched: messages))
        if let state = machine.state { feed.push(.connection(state)) }
        guard let subscription = subscriptions[channel] else {
            let follower = ChannelFollower(
                channel: channel, mode: feed.mode, messages: watched(in: channel),
                wantsOccupancy: feed.wantsOccupancy)
            subscriptions[channel] = Subscription(follower)
            if isConnected { subscribe(to: channel) }
            return
        }
        guard !subscription.hasReaders || subscription.follower.messages == nil else {
            return feed.push(.refused(Self.conflict(in: channel)))
        }
        if feed.wantsOccupancy { subscriptions[channel]?.follower.wantsOccupancy = true }
        // Whoever comes later needs the state, which no answer but a snapshot gives.
        if !subscription.hasReaders { subscriptions[channel]?.follower.messages = watched(in: channel) }
        subscribeAnew(to: channel)
    }

    static func conflict(in channel: String) -> ClientError {
        ClientError(.conflict, "\(channel) is followed in another way by this client already")
    }

    /// Those of these messages that one request can name, from the first on (PROTOCOL.md section 3).
    ///
    /// What the broker takes for no message's id, or for too much, would cost the channel its whole subscription.
    private static func nameable(_ messages: [String]) -> [String] {
        var room = maxNamesBytes
        let names = messages.filter { $0.isEmpty || Shape.isMessage($0) }.prefix(Shape.maxMessages)
        return Array(
            names.prefix { name in
                // With two quotation marks and a comma; these two are escaped.
                room -= name.utf8.reduce(3) { $0 + ($1 == UInt8(ascii: "\"") || $1 == UInt8(ascii: "\\") ? 2 : 1) }
                return room >= 0
            })
    }

    /// The messages that the feeds of a channel are about, taken together; `nil`: the whole channel.
    private func watched(in channel: String) -> [String]? {
        var seen: Set<String> = []
        var all: [String] = []
        for attached in feeds[channel] ?? [] {
            guard let watched = attached.watched else { return nil }
            all += watched.filter { seen.insert($0).inserted }
        }
        return Self.nameable(all)
    }

    private func removeGone(from channel: String) {
        guard var attached = feeds[channel] else { return }
        attached.removeAll { $0.feed == nil }
        feeds[channel] = attached.isEmpty ? nil : attached
        unsubscribeIfUnread(channel)
    }

    private func setWatched(_ messages: [String], for feed: ChannelFeed) {
        let channel = feed.channel
        guard let place = feeds[channel]?.firstIndex(where: { $0.feed === feed }) else { return }
        feeds[channel]?[place].watched = messages
        guard let subscription = subscriptions[channel], subscription.follower.messages != nil,
            let after = watched(in: channel), after != subscription.follower.messages
        else { return }
        subscriptions[channel]?.follower.messages = after
        // Until the answer is there, a lost connection cannot be resumed: what is newly watched has no state yet.
        subscriptions[channel]?.watchesUnanswered += 1
        guard isConnected else { return }
        let id = outbox.newID()
        watching[id] = Watching(channel: channel, all: after, deadline: now + options.requestTimeout)
        connection?.send(Request(id: .number(id), .watch(channel: channel, messages: after)))
        arm()
    }

    private func subscribeAnew(to channel: String) {
        subscriptions[channel]?.isStale = true
        if isConnected { subscribe(to: channel) }
    }

    /// Hands one of the broker's messages to the feeds of its channel.
    func feed(_ message: BrokerMessage, of channel: String, covers: [String]? = nil) {
        guard !feeds.isEmpty, let attached = feeds[channel] else { return }
        for one in attached { one.feed?.push(.message(message, covers: covers)) }
    }

    /// Hands something to every feed.
    func feedAll(_ item: ChannelFeed.Item) {
        for attached in feeds.values {
            for one in attached { one.feed?.push(item) }
        }
    }

    /// Tells the feeds of a channel that its subscription is over; changes may be sent nevertheless.
    func refuseFeeds(of channel: String, _ error: ClientError) {
        for attached in feeds[channel] ?? [] { attached.feed?.push(.refused(error)) }
    }
}

/// A `watch` that has no answer yet.
struct Watching {
    var channel: String
    /// The messages that are watched from its answer on.
    var all: [String]
    /// When its answer is overdue; `nil`: that was told.
    var deadline: Duration?
}
