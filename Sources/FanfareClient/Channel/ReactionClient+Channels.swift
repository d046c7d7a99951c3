import Locks
public import Wire

extension ReactionClient {
    /// Follows a channel.
    ///
    /// Several may follow the same channel of one client, as long as all ask for the same; another mode, other messages or
    /// another `occupancy` end with the error `conflict`.
    ///
    /// - Parameters:
    ///   - channel: The channel.
    ///   - mode: Each change by itself, or merged counts at most once an interval.
    ///   - messages: Only these, at most 1,000; `nil`: the whole channel.
    ///   - occupancy: Whether the number of subscribers is wanted too.
    /// - Returns: What happens in the channel from now on: first the connection's state, then a snapshot.
    public nonisolated func events(
        in channel: String, mode: Mode = .events, messages: [String]? = nil, occupancy: Bool = false
    ) -> ChannelUpdates {
        let buffer = UpdateBuffer { [weak self] in
            guard let self else { return }
            onLoop { $0.readerWent(from: channel) }
        }
        let follower = ChannelFollower(
            channel: channel, mode: mode, messages: messages, wantsOccupancy: occupancy)
        onLoop { $0.follow(follower, into: buffer) }
        return ChannelUpdates(buffer: buffer, client: self)
    }

    private func follow(_ follower: ChannelFollower, into buffer: UpdateBuffer) {
        if case .closed(let reason) = machine.state { return buffer.finish(ClientError(reason)) }
        start()
        let channel = follower.channel
        if let known = subscriptions[channel] {
            guard known.follower.asksTheSame(as: follower), feeds[channel] == nil || follower.messages == nil else {
                return buffer.finish(Self.conflict(in: channel))
            }
            subscriptions[channel]?.add(buffer, state: machine.state)
        } else {
            var subscription = Subscription(follower)
            subscription.add(buffer, state: machine.state)
            subscriptions[channel] = subscription
            if isConnected { subscribe(to: channel) }
        }
    }

    private func readerWent(from channel: String) {
        subscriptions[channel]?.removeGone()
        unsubscribeIfUnread(channel)
    }

    /// Ends a subscription that nobody hears of any more.
    func unsubscribeIfUnread(_ channel: String) {
        guard let subscription = subscriptions[channel], !subscription.hasReaders, feeds[channel] == nil else { return }
        subscriptions[channel] = nil
        connection?.send(Request(.unsubscribe(channel: channel)))
    }

    /// Sends the request of a subscription, under a number by which its answer is known.
    func subscribe(to channel: String) {
        guard let body = subscriptions[channel]?.nextRequest() else { return }
        let id = outbox.newID()
        let messages = subscriptions[channel]?.follower.messages
        subscribing[id] = Subscribing(channel: channel, messages: messages, deadline: now + options.requestTimeout)
        connection?.send(Request(id: .number(id), body))
        arm()
    }

    /// Takes one of the broker's messages.
    func take(_ message: BrokerMessage) {
        switch message {
        case .welcome(let welcome): welcomed(welcome)
        case .goodbye(let code, let reason, let retryAfter):
            handle(.goodbye(code: code, reason: reason, retryAfter: retryAfter.map { .milliseconds($0) }))
        case .ack(.text, let channel, _, _, _): feed(message, of: channel)
        case .ack(.number(let id), _, _, _, _), .reactors(.number(let id), _, _, _, _, _):
            outbox.take(id)?.resume(returning: .success(message))
        case .authenticated(_, _, let expires): tokenRunsOut(at: expires)
        case .error(.text, _, _, _): feedAll(.message(message, covers: nil))
        case .error(.number(let id), let code, let text, let retryAfter):
            refuse(
                id,
                ClientError(
                    .refused, "\(code.rawValue): \(text)", refusal: code,
                    retryAfter: retryAfter.map { .milliseconds($0) }))
        case .unsubscribed(_, let channel, let reason?):
            let text = "the broker ended the subscription to \(channel): \(reason)"
            end(channel, ClientError(.forbidden, text))
        case .event(let channel, _), .summary(let channel, _, _), .own(let channel, _, _, _, _),
            .occupancy(let channel, _, _), .burst(let channel, _, _, _, _), .frozen(let channel, _, _),
            .lagged(let channel, _, _):
            subscriptions[channel]?.take(message)
            feed(message, of: channel)
        case .subscribed(let subscribed): take(subscribed)
        case .watched(.number(let id), let channel, _, _, _):
            guard let watch = watching.removeValue(forKey: id) else { return }
            guard watch.channel == channel else { return distrust(Self.misread.message) }
            subscriptions[channel]?.watchesUnanswered -= 1
            subscriptions[channel]?.covered = watch.all
            feed(message, of: channel, covers: watch.all)
        default: break
        }
    }

    private func take(_ subscribed: Subscribed) {
        let channel = subscribed.channel
        if case .number(let number) = subscribed.id, let asked = subscribing.removeValue(forKey: number) {
            guard asked.channel == channel else { return distrust(Self.misread.message) }
            subscriptions[channel]?.covered = asked.messages
        }
        subscriptions[channel]?.take(.subscribed(subscribed))
        feed(.subscribed(subscribed), of: channel, covers: subscriptions[channel]?.covered)
    }

    func end(_ channel: String, _ error: ClientError) {
        subscriptions.removeValue(forKey: channel)?.finish(error)
        refuseFeeds(of: channel, error)
    }

    /// Leaves a connection on which something was said that one cannot go on with.
    func distrust(_ why: String) {
        perform(.drop)
        handle(.lost(.broken(why)))
    }

    private func refuse(_ id: UInt64, _ error: ClientError) {
        if let waiter = outbox.take(id) { return waiter.resume(returning: .failure(error)) }
        guard let channel = subscribing.removeValue(forKey: id)?.channel ?? watching.removeValue(forKey: id)?.channel
        else { return }
        if error.isTransient {
            // It may be granted later: come back as after any other trouble.
            distrust(error.message)
        } else {
            end(channel, error)
        }
    }
}

/// A `subscribe` that has no answer yet.
struct Subscribing {
    var channel: String
    /// The messages asked for; `nil`: the whole channel.
    var messages: [String]?
    /// When its answer is overdue; `nil`: that was told.
    var deadline: Duration?
}
