import Transport
import Wire

/// How far a channel has come, to be compared with how far it will have come later.
struct ChannelPulse: Sendable, Equatable {
    /// The seq of the newest change that was told.
    var seq: UInt64
    /// How many reactions were acked of which nothing is kept.
    var bursts: UInt64

    /// What happened since an earlier moment; 0 where the channel was replaced by an older one.
    func changes(since earlier: ChannelPulse) -> UInt64 {
        (seq > earlier.seq ? seq - earlier.seq : 0) &+ (bursts &- earlier.bursts)
    }
}

// What is computed of the channels and connections here when someone looks at the broker.
extension Hub {
    /// How old an answer may be that is given again, so that those who look often cost no more than one.
    private static let oldestAnswer = Duration.milliseconds(900)
    /// Of how many of the busiest channels the messages are counted.
    private static let channelsInDetail = 5

    /// What happened since this was last computed.
    func activity() -> HubActivity {
        let since = loop.now - lastLook.at
        guard since >= Hub.oldestAnswer else { return lastLook.activity }
        var activity = HubActivity()
        activity.windowMilliseconds = Int64(since / .milliseconds(1))
        var before: [String: ChannelPulse] = [:]
        for (name, resident) in residents where !resident.isUnread {
            let look = resident.channel.onLoop { $0.look }
            let earlier = resident.pulse ?? look.first
            resident.pulse = look.pulse
            let changes = look.pulse.changes(since: earlier)
            if changes > 0 { before[name] = earlier }
            activity.add(
                BrokerStatus.Channel(channel: name, changes: changes, subscriptions: UInt64(look.subscriptions)))
        }
        for channel in activity.channels.prefix(Hub.channelsInDetail) {
            guard let earlier = before[channel.channel] else { continue }
            addMessages(of: channel.channel, since: earlier, to: &activity)
        }
        addReaders(to: &activity)
        lastLook = (loop.now, activity)
        return activity
    }

    private func addMessages(of name: String, since earlier: ChannelPulse, to activity: inout HubActivity) {
        let moment = moment
        let counts = residents[name]?.channel.onLoop { $0.changedMessages(since: earlier.seq, at: moment) }
        for (message, changes) in counts ?? [:] {
            activity.add(BrokerStatus.Message(channel: name, message: message, changes: changes))
        }
    }

    private func addReaders(to activity: inout HubActivity) {
        for recipient in recipients.elements where recipient.isConnection {
            guard recipient.isBlocked || recipient.heldBytes > 0 else { continue }
            let waiting = UInt64(recipient.queuedBytes + recipient.heldBytes)
            if activity.tells(readerWith: waiting) { activity.add(slowReader(recipient, waiting)) }
        }
    }

    private func slowReader(_ recipient: Recipient, _ waiting: UInt64) -> BrokerStatus.SlowReader {
        var reader = BrokerStatus.SlowReader(connection: recipient.session.key.description)
        var isUnnamed = false
        for subscription in recipient.subscriptions {
            reader.subscriptions += 1
            if subscription.missedFrom != nil || subscription.isOutdated { reader.behind += 1 }
            if subscription.audience.isAnonymous { isUnnamed = true }
        }
        if !isUnnamed { reader.user = recipient.session.identity?.user }
        reader.address = recipient.address
        reader.waitingBytes = waiting
        reader.stalledMs = recipient.stalledSince.map { Int64((loop.now - $0) / .milliseconds(1)) } ?? 0
        return reader
    }
}

extension Channel {
    /// Of how many of the newest changes the messages are counted.
    private static let changesInDetail = 2_000

    /// How far it has come, how far it had when it was read, and how many are subscribed.
    var look: (pulse: ChannelPulse, first: ChannelPulse, subscriptions: Int) {
        (
            ChannelPulse(seq: outbox.seq, bursts: outbox.burstCount), ChannelPulse(seq: outbox.firstSeq, bursts: 0),
            outbox.subscriptionCount
        )
    }

    /// How often each message changed after a seq; where not all of that is held, as the newest changes tell.
    func changedMessages(since seq: UInt64, at moment: Moment) -> [String: UInt64] {
        var history = outbox.sealedHistory(at: moment)
        var counts: [String: UInt64] = [:]
        var counted: UInt64 = 0
        for (batch, _) in history.batches(at: moment.unix).reversed() where counted < Channel.changesInDetail {
            for mark in batch.marks where mark.seq > seq {
                counts[mark.message, default: 0] += 1
                counted += 1
            }
        }
        let all = outbox.seq > seq ? outbox.seq - seq : 0
        guard counted > 0, all > counted else { return counts }
        return counts.mapValues { UInt64((Double($0) * Double(all) / Double(counted)).rounded()) }
    }
}
