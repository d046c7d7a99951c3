import Reactions
import Wire

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension ChannelReactions {
    /// Takes a change that a person makes, shows it, and sends it or lets it wait.
    ///
    /// - Returns: The draft; `nil` where too many wait already, and for `set`.
    @discardableResult
    func act(
        _ action: PendingChange.Action, _ types: [ReactionType], on message: MessageReactions, count: Int? = nil,
        data: ReactionData? = nil
    ) -> DraftReaction? {
        let before = state.own(of: message.message)
        let change = state.act(
            action, types.map(\.reaction), on: message.message, key: ReactionClient.newKey(), count: count,
            data: data, at: now().milliseconds)
        guard let change else { return nil }
        show(message)
        updateFailed()
        flush()
        if change.action == .set {
            tell(message, of: change, from: before)
            return nil
        }
        let draft = change.draft
        if let draft { delegate?.didReact(to: message, reaction: draft) }
        return draft
    }

    func retry(_ type: ReactionType, on message: MessageReactions) {
        guard state.retry(message.message, type.reaction) != nil else { return }
        show(message)
        updateFailed()
        flush()
    }

    func discard(_ type: ReactionType, on message: MessageReactions) {
        guard state.discard(message.message, type.reaction) != nil else { return }
        show(message)
        updateFailed()
    }

    /// Tells the delegate what a `set` adds and what it takes away.
    private func tell(_ message: MessageReactions, of change: PendingChange, from before: OwnReactions) {
        let gone = before.reactions.filter { !change.touches($0) }
        let new = change.reactions.filter { !before.contains($0) }
        for (reactions, action) in [(gone, DraftReaction.Action.remove), (new, .add)] {
            for reaction in reactions {
                delegate?.didReact(to: message, reaction: change.draft(of: reaction, action))
            }
        }
    }

    /// What the broker has not answered yet, to be kept while the app is away.
    public var unsent: UnsentChanges { UnsentChanges(state.changes.all) }

    /// Goes on with what was kept: it is shown, and sent under its old keys.
    public func restore(_ unsent: UnsentChanges) {
        state.restore(unsent.pending)
        for message in messages.values { show(message) }
        updateFailed()
        flush()
    }

    // MARK: Hearing

    /// Takes what has come from the client.
    func drain() {
        let (items, isOverrun) = feed.take()
        var changed: Set<String>? = []
        for item in items {
            let news = take(item)
            changed = news.flatMap { changed?.union($0) }
        }
        if isOverrun { client.refresh(channel) }
        if let changed {
            for message in changed { messages[message].map(show) }
        } else {
            for message in messages.values { show(message) }
        }
        updateFailed()
        flush()
    }

    /// Takes one item.
    ///
    /// - Returns: The messages that are seen otherwise now; `nil`: any may be.
    private func take(_ item: ChannelFeed.Item) -> Set<String>? {
        switch item {
        case .connection(let new):
            connection = new
            switch new {
            case .connected(let user):
                self.user = user
                state.user = user
                state.connected(true)
                return []
            case .closed(let reason): state.closed(ClientError(reason))
            case .connecting, .waiting: state.connected(false)
            }
            return nil
        case .refused(let error):
            failure = error
            state.subscriptionRefused()
            return []
        case .unanswered(let error):
            failure = error
            return []
        case .message(let message, let covers):
            let effect = state.receive(message, now: milliseconds, covers: covers)
            note(message)
            return effect.changed
        }
    }

    /// Takes over what one of the broker's messages says of the channel itself.
    private func note(_ message: BrokerMessage) {
        switch message {
        case .subscribed:
            isReady = true
            failure = nil
            policy = state.policy
            allowed = state.allowed.map { $0.map { ReactionType($0) } }
            isFrozen = state.isFrozen
        case .watched: failure = nil
        case .frozen: isFrozen = state.isFrozen
        case .occupancy(_, let connections, let users):
            occupancy = Occupancy(connections: Int(clamping: connections), users: Int(clamping: users))
        case .burst(_, let message, let counts, let window, let at):
            latestBurst = Burst(message: message, counts: counts, windowMilliseconds: window, at: at)
        default: break
        }
    }

    // MARK: Showing

    func show(_ message: MessageReactions) {
        let sight = state.view(of: message.message)
        message.show(sight, reactions(of: message.message, sight))
    }

    private func updateFailed() {
        let drafts = state.changes.all.filter(\.isFailed).compactMap(\.draft)
        if drafts != failed { failed = drafts }
    }

    /// Who reacted, as far as it is known, oldest first.
    private func reactions(of message: String, _ sight: MessageSight) -> [Reaction] {
        var newest: [Reactions.Reaction: PendingChange] = [:]
        for change in state.changes.of(message) {
            for reaction in change.reactions { newest[reaction] = change }
        }
        return sight.groups.flatMap { shown -> [Reaction] in
            let group = shown.group
            let type = ReactionType(group.reaction)
            var reacted = group.latest ?? []
            let change = newest[group.reaction]
            let isMissing = user != nil && !reacted.contains { $0.user == user }
            if isMissing, let user, shown.ownCount > 0 || shown.status.isFailed {
                reacted.append(.init(user: user, at: change?.at ?? reacted.last?.at ?? 0))
            }
            return reacted.map { one in
                let isOwn = one.user == user
                return Reaction(
                    message: message, user: one.user, createdAt: Date(milliseconds: one.at), type: type,
                    count: isOwn ? max(shown.ownCount, 1) : 1,
                    status: isOwn ? Reaction.Status(shown.status, change, group.reaction) : .sent)
            }
        }.sorted { $0.createdAt < $1.createdAt }
    }

    // MARK: Sending

    /// The time in milliseconds since this object was made.
    private var milliseconds: Int64 { (ContinuousClock.now - start).milliseconds }

    /// Sends what may be sent now; has itself called again where the broker asked to wait.
    private func flush() {
        let due = state.outbox(now: milliseconds)
        for change in due { state.sent(change.key) }
        if !due.isEmpty { client.send(due.map { (key: $0.key, body: $0.request(in: channel)) }) }
        // One that was set before may wait for longer than is asked for now.
        flushing?.cancel()
        let wait = state.heldUntil - milliseconds
        guard wait > 0, !state.changes.all.isEmpty else { return }
        flushing = Task { [weak self] in
            try? await Task.sleep(for: .milliseconds(wait))
            if !Task.isCancelled { self?.flush() }
        }
    }
}

extension PendingChange {
    /// What an app is told of it; `nil` for a `set` of nothing.
    var draft: DraftReaction? {
        reactions.first.map { draft(of: $0, action == .remove ? .remove : .add) }
    }

    func draft(of reaction: Reactions.Reaction, _ action: DraftReaction.Action) -> DraftReaction {
        DraftReaction(
            id: key, message: message, createdAt: Date(milliseconds: at), type: ReactionType(reaction), action: action)
    }
}

extension Reaction.Status {
    /// How far the person's own reaction has come.
    fileprivate init(_ status: ReactionGroup.Status, _ change: PendingChange?, _ reaction: Reactions.Reaction) {
        switch (status, change) {
        case (.sent, _): self = .sent
        case (.failed, let change?):
            self = .failed(change.draft(of: reaction, change.action == .remove ? .remove : .add))
        case (.sending, _), (.failed, nil): self = .sending
        }
    }
}
