import Reactions
import Wire

/// The state of one channel as a person sees it: what the broker has said, with the person's own changes that it has not
/// answered yet laid over.
///
/// A pure value: no socket, no clock, no randomness. The browser client has the same one; what both must do stands in
/// `Tests/Vectors`, by example.
struct ChannelState: Sendable {
    /// How many messages are kept; past it, those with the oldest changes are forgotten.
    static let maxMessages = 5000
    /// How long a change waits that the broker could not take just now and gave no time for, in milliseconds.
    static let retryDelay: Int64 = 1000

    /// A message with the place of its newest change among those of all messages.
    private struct Kept {
        var state: MessageState
        var rank: UInt64
    }

    let channel: String
    /// Who the person is; `nil`: nobody in particular.
    var user: String?
    private(set) var position: Position?
    private(set) var policy: Policy?
    private(set) var allowed: [Reactions.Reaction]?
    private(set) var maxPerUser: Int?
    private(set) var isFrozen = false
    private(set) var changes = PendingChanges()
    /// When there may be more to send than now, in milliseconds of the clock that `now` is of.
    private(set) var heldUntil: Int64 = 0
    private var messages: [String: Kept] = [:]
    private var lastRank: UInt64 = 0
    /// Whether messages that are not listed are bare.
    private var isComplete = false
    /// The last snapshot's seq: of a message that is not listed nothing up to it is news.
    private var floor: UInt64 = 0
    /// Whether nothing was missed since the last snapshot.
    private var isContinuous = false
    private var isConnected = false
    private var isRefused = false

    init(_ channel: String, user: String? = nil) {
        self.channel = channel
        self.user = user
    }

    /// What the broker has said of a message; a bare one where nothing is known.
    func state(of message: String) -> MessageState {
        messages[message]?.state ?? MessageState(message, seq: floor, isKnown: isComplete)
    }

    // MARK: What a person does

    /// Takes a change that a person makes.
    ///
    /// A `toggle` becomes an `add` or a `remove` by what the person sees, if that is known; an `add` where each is one more.
    ///
    /// - Returns: The change as it was taken; `nil` where too many wait already.
    @discardableResult
    mutating func act(
        _ action: PendingChange.Action, _ reactions: [Reactions.Reaction], on message: String, key: String,
        count: Int? = nil, data: ReactionData? = nil, at: Int64 = 0
    ) -> PendingChange? {
        var distinct: [Reactions.Reaction] = []
        for reaction in reactions.map({ form(of: $0, on: message) }) where !distinct.contains(reaction) {
            distinct.append(reaction)
        }
        var change = PendingChange(action, distinct, on: message, key: key, count: count, data: data, at: at)
        resolve(&change, own: own(of: message))
        return changes.add(change, policy: policy) ? change : nil
    }

    /// Sends a failed change again, under its old key.
    ///
    /// - Returns: The change; `nil` where there is none.
    @discardableResult
    mutating func retry(_ message: String, _ reaction: Reactions.Reaction) -> PendingChange? {
        guard var change = takeFailed(message, reaction) else { return nil }
        change.failure = nil
        change.replaces = []
        changes.add(change, policy: policy)
        return change
    }

    /// Gives a failed change up.
    ///
    /// - Returns: The change; `nil` where there is none.
    @discardableResult
    mutating func discard(_ message: String, _ reaction: Reactions.Reaction) -> PendingChange? {
        takeFailed(message, reaction)
    }

    private mutating func takeFailed(_ message: String, _ reaction: Reactions.Reaction) -> PendingChange? {
        changes.failed(message, form(of: reaction, on: message)).flatMap { changes.take($0.key) }
    }

    // MARK: What is sent

    /// The changes to ask for now, in order.
    func outbox(now: Int64 = 0) -> [PendingChange] {
        guard isConnected, now >= heldUntil, policy != nil || isRefused else { return [] }
        return changes.due(policy: policy)
    }

    /// Notes that a change of the outbox is on its way.
    mutating func sent(_ key: String) {
        changes.update(key) { change in
            change.isTried = true
            change.isInFlight = true
        }
    }

    /// Notes that the connection is up (and the subscription asked for), or lost.
    mutating func connected(_ isConnected: Bool) {
        self.isConnected = isConnected
        guard !isConnected else { return }
        isContinuous = false
        heldUntil = 0
        changes.interrupt(policy: policy)
    }

