import Locks
public import Reactions

/// A store that lasts as long as its process: a channel may leave the broker's memory and come back.
///
/// Answers are given on the calling thread, before the call returns.
public final class MemoryStore: Store {
    private struct State {
        var channels: [String: MemoryChannel] = [:]
        var failed = FailedChannels()
        var revocations: [String: Revocation] = [:]
        var outage: String?
        var isClosed = false
    }

    /// The name of this store's life, as it was given.
    public let epoch: String
    /// What the commits have left to be posted elsewhere; it grows without a bound while nobody takes it.
    public var outbox: any Outbox { memoryOutbox }
    private let memoryOutbox = MemoryOutbox()
    private let state = Locked(State())

    /// Makes an empty store.
    ///
    /// - Parameter epoch: a short text that no other life of the store has.
    public init(epoch: String) {
        self.epoch = epoch
    }

    /// Gives back what was committed; see ``Store/load(_:keysSince:answer:)``.
    public func load(
        _ channel: String, keysSince: Int64,
        answer: @escaping @Sendable (Result<ChannelImage, StoreError>) -> Void
    ) {
        let found = state.withLock { (state) -> Result<MemoryChannel, StoreError> in
            if state.isClosed { return .failure(.closed) }
            state.failed.remove(channel)
            return .success(state.channels[channel] ?? MemoryChannel())
        }
        answer(found.map { $0.image(keysSince: keysSince) })
    }

    /// Keeps a group in memory; see ``Store/commit(_:answer:)``.
    public func commit(_ group: [ChannelWrite], answer: @escaping @Sendable (Result<Void, StoreError>) -> Void) {
        answer(
            state.withLock { (state) -> Result<Void, StoreError> in
                if state.isClosed { return .failure(.closed) }
                let refusal = state.failed.refusal(of: group) ?? state.outage.map(StoreError.unavailable)
                if let refusal {
                    state.failed.insert(group)
                    return .failure(refusal)
                }
                state.failed.begin(group)
                for write in group {
                    state.channels[write.channel, default: MemoryChannel()].apply(write)
                    memoryOutbox.add(write.posts)
                }
                return .success(())
            })
    }

    /// Keeps a revocation in memory; see ``Store/revoke(_:answer:)``.
    ///
    /// There is no audit here: nobody could read it when the process has ended.
    public func revoke(_ revocation: Revocation, answer: @escaping @Sendable (Result<Void, StoreError>) -> Void) {
        answer(
            state.withLock { (state) -> Result<Void, StoreError> in
                if state.isClosed { return .failure(.closed) }
                if let outage = state.outage { return .failure(.unavailable(outage)) }
                if revocation.at >= state.revocations[revocation.user]?.at ?? .min {
                    state.revocations[revocation.user] = revocation
                }
                return .success(())
            })
    }

    /// Gives back who was revoked; see ``Store/loadRevocations(answer:)``.
    public func loadRevocations(answer: @escaping @Sendable (Result<[Revocation], StoreError>) -> Void) {
        answer(state.withLock { $0.isClosed ? .failure(.closed) : .success(Array($0.revocations.values)) })
    }

    /// Forgets everything; later calls are answered with ``StoreError/closed``.
    @discardableResult
    public func close() -> StoreError? {
        state.withLock { state in
            state.isClosed = true
            state.channels = [:]
            state.revocations = [:]
        }
        memoryOutbox.close()
        return nil
    }

    /// While a reason is set, every commit is unavailable for it: how tests of the broker see an outage.
    package func setOutage(_ reason: String?) {
        state.withLock { $0.outage = reason }
    }
}
