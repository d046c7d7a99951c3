import Transport
import Wire

// What channels tell this hub's recipients.
extension Hub {
    /// Passes on what a channel had to say in one turn, in order.
    func deliver(_ delivery: ChannelDelivery) {
        var audience = audiences[delivery.channel]
        for item in delivery.items {
            switch item {
            case .events(let batch): if let audience { deliver(batch, to: audience, since: delivery.releasedAt) }
            case .summary(let batch): if let audience { deliver(batch, to: audience) }
            case .own(let own, let isForAll): if let audience { deliver(own, isForAll: isForAll, to: audience) }
            case .burst(let burst, let frame): if let audience { deliver(burst, frame, to: audience) }
            case .notice(let frame): if let audience { deliver(notice: frame, to: audience) }
            case .occupancy(let frame): if let audience { deliver(occupancy: frame, to: audience) }
            case .missed(let seq): if let audience { outdate(audience, from: seq) }
            case .replies, .silent, .answered: carryOut(item, delivery)
            default:
                carryOut(item, delivery)
                // It may have begun the first subscription.
                audience = audiences[delivery.channel]
            }
        }
    }

    /// Passes on a reply, with what it does to the recipient's subscription.
    private func carryOut(_ item: ChannelDelivery.Item, _ delivery: ChannelDelivery) {
        let channel = delivery.channel
        if let (key, count) = item.answers { recipient(key)?.replied(count) }
        switch item {
        case .replies(let key, let range, let count, let receivedAt):
            recipient(key)?.send(frames: delivery.replies.span.extracting(range))
            told.acks(count, ofRequestsAt: receivedAt)
        case .subscribed(let key, let range, let following, let missed, let seq):
            begin(channel, key, following) { subscription in
                subscription.start = seq
                subscription.recipient.send(frames: delivery.replies.span.extracting(range))
                for batch in missed { makeUp(batch, to: subscription) }
            }
        case .notSubscribed(let key, let range):
            guard let recipient = recipient(key) else { return }
            recipient.send(frames: delivery.replies.span.extracting(range))
            let isActive = recipient.subscription(to: channel) != nil
            recipient.session.subscribeAnswered(channel, isActive: isActive)
        case .watched(let key, let range, let filter):
            guard let recipient = recipient(key) else { return }
            recipient.send(frames: delivery.replies.span.extracting(range))
            let subscription = recipient.subscription(to: channel)
            subscription?.following.filter = filter
            if let subscription, subscription.backlog != nil {
                subscription.withBacklog { $0.keep(only: filter) }
            }
        case .unsubscribed(let key, let range):
            guard let recipient = recipient(key) else { return }
            recipient.send(frames: delivery.replies.span.extracting(range))
            leave(channel, recipient)
        case .silent: break
        case .resynchronized(let key, let range, let seq):
            guard let recipient = recipient(key), let subscription = recipient.subscription(to: channel),
                subscription.isResynchronizing
            else { return }
            recipient.send(frames: delivery.replies.span.extracting(range))
            metrics.lagged += 1
            subscription.isResynchronizing = false
            subscription.missedFrom = nil
            subscription.isOutdated = false
            subscription.start = seq
        case .answered(let key): recipient(key)?.answered()
        case .events, .summary, .own, .burst, .notice, .occupancy, .missed: break
        }
    }

    private func begin(
        _ channel: String, _ key: ConnectionKey, _ following: Following, then: (Subscription) -> Void
    ) {
        let audience = audience(of: channel)
        guard let recipient = recipient(key), !recipient.isClosing else {
            audience.departures.append(following)
            departed.append(audience)
            return
        }
        if let replaced = recipient.subscription(to: channel) { end(replaced) }
        let subscription = Subscription(recipient, to: audience, following)
        audience.add(subscription)
        recipient.add(subscription)
        recipient.session.subscribeAnswered(channel, isActive: true)
        then(subscription)
    }

    private func audience(of channel: String) -> Audience {
        if let audience = audiences[channel] { return audience }
        let audience = Audience(channel: channel, isAnonymous: unsafe settingsOnLoop.isAnonymous(channel))
        audiences[channel] = audience
        return audience
    }

    private func leave(_ channel: String, _ recipient: Recipient) {
        if let subscription = recipient.subscription(to: channel) { end(subscription) }
        recipient.session.unsubscribeAnswered(channel)
    }

    /// Ends a subscription; the channel hears of it at the turn's end.
    func end(_ subscription: Subscription) {
        _ = subscription.takeBacklog()
        subscription.recipient.remove(subscription)
        subscription.audience.remove(subscription)
        departed.append(subscription.audience)
    }
}
