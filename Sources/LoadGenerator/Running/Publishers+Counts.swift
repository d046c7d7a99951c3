internal import Reactions
internal import Wire

/// How far the comparison of the final counts is.
struct CountCheck: Sendable {
    /// How many counts were compared.
    var compared: UInt64 = 0
    /// How many of them were not what the acks add up to.
    var wrong: UInt64 = 0
    /// Lists that were asked for and have not come.
    var awaited = 0
    /// By publisher: the messages that it has asked for and not got yet, in order.
    var asked: [Int: Queue<[Int]>] = [:]
}

extension Publishers {
    /// How many messages one request asks for.
    private static let messagesPerRequest = 200

    /// Asks for the counts of all messages that were reacted to, to compare them with what the acks add up to.
    ///
    /// How far it is stands in ``check``.
    func askForCounts() {
        let connected = connector.connections.keys.sorted()
        for channel in models.indices {
            let messages = models[channel].messages.sorted()
            guard !messages.isEmpty,
                let publisher = connected.first(where: { cast.channel(ofPublisher: $0) == channel })
            else { continue }
            for start in stride(from: 0, to: messages.count, by: Publishers.messagesPerRequest) {
                let part = Array(messages[start..<min(messages.count, start + Publishers.messagesPerRequest)])
                var text: [UInt8] = []
                Request(
                    id: .text("counts"),
                    .list(channel: plan.channelName(channel), .messages(part.map(run.message)))
                ).append(to: &text)
                check.asked[publisher, default: Queue()].append(part)
                check.awaited += 1
                connector.connections[publisher]?.send(text)
            }
        }
    }

    /// Compares a list with the model.
    func compare(_ summaries: [Summary], from publisher: Int) {
        guard let asked = check.asked[publisher]?.popFirst() else { return }
        check.awaited -= 1
        let model = models[cast.channel(ofPublisher: publisher)]
        var byName: [String: Summary] = [:]
        for summary in summaries { byName[summary.message] = summary }
        for message in asked {
            let groups = byName[run.message(message)]?.groups ?? []
            let (compared, wrong) = model.compare(message: message, reactions: plan.reactions.count) { reaction in
                let name = names[reaction] ?? plan.reactions[reaction]
                return groups.first { $0.reaction == Reaction(canonical: name) }?.count ?? 0
            }
            check.compared += compared
            check.wrong += wrong
        }
    }
}
