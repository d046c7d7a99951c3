internal import Transport
internal import Wire

extension Subscribers {
    /// Asks for the connection's channel, or for what it has missed there.
    func subscribe(_ connection: LoadConnection) {
        let index = index(of: connection)
        let channel = cast.channel(ofSubscriber: connection.number)
        var body = Request.Subscribe(
            channel: plan.channelName(channel), mode: plan.mode == .summary ? .summary : .events)
        if readers[index].resumes, let checker = readers[index].checker {
            body.since = Position(epoch: epochs[channel][Int(readers[index].epoch)], seq: checker.next - 1)
        }
        readers[index].phase = .subscribing
        var text: [UInt8] = []
        Request(id: .number(1), .subscribe(body)).append(to: &text)
        connection.send(text)
    }

    /// A subscription stands, or begins anew after events were left out.
    func received(_ subscribed: Subscribed, by connection: LoadConnection, at time: UInt64) {
        let index = index(of: connection)
        let channel = cast.channel(ofSubscriber: connection.number)
        let before = readers[index].phase
        guard before == .subscribing || before == .subscribed else {
            return connector.tally.count("subscribed without a subscribe")
        }
        let epoch = number(ofEpoch: subscribed.epoch, in: channel)
        if before == .subscribed, plan.mode == .summary {
            restate(subscribed, of: index)
        } else if before == .subscribed {
            lagged(from: subscribed.seq + 1, through: subscribed.seq, connection)
        } else if let checker = readers[index].checker {
            resumed(subscribed, index, after: checker.next - 1, isSameEpoch: epoch == readers[index].epoch)
            readers[index].replayedThrough = logs[channel].newest
        } else {
            if subscribed.isRecovered { connector.tally.count("recovered without since") }
            readers[index].checker = SequenceChecker(subscribed: subscribed.seq)
            eventCounts[channel].begin(after: subscribed.seq)
            readers[index].summarySeq = subscribed.seq
        }
        readers[index].phase = .subscribed
        readers[index].epoch = epoch
        if readers[index].leftAt > 0 {
            connector.tally.reconnect.record((time - min(time, readers[index].leftAt)) / 1000)
            readers[index].leftAt = 0
        }
        connector.settle(connection)
    }

    private func resumed(_ subscribed: Subscribed, _ index: Int, after seq: UInt64, isSameEpoch: Bool) {
        if subscribed.isRecovered, isSameEpoch, subscribed.seq == seq {
            connector.tally.recovered += 1
            return
        }
        if subscribed.isRecovered {
            connector.tally.count("recovered from elsewhere than asked")
        } else {
            connector.tally.refused += 1
        }
        retire(index)
        readers[index].checker = SequenceChecker(subscribed: subscribed.seq)
    }

    /// The broker has left events out, and said so.
    func lagged(from first: UInt64, through last: UInt64, _ connection: LoadConnection) {
        let index = index(of: connection)
        if readers[index].isSlow {
            connector.tally.slowLagged += readers[index].checker?.jump(from: first, through: last) ?? 0
        } else {
            connector.tally.lagged += readers[index].checker?.skip(through: last) ?? 0
        }
    }

    /// A subscription has ended.
    func unsubscribed(_ reason: String?, _ connection: LoadConnection) {
        let index = index(of: connection)
        guard readers[index].phase == .unsubscribing, reason == nil else {
            return connector.tally.count("unsubscribed: \(reason ?? "not asked for")")
        }
        readers[index].phase = .unsubscribed
        retire(index)
        // Whatever still comes is one too many; so it is waited for.
        Comeback(of: connection.number, to: self).begin(after: plan.away)
    }

    /// Settles what a subscription should have got; of what comes after its newest event nothing is known.
    func retire(_ index: Int) {
        guard let checker = readers[index].checker else { return }
        let lost = checker.overtaken(through: checker.next - 1)
        past = past + Balance(expected: checker.next - checker.first, missing: lost, overtaken: lost)
        readers[index].checker = nil
    }

    private func number(ofEpoch epoch: String, in channel: Int) -> UInt16 {
        if let known = epochs[channel].firstIndex(of: epoch) { return UInt16(known) }
        // A broker that names an epoch anew each time must not fill the memory.
        if epochs[channel].count == 1000 {
            connector.tally.count("too many epochs")
            return 999
        }
        if !epochs[channel].isEmpty { eventCounts[channel].forget() }
        epochs[channel].append(epoch)
        return UInt16(epochs[channel].count - 1)
    }
}
