import Transport
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
            self.loop.execute { self.assumeIsolated { $0.readerWent(from: channel) } }
        }
        let follower = ChannelFollower(
            channel: channel, mode: mode, messages: messages, wantsOccupancy: occupancy)
        loop.execute { self.assumeIsolated { $0.follow(follower, into: buffer) } }
        return ChannelUpdates(buffer: buffer)
    }

    private func follow(_ follower: ChannelFollower, into buffer: UpdateBuffer) {
        if case .closed(let reason) = machine.state { return buffer.finish(ClientError(reason)) }
        start()
        if let known = subscriptions[follower.channel] {
            guard known.follower.asksTheSame(as: follower) else {
                let text = "\(follower.channel) is followed in another way by this client already"
                return buffer.finish(ClientError(.conflict, text))
            }
            subscriptions[follower.channel]?.add(buffer, state: machine.state)
        } else {
            var subscription = Subscription(follower)
            subscription.add(buffer, state: machine.state)
            subscriptions[follower.channel] = subscription
            if isConnected { subscribe(subscription) }
        }
    }

    private func readerWent(from channel: String) {
        subscriptions[channel]?.removeGone()
        guard let subscription = subscriptions[channel], !subscription.hasReaders else { return }
        subscriptions[channel] = nil
        connection?.send(Request(.unsubscribe(channel: channel)))
    }

    /// Sends the request of a subscription, under a number by which a refusal is known.
    func subscribe(_ subscription: Subscription) {
        let id = outbox.newID()
        subscribing[id] = subscription.follower.channel
        connection?.send(Request(id: .number(id), subscription.follower.request))
    }

    /// Takes one of the broker's messages.
    func take(_ message: BrokerMessage) {
        switch message {
        case .welcome(let welcome):
            handle(.welcomed(user: welcome.user, heartbeat: .milliseconds(welcome.heartbeatMilliseconds)))
        case .goodbye(let code, let reason, let retryAfter):
            handle(.goodbye(code: code, reason: reason, retryAfter: retryAfter.map { .milliseconds($0) }))
        case .ack(.number(let id), _, let answer, _, _):
            outbox.take(id)?.resume(returning: .success(answer))
        case .error(let id, let code, let text, let retryAfter):
            let error = ClientError(
                .refused, "\(code.rawValue): \(text)", refusal: code, retryAfter: retryAfter.map { .milliseconds($0) })
            if case .number(let number) = id { refuse(number, error) }
        case .unsubscribed(_, let channel, let reason?):
            let text = "the broker ended the subscription to \(channel): \(reason)"
            subscriptions.removeValue(forKey: channel)?.finish(ClientError(.forbidden, text))
        case .event(let channel, _), .summary(let channel, _, _), .own(let channel, _, _, _, _),
            .occupancy(let channel, _, _), .burst(let channel, _, _, _, _), .frozen(let channel, _, _),
            .lagged(let channel, _, _):
            subscriptions[channel]?.take(message)
        case .subscribed(let subscribed):
            if case .number(let number) = subscribed.id { subscribing[number] = nil }
            subscriptions[subscribed.channel]?.take(message)
        default: break
        }
    }

    private func refuse(_ id: UInt64, _ error: ClientError) {
        if let waiter = outbox.take(id) { return waiter.resume(returning: .failure(error)) }
        guard let channel = subscribing.removeValue(forKey: id) else { return }
        if error.refusal == .unavailable || error.refusal == .rateLimited {
            // It may be granted later: come back as after any other trouble.
            perform(.drop)
            handle(.lost(.broken(error.message)))
        } else {
            subscriptions.removeValue(forKey: channel)?.finish(error)
        }
    }
}
