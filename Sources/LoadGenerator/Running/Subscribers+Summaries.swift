internal import Reactions
internal import Wire

// What subscribers in mode `summary` hear: counts, which have to be those of the acks in the end.
extension Subscribers {
    /// Takes in a summary; anything else is not one.
    ///
    /// - Returns: Whether it was one.
    func receivedSummary(_ text: Span<UInt8>, by connection: LoadConnection) -> Bool {
        let channel = cast.channel(ofSubscriber: connection.number)
        guard let summary = summaries[channel].find(text) ?? decodeSummary(text, channel: channel) else { return false }
        let index = index(of: connection)
        guard readers[index].phase == .subscribed else {
            connector.tally.count("summary before subscribed")
            return true
        }
        connector.tally.delivered += 1
        if summary.seq <= readers[index].summarySeq { connector.tally.duplicates += 1 }
        readers[index].summarySeq = max(readers[index].summarySeq, summary.seq)
        if readers[index].counts.isEmpty { clearCounts(of: index) }
        for count in summary.counts { readers[index].counts[count.place] = count.count }
        return true
    }

    /// Decodes a summary, and keeps it for the other readers.
    private func decodeSummary(_ text: Span<UInt8>, channel: Int) -> DecodedSummary? {
        guard case .summary(_, let seq, let deltas) = try? BrokerMessage.decode(text) else { return nil }
        let counts = deltas.flatMap { delta in
            places(delta.message, delta.groups.lazy.map { ($0.reaction, $0.count) })
        }
        let summary = DecodedSummary(seq: seq, counts: counts)
        summaries[channel].enter(summary, of: text)
        return summary
    }

    /// The state that takes the place of what a slow reader missed; where it is but a part, no more is known of it.
    func restate(_ subscribed: Subscribed, of index: Int) {
        if readers[index].isSlow { connector.tally.slowLagged += 1 } else { connector.tally.lagged += 1 }
        readers[index].summarySeq = max(readers[index].summarySeq, subscribed.seq)
        guard let messages = subscribed.messages, subscribed.more == nil else {
            readers[index].isInexact = true
            return
        }
        clearCounts(of: index)
        for summary in messages {
            for count in places(summary.message, summary.groups.lazy.map { ($0.reaction, $0.count) }) {
                readers[index].counts[count.place] = count.count
            }
        }
    }

    private func clearCounts(of index: Int) {
        readers[index].counts = [UInt64](repeating: 0, count: plan.messageNumbers * plan.reactions.count)
    }

    /// The counts of a message, as far as it is one of this run's.
    private func places(_ name: String, _ groups: some Sequence<(Reaction, UInt64)>) -> [DecodedSummary.Count] {
        guard let message = run.number(ofMessage: name), message < plan.messageNumbers else { return [] }
        return groups.compactMap { reaction, count in
            let number = self.reaction(reaction)
            guard number < plan.reactions.count else { return nil }
            return DecodedSummary.Count(place: message * plan.reactions.count + number, count: count)
        }
    }

    /// How many have not heard of the last change of their channel: missing, or behind where they are throttled.
    func summaryBalance(through last: [UInt64]) -> Balance {
        var balance = Balance()
        for (index, reader) in readers.enumerated() where reader.phase == .subscribed {
            guard reader.summarySeq < last[cast.channel(ofSubscriber: numbers.lowerBound + index)] else { continue }
            if reader.isThrottled { balance.behind += 1 } else { balance.missing += 1 }
        }
        return balance
    }

    /// Compares what each has heard with what the acks add up to; throttled ones may not have heard of all.
    func compare(with models: [CountModel]) -> CountCheck {
        var check = CountCheck()
        for (index, reader) in readers.enumerated()
        where reader.phase == .subscribed && !reader.isInexact && !reader.isThrottled {
            let model = models[cast.channel(ofSubscriber: numbers.lowerBound + index)]
            for message in model.messages {
                let (compared, wrong) = model.compare(message: message, reactions: plan.reactions.count) { reaction in
                    let place = message * plan.reactions.count + reaction
                    return place < reader.counts.count ? reader.counts[place] : 0
                }
                check.compared += compared
                check.wrong += wrong
            }
        }
        return check
    }
}

extension Plan {
    /// The numbers of messages are below this.
    var messageNumbers: Int {
        guard scenario.isMixed else { return publishers }
        return if case .token = identity { publishers * messages } else { messages }
    }
}
