import Transport
import Wire

// What all subscribers hear, and what becomes of it where a reader is slow.
extension Hub {
    /// Events, to all who follow them; they were committed at a time in nanoseconds.
    func deliver(_ batch: EventBatch, to audience: Audience, since time: UInt64) {
        let all = batch.marks.indices
        var deliveries = 0
        loop.broadcast(to: audience.events.count) {
            for subscription in audience.events {
                if subscription.following.filter != nil || subscription.missedFrom != nil {
                    deliveries += offerWatched(of: batch, to: subscription)
                } else {
                    deliveries += offer(batch, all, to: subscription)
                }
            }
        }
        metrics.deliveries += UInt64(deliveries)
        told.deliveries(deliveries, since: time)
    }

    /// Offers the events of the messages that a subscription watches, neighbours as one range; says how many it took.
    private func offerWatched(of batch: EventBatch, to subscription: Subscription) -> Int {
        var taken = 0
        forEachRun(of: batch, for: subscription) { taken += offer(batch, $0, to: subscription) }
        return taken
    }

    private func offer(_ batch: EventBatch, _ events: Range<Int>, to subscription: Subscription) -> Int {
        guard subscription.missedFrom == nil else { return 0 }
        guard !subscription.recipient.offer(batch, events) else { return events.count }
        metrics.limits.count(.outboundBytes)
        subscription.missedFrom = batch.marks[events].first { $0.seq > 0 }?.seq
        return 0
    }

    /// Events that were missed, all of them: the channel holds them anyway, so they wait at its cost.
    func makeUp(_ batch: EventBatch, to subscription: Subscription) {
        forEachRun(of: batch, for: subscription) { events in
            subscription.recipient.send(batch, events)
            metrics.deliveries += UInt64(events.count)
        }
    }

    /// The events that a subscription watches, in runs of neighbours whose frames touch.
    private func forEachRun(of batch: EventBatch, for subscription: Subscription, _ body: (Range<Int>) -> Void) {
        var run = 0..<0
        for (index, mark) in batch.marks.enumerated() where mark.seq == 0 || subscription.watches(mark.message) {
            if run.upperBound == index, batch.frames(of: run).upperBound == mark.frame.lowerBound {
                run = run.lowerBound..<index + 1
            } else {
                if !run.isEmpty { body(run) }
                run = index..<index + 1
            }
        }
        if !run.isEmpty { body(run) }
    }

    /// A summary, to all who follow them and have not been told of its seq yet: as it is to those who watch all of it,
    /// else what each watches of it, encoded once for all who watch the same.
    func deliver(_ batch: SummaryBatch, to audience: Audience) {
        loop.broadcast(to: audience.summaries.count) { tell(batch, to: audience) }
    }

    private func tell(_ batch: SummaryBatch, to audience: Audience) {
        var parts: [[Int]: SharedBytes] = [:]
        var deliveries: UInt64 = 0
        for subscription in audience.summaries where batch.seq > subscription.start && !subscription.isOutdated {
            if subscription.recipient.isBlocked {
                hold(batch, for: subscription)
            } else if subscription.following.filter == nil {
                subscription.recipient.send(summary: batch.frame, seq: batch.seq)
                deliveries += 1
            } else {
                let watched = batch.messages.indices.filter { subscription.watches(batch.messages[$0].message) }
                guard !watched.isEmpty else { continue }
                let frame = parts[watched] ?? frame(of: batch, watched, audience.channel)
                parts[watched] = frame
                subscription.recipient.send(summary: frame, seq: batch.seq)
                deliveries += 1
            }
        }
        metrics.deliveries += deliveries
    }

    private func frame(of batch: SummaryBatch, _ watched: [Int], _ channel: String) -> SharedBytes {
        watched.count == batch.messages.count
            ? batch.frame
            : SharedBytes(
                message: .summary(channel: channel, seq: batch.seq, messages: watched.map { batch.messages[$0] }))
    }

    private func hold(_ batch: SummaryBatch, for subscription: Subscription) {
        let watched = batch.messages.filter { subscription.watches($0.message) }
        guard !watched.isEmpty else { return }
        hold(for: subscription) { $0.merge(watched, seq: batch.seq) }
    }

    /// What a user has on a message, to that user's connections, save the one that made the change.
    func deliver(_ own: OwnNotice, isForAll: Bool, to audience: Audience) {
        for subscription in audience.byUser[own.user] ?? [] {
            let recipient = subscription.recipient
            guard recipient.session.key != own.author, subscription.watches(own.message),
                subscription.missedFrom == nil, !subscription.isOutdated
            else { continue }
            if recipient.isBlocked {
                hold(for: subscription) { $0.replaceOwn(on: own.message, by: own.frame) }
            } else {
                recipient.send(own.frame)
            }
        }
    }