    /// Notes that there will be no connection any more: all that waits has failed.
    mutating func closed(_ error: ClientError) {
        connected(false)
        for change in changes.all where !change.isFailed {
            changes.update(change.key) { $0.failure = error }
        }
    }

    /// Notes that the subscription was refused; changes are sent nevertheless.
    mutating func subscriptionRefused() {
        isRefused = true
    }

    /// Takes changes of an earlier life.
    mutating func restore(_ earlier: [PendingChange]) {
        for var change in earlier where changes[change.key] == nil {
            change.isInFlight = false
            change.replaces = []
            changes.add(change, policy: policy)
        }
    }

    // MARK: What the broker says

    /// What one of the broker's messages meant.
    struct Effect: Equatable {
        /// The messages that are seen otherwise now; `nil`: any may be.
        var changed: Set<String>? = []
        /// The change that was answered; with its failure, where that is the answer.
        var answered: PendingChange?
    }

    /// Takes one of the broker's messages; the `id` of an ack or an error is the key of the change that it answers.
    ///
    /// - Parameters:
    ///   - message: The message, of this channel.
    ///   - now: The time in milliseconds, of any clock.
    ///   - covers: With `subscribed` and `watched`, the messages that are watched from then on; `nil`: the whole
    ///     channel.
    /// - Returns: What it meant.
    mutating func receive(_ message: BrokerMessage, now: Int64 = 0, covers: [String]? = nil) -> Effect {
        switch message {
        case .subscribed(let subscribed): return Effect(changed: take(subscribed, covers: covers))
        case .watched(_, _, let seq, let summaries, _):
            let new = covers.map { $0.filter { !isKnown($0) } } ?? []
            return Effect(changed: takeSnapshot(summaries, seq: seq, covers: covers, bare: new))
        case .event(_, let change):
            advance(to: change.seq)
            let user = user
            let isNews = at(change.message) { $0.apply(change, user: user) }
            return Effect(changed: isNews ? [change.message] : [])
        case .summary(_, let seq, let deltas):
            advance(to: seq)
            let news = deltas.filter { delta in at(delta.message) { $0.apply(delta, seq: seq) } }
            return Effect(changed: Set(news.map(\.message)))
        case .own(_, let message, let own, let seq, _):
            let isNews = at(message) { $0.note(OwnReactions(own), seq: seq) }
            return Effect(changed: isNews ? [message] : [])
        case .ack(.text(let key)?, _, let answer, _, _): return take(answer, of: key)
        case .error(.text(let key)?, let code, let text, let retryAfter):
            let retryAfter = retryAfter.map { Duration.milliseconds($0) }
            return refuse(key, ClientError(.refused, text, refusal: code, retryAfter: retryAfter), now: now)
        case .lagged: isContinuous = false
        case .frozen(_, let isFrozen, _): self.isFrozen = isFrozen
        default: break
        }
        return Effect()
    }

    private mutating func advance(to seq: UInt64) {
        guard let known = position?.seq, seq > known else { return }
        position?.seq = seq
    }

    private mutating func take(_ subscribed: Subscribed, covers: [String]?) -> Set<String>? {
        policy = subscribed.policy
        allowed = subscribed.allowed
        maxPerUser = subscribed.maxPerUser
        isFrozen = subscribed.isFrozen
        var changed: Set<String>? = []
        if !subscribed.isRecovered {
            changed = nil
            if subscribed.epoch != position?.epoch || !isContinuous { messages = [:] }
            position = Position(epoch: subscribed.epoch, seq: subscribed.seq)
            floor = subscribed.seq
            isComplete = covers == nil && subscribed.more == nil
            let rest = covers ?? (isComplete ? Array(messages.keys) : [])
            _ = takeSnapshot(subscribed.messages ?? [], seq: subscribed.seq, covers: covers, bare: rest)
        }
        isContinuous = true
        resolveAll()
        return changed
    }

    /// Takes the state of messages as of a seq; those of `bare` that are not listed have no reactions.
    private mutating func takeSnapshot(
        _ summaries: [Summary], seq: UInt64, covers: [String]?, bare: [String]
    ) -> Set<String> {
        for message in bare { put(MessageState(message, seq: seq, isKnown: true)) }
        // Newest change first, so that the newest is put last.
        for summary in summaries.reversed() { put(MessageState(summary, seq: seq)) }
        if let covers {
            // What is not watched any more grows old.
            let watched = Set(covers)
            messages = messages.filter { watched.contains($0.key) }
        }
        return Set(bare).union(summaries.map(\.message))
    }

