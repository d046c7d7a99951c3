public import Transport
import Wire

// How a hub's work ends.
extension Hub {
    /// Takes no more requests, and says goodbye to each connection when it has the answers to what it asked, at the latest
    /// after `limit`; to those that follow channels when ``sayGoodbyeToFollowers()`` is called.
    ///
    /// Each is told its own time to come back, within `spread` milliseconds. `settled` is called when all have their answers,
    /// `done` when the last one is gone.
    func drain(
        spread: Int64, settlingWithin limit: Duration, settled: @escaping @Sendable () -> Void,
        done: @escaping @Sendable () -> Void
    ) {
        unsafe isDrainingOnLoop = true
        goodbyeSpread = spread
        unsettled = recipients.elements
        whenSettled = settled
        whenEmpty = done
        loop.schedule(Alarm { [unowned self] in sayGoodbye(areAll: true) }, after: limit)
        sayGoodbye()
        reportIfEmpty()
    }

    /// Ends the connections that have their answers, or all of them.
    ///
    /// Who follows a channel stays for what others have asked of it, which is still to be told.
    func sayGoodbye(areAll: Bool = false) {
        let waiting = unsettled
        unsettled = waiting.filter { !areAll && !$0.isSettled }
        for recipient in waiting where areAll || recipient.isSettled {
            if recipient.subscriptions.isEmpty { sayGoodbye(to: recipient) } else { followers.append(recipient) }
        }
        if areAll { sayGoodbyeToFollowers() }
        guard unsettled.isEmpty, let settled = whenSettled else { return }
        whenSettled = nil
        settled()
    }

    /// Ends the connections that have their answers and follow channels.
    func sayGoodbyeToFollowers() {
        let following = followers
        followers = []
        for recipient in following { sayGoodbye(to: recipient) }
    }

    /// Ends one connection.
    func sayGoodbye(to recipient: Recipient) {
        recipient.close(
            code: 1012, reason: "restart", retryAfterMilliseconds: Int64.random(in: 0...max(0, goodbyeSpread)))
    }

    func reportIfEmpty() {
        guard let done = whenEmpty, connectionCount == 0 else { return }
        whenEmpty = nil
        done()
    }

    /// Lets go of all that belongs to the hub, and so may hold it; the loop has ended.
    func letGo() {
        whenEmpty = nil
        whenSettled = nil
        whenAllIsCommitted = nil
        unsettled = []
        followers = []
        listeners = []
        // A subscription and its recipient hold each other.
        for recipient in recipients.elements {
            for subscription in recipient.subscriptions { end(subscription) }
        }
        departed = []
        recipients = SlotTable()
        audiences = [:]
        senders = [:]
        letGoOfChannels()
    }

    // MARK: Listeners

    /// Holds a listener of this loop until the hub stops listening; called on the loop.
    public nonisolated func keep(_ listener: Listener) {
        enter(with: listener) { $0.listeners.append($1) }
    }

    /// Accepts no more connections.
    public func closeListeners() {
        for listener in listeners { listener.close() }
        listeners = []
    }
}

extension Recipient {
    /// Whether it has the answers to all that was taken from it.
    fileprivate var isSettled: Bool { asked == 0 && gate == nil }
}

extension RequestRefusal {
    /// What is asked for while the broker stops.
    static let stopping = RequestRefusal(
        .unavailable, "the broker is stopping; try again", retryAfterMilliseconds: 1_000)
}