    /// A burst, to all.
    func deliver(_ burst: Burst, _ frame: SharedBytes, to audience: Audience) {
        for list in [audience.events, audience.summaries] {
            broadcast(frame, to: list, where: { $0.watches(burst.message) }) { $0.add(burst) }
        }
    }

    /// How many are subscribed, to those who want to know.
    func deliver(occupancy frame: SharedBytes, to audience: Audience) {
        for list in [audience.events, audience.summaries] {
            broadcast(frame, to: list, where: { $0.following.occupancy }) { $0.occupancy = frame }
        }
    }

    /// A message to all that is no change, in mode `summary`.
    func deliver(notice frame: SharedBytes, to audience: Audience) {
        broadcast(frame, to: audience.summaries) { $0.notice = frame }
    }

    /// Sends a frame to those of a list who want it; where a reader is slow, it is kept as `keep` says.
    private func broadcast(
        _ frame: SharedBytes, to list: ContiguousArray<Subscription>,
        where wants: (Subscription) -> Bool = { _ in true }, keep: (inout Backlog) -> Void
    ) {
        loop.broadcast(to: list.count) {
            for subscription in list where wants(subscription) {
                if subscription.recipient.isBlocked {
                    hold(for: subscription, keep)
                } else {
                    subscription.recipient.send(frame)
                }
            }
        }
    }

    /// Holds something back for a slow reader, up to the bound on what waits for it in all.
    ///
    /// Past it nothing more is held of what the channel can tell anew, and what is held is let go: summaries and what the
    /// user has. Bursts cannot be told anew and have to add up, and in mode `events` what the user has is all that waits
    /// here: such a reader is too slow.
    private func hold(for subscription: Subscription, _ change: (inout Backlog) -> Void) {
        let recipient = subscription.recipient
        guard !recipient.isClosing else { return }
        subscription.withBacklog(change)
        guard recipient.heldBytes > limits.outboundBytes else { return }
        metrics.limits.count(.outboundBytes)
        guard subscription.following.mode == .summary, subscription.backlog?.bursts.isEmpty ?? true else {
            return recipient.close(code: 4008, reason: "too slow a reader", retryAfterMilliseconds: 1_000)
        }
        _ = subscription.takeBacklog()
        subscription.isOutdated = true
    }

    /// A slow reader can be written to again: it gets what waits, and fresh state where it missed events.
    func catchUp(_ recipient: Recipient) {
        for subscription in recipient.subscriptions {
            if let backlog = subscription.takeBacklog() { send(backlog, to: subscription) }
            guard subscription.missedFrom != nil || subscription.isOutdated, !subscription.isResynchronizing else {
                continue
            }
            subscription.isResynchronizing = true
            let channel = subscription.audience.channel
            ask(recipient.session.resynchronization(of: channel, from: subscription.missedFrom))
        }
    }

    /// Gives fresh state to all, who were not told what came from a seq on.
    func outdate(_ audience: Audience, from seq: UInt64) {
        for subscription in audience.events where subscription.missedFrom == nil { subscription.missedFrom = seq }
        for subscription in audience.summaries { subscription.isOutdated = true }
        for subscription in [audience.events, audience.summaries].joined() where !subscription.recipient.isBlocked {
            catchUp(subscription.recipient)
        }
    }

    private func send(_ backlog: Backlog, to subscription: Subscription) {
        let (recipient, channel) = (subscription.recipient, subscription.audience.channel)
        if !backlog.changed.isEmpty {
            let (seq, messages) = (backlog.changed.seq, backlog.changed.messages)
            recipient.send(
                summary: SharedBytes(message: .summary(channel: channel, seq: seq, messages: messages)), seq: seq)
            metrics.deliveries += 1
        }
        for own in backlog.owns.values { recipient.send(own) }
        for burst in backlog.bursts.values { recipient.send(burst.message(in: channel)) }
        if let notice = backlog.notice { recipient.send(notice) }
        if let occupancy = backlog.occupancy { recipient.send(occupancy) }
    }
}

extension SharedBytes {
    /// A message as one frame.
    init(message: BrokerMessage) {
        var frame: [UInt8] = []
        message.append(frameTo: &frame)
        self.init(frame)
    }
}