    private mutating func take(_ answer: Answer, of key: String) -> Effect {
        let answered = changes.take(key)
        if let own = answer.own, policy != .ephemeral {
            at(answer.message) { $0.note(OwnReactions(own), seq: answer.seq) }
        }
        return Effect(changed: Set([answer.message, answered?.message].compactMap { $0 }), answered: answered)
    }

    private mutating func refuse(_ key: String, _ error: ClientError, now: Int64) -> Effect {
        guard var change = changes[key] else { return Effect() }
        change.isInFlight = false
        if error.isTransient {
            changes.update(key) { $0.isInFlight = false }
            let wait = error.retryAfter.map { Int64(clamping: $0.milliseconds) } ?? Self.retryDelay
            heldUntil = max(heldUntil, now.addingReportingOverflow(min(max(wait, 0), 86_400_000)).partialValue)
            changes.rebuild(policy: policy)
            return Effect(changed: [change.message])
        }
        change.failure = error
        changes.update(key) { $0 = change }
        // Nothing of a burst is shown that could be sent again.
        if policy == .ephemeral { changes.take(key) }
        return Effect(changed: [change.message], answered: change)
    }

    /// Changes the state of a message, which becomes the newest.
    @discardableResult
    private mutating func at<Result>(_ message: String, _ body: (inout MessageState) -> Result) -> Result {
        var state = state(of: message)
        let result = body(&state)
        put(state)
        return result
    }

    private mutating func put(_ state: MessageState) {
        lastRank += 1
        messages[state.message] = Kept(state: state, rank: lastRank)
        guard messages.count > Self.maxMessages else { return }
        let byRank = messages.sorted { $0.value.rank < $1.value.rank }
        for (message, _) in byRank.prefix(Self.maxMessages / 10) { messages[message] = nil }
        isComplete = false
    }

    // MARK: What the person has

    /// What the user has on a message once all changes are done.
    func own(of message: String) -> OwnReactions {
        own(of: message, after: changes.of(message))
    }

    /// What the user has on a message once these changes of it are done.
    func own(of message: String, after changes: [PendingChange]) -> OwnReactions {
        changes.reduce(into: messages[message]?.state.own ?? OwnReactions()) { own, change in
            if !change.isFailed { change.apply(to: &own, policy: policy) }
        }
    }

    /// Makes an `add` or a `remove` of a `toggle`, where what the person has before it is known; an `add` where each is one more.
    private func resolve(_ change: inout PendingChange, own: OwnReactions) {
        guard change.action == .toggle, !change.isTried, let reaction = change.reactions.first else { return }
        switch policy {
        case nil: break
        case .multiple, .ephemeral: change.action = .add
        case .unique, .distinct:
            if isKnown(change.message) { change.action = own.contains(reaction) ? .remove : .add }
        }
    }

    private func isKnown(_ message: String) -> Bool { messages[message]?.state.isKnown ?? isComplete }

    private mutating func resolveAll() {
        var owns: [String: OwnReactions] = [:]
        for var change in changes.all where !change.isFailed {
            var own = owns.removeValue(forKey: change.message) ?? messages[change.message]?.state.own ?? OwnReactions()
            resolve(&change, own: own)
            change.apply(to: &own, policy: policy)
            owns[change.message] = own
            changes.update(change.key) { $0 = change }
        }
        changes.rebuild(policy: policy)
    }

    /// The form of a reaction that is in use here: `❤` and `❤️` are one.
    private func form(of reaction: Reactions.Reaction, on message: String) -> Reactions.Reaction {
        let bare = reaction.withoutSelectors
        let known =
            (messages[message]?.state.groups.map(\.reaction) ?? []) + changes.of(message).flatMap(\.reactions)
            + (allowed ?? [])
        return known.first { $0 == reaction || $0.withoutSelectors == bare } ?? reaction
    }
}

extension Reactions.Reaction {
    /// The text without variation selectors, in which all forms of an emoji are the same.
    fileprivate var withoutSelectors: [Unicode.Scalar] {
        text.unicodeScalars.filter { $0.value != 0xFE0E && $0.value != 0xFE0F }
    }
}

extension ClientError {
    /// Whether the same request may succeed later.
    var isTransient: Bool { refusal == .rateLimited || refusal == .unavailable }
}

extension Duration {
    /// Whole milliseconds, rounded down.
    var milliseconds: Int64 {
        let (seconds, attoseconds) = components
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1000)
        return overflow ? .max : product.addingReportingOverflow(attoseconds / 1_000_000_000_000_000).partialValue
    }
}
