extension ReactionClient {
    /// When the first answer to a `subscribe` or a `watch` is overdue.
    var nextSubscriptionDeadline: Duration? {
        let subscribing = subscribing.values.lazy.compactMap(\.deadline).min()
        let watching = watching.values.lazy.compactMap(\.deadline).min()
        return [subscribing, watching].compactMap { $0 }.min()
    }

    /// Tells those who wait for an answer to a `subscribe` or a `watch` that it is overdue.
    ///
    /// One that comes later still counts, and a new connection asks again.
    func expireSubscriptions(at now: Duration) {
        var overdue: Set<String> = []
        for (id, asked) in subscribing where asked.deadline.map({ $0 <= now }) == true {
            subscribing[id]?.deadline = nil
            overdue.insert(asked.channel)
        }
        for (id, asked) in watching where asked.deadline.map({ $0 <= now }) == true {
            watching[id]?.deadline = nil
            overdue.insert(asked.channel)
        }
        let lost = overdue.sorted().filter(tellUnanswered)
        if let channel = lost.first { distrust(unansweredText(channel)) }
    }

    /// Tells those who follow a channel that there is no answer: who has nothing of it yet need not wait any longer.
    ///
    /// - Returns: Whether someone reads on who knows an old state, which only a new connection tells apart from the present one.
    private func tellUnanswered(_ channel: String) -> Bool {
        let error = ClientError(.timedOut, unansweredText(channel))
        for attached in feeds[channel] ?? [] { attached.feed?.push(.unanswered(error)) }
        guard let subscription = subscriptions[channel], subscription.hasReaders else { return false }
        guard subscription.follower.position == nil else { return true }
        subscription.finish(error)
        subscriptions[channel]?.removeGone()
        unsubscribeIfUnread(channel)
        return false
    }

    private func unansweredText(_ channel: String) -> String {
        "the broker did not answer the subscription to \(channel) within \(options.requestTimeout.components.seconds) s"
    }
}
