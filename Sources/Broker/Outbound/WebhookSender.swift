import Storage
import Transport

/// Posts what waits in one queue of the outbox, one request after the other, until it is taken.
///
/// It belongs to one hub's loop. An event leaves the outbox only after a 2xx; what is between the two when the process
/// ends is posted a second time.
final class WebhookSender {
    /// What the outbox answers, by the hub's mailbox.
    enum Message: Sendable {
        /// A commit has put something in.
        case grown
        case read(Result<[OutboxEntry], StoreError>)
        case removed(Result<Int, StoreError>)
    }

    private enum State {
        /// Nothing waits, or there is nowhere to post it.
        case idle
        /// Something waits for more to come, or for the time of the next attempt.
        case resting(TimerToken)
        case reading
        case posting
        case removing
        /// The oldest are being dropped.
        case dropping
        /// The store is closed.
        case ended
    }

    let queue: String
    private let loop: EventLoop
    private let outbox: any Outbox
    private let epoch: String
    private let client: HTTPClient
    private let log: BrokerLog
    private let post: @Sendable (Message) -> Void

    private var webhook: Webhook?
    private var isAnonymous = false
    private var state = State.idle
    /// The oldest entries, while they are posted.
    private var held: [OutboxEntry] = []
    /// How many of the oldest entries were taken by the receiver and are still in the outbox.
    private var taken = 0
    private var delay = RetryDelay()
    /// Before when nothing is tried, and whether what waits then is posted however little it is.
    private var restsUntil = MonotonicTime(nanoseconds: 0)
    private var isDue = false
    /// Since when something has waited, in Unix milliseconds.
    private var waitingSince: Int64?
    private var counted = WebhookMetrics()

    /// Makes a sender without a webhook; `post` brings messages back to ``receive(_:)``, from any thread.
    init(
        queue: String, loop: EventLoop, outbox: any Outbox, epoch: String, log: BrokerLog,
        post: @escaping @Sendable (Message) -> Void
    ) {
        self.queue = queue
        self.loop = loop
        self.outbox = outbox
        self.epoch = epoch
        self.log = log
        self.post = post
        client = HTTPClient(on: loop, maxConnections: 1, maxWaiting: 1)
    }

    /// Goes on with other settings, at once where it waited to try again; without a webhook, what waits stays.
    func adopt(_ webhook: Webhook?, isAnonymous: Bool) {
        self.isAnonymous = isAnonymous
        if webhook != self.webhook {
            self.webhook = webhook
            delay.reset()
            restsUntil = loop.now
        }
        proceedWhereResting()
    }

    /// What it has counted.
    var metrics: WebhookMetrics {
        var metrics = counted
        metrics.pending = UInt64(pending)
        if pending > 0, let oldest = held.first?.at ?? waitingSince {
            metrics.oldestMilliseconds = max(0, wallClockMilliseconds() - oldest)
        }
        return metrics
    }

    private var pending: Int { max(0, outbox.pending(in: queue) - taken) }

    /// Takes what the outbox says.
    func receive(_ message: Message) {
        switch message {
        case .grown: proceedWhereResting()
        case .read(.success(let entries)):
            held = entries
            if let oldest = entries.first { waitingSince = oldest.at }
            state = .idle
            proceed()
        case .removed(.success(let count)): removed(count)
        case .read(.failure(.closed)), .removed(.failure(.closed)): state = .ended
        case .read(.failure(let error)), .removed(.failure(let error)):
            log.error("the webhook of '\(queue)' waits for the store: \(error.reason)")
            rest(.seconds(1))
        }
    }

    private func removed(_ count: Int) {
        if case .dropping = state {
            counted.dropped += UInt64(count)
            log.warning(
                "the webhook of '\(queue)': the oldest were dropped (\(Transport.counted(count, "event"))), for too many wait"
            )
        } else {
            taken = 0
        }
        waitingSince = pending > 0 ? waitingSince : nil
        state = .idle
        proceed()
    }

    // MARK: What comes next

    private func proceedWhereResting() {
        if pending > 0, waitingSince == nil { waitingSince = wallClockMilliseconds() }
        switch state {
        case .idle: proceed()
        case .resting(let timer):
            loop.cancel(timer)
            state = .idle
            proceed()
        case .reading, .posting, .removing, .dropping, .ended: break
        }
    }

    /// Does what is next, when nothing is under way.
    private func proceed() {
        if taken > 0 { return remove() }
        guard let webhook else {
            held = []
            return
        }
        let waits = pending
        if let most = webhook.maxPending, waits > most { return drop(waits - (most - most / 10)) }
        guard waits > 0 else {
            isDue = false
            return
        }
        let now = loop.now
        if delay.failures > 0, now < restsUntil { return rest(restsUntil - now) }
        if !held.isEmpty { return send(webhook) }
        if isDue || waits >= webhook.batch { return read(webhook.batch) }
        gather(webhook)
    }

    /// Waits for more events, but no longer than the interval from the first one on.
    private func gather(_ webhook: Webhook) {
        let waited = waitingSince.map { max(0, wallClockMilliseconds() - $0) } ?? 0
        let left = Int64(webhook.intervalMilliseconds) - waited
        guard left > 0 else { return read(webhook.batch) }
        rest(.milliseconds(left))
    }

    private func rest(_ duration: Duration) {
        state = .resting(
            loop.schedule(
                Alarm { [unowned self] in
                    state = .idle
                    isDue = true
                    proceed()
                }, after: duration))
    }

    private func read(_ count: Int) {
        state = .reading
        isDue = false
        outbox.read(queue, limit: count) { [post] in post(.read($0)) }
    }

    private func remove() {
        state = .removing
        outbox.remove(queue, oldest: taken) { [post] in post(.removed($0)) }
    }

    private func drop(_ count: Int) {
        held = []
        state = .dropping
        outbox.remove(queue, oldest: count) { [post] in post(.removed($0)) }
    }

    // MARK: Posting

    private func send(_ webhook: Webhook) {
        state = .posting
        isDue = false
        let body = WebhookBatch.body(of: held, isAnonymous: isAnonymous, epoch: epoch)
        let began = loop.now
        client.post(webhook.endpoint.request(body: body, at: wallClockMilliseconds())) { [self] result in
            state = .idle
            if case .success = result { counted.seconds.record(from: began.nanoseconds, to: loop.now) }
            if case .success(let answer) = result, (200...299).contains(answer.status) { return wasTaken(webhook) }
            hasFailed(result, webhook)
        }
    }

    private func wasTaken(_ webhook: Webhook) {
        if delay.failures > 0 { log.info("the webhook of '\(queue)' is taken again by \(webhook.endpoint.url)") }
        delay.reset()
        counted.delivered += UInt64(held.count)
        taken = held.count
        waitingSince = held.last?.at
        held = []
        proceed()
    }

    private func hasFailed(_ result: Result<ClientAnswer, ClientError>, _ webhook: Webhook) {
        counted.failed += 1
        var asked: Int64?
        let reason: String
        switch result {
        case .success(let answer):
            asked = answer.headers.retryAfterMilliseconds(now: wallClockMilliseconds())
            reason = "status \(answer.status)"
        case .failure(let error): reason = error.description
        }
        if delay.failures == 0 {
            log.warning(
                "the webhook of '\(queue)' is not taken by \(webhook.endpoint.url) and will be tried again: \(reason)")
        }
        let wait = delay.next(most: webhook.maxRetryMilliseconds, asked: asked, chance: Double.random(in: 0..<1))
        restsUntil = loop.now + .milliseconds(wait)
        proceed()
    }
}
