import Locks
import Reactions

/// What the store's thread is asked to do.
enum StoreRequest: Sendable {
    case commit([ChannelWrite], answer: @Sendable (Result<Void, StoreError>) -> Void)
    /// A commit that came when too much waited: its turn to be answered is still its own.
    case refuse([ChannelWrite], StoreError, answer: @Sendable (Result<Void, StoreError>) -> Void)
    /// Changes are told before they are committed from now on.
    case expectLoss
    case load(String, keysSince: Int64, answer: @Sendable (Result<ChannelImage, StoreError>) -> Void)
    /// Something that concerns no channel, after the commits that came before.
    case work(@Sendable (inout Engine) -> Void)
}

/// Carries requests from any thread to the store's, in order, whole bunches at a time.
final class RequestQueue: Sendable {
    private struct State {
        var waiting: [StoreRequest] = []
        var recordCount = 0
        var isSleeping = false
        var isClosed = false
        var fault: StoreError?

        /// Whether whoever holds the lock must wake the thread.
        mutating func stopSleeping() -> Bool {
            defer { isSleeping = false }
            return isSleeping
        }
    }

    private let state = Locked(State())
    private let wake = Semaphore()
    private let maximumRecords: Int

    init(maximumRecords: Int) {
        self.maximumRecords = maximumRecords
    }

    /// What was wrong when all was served; `nil` until then.
    var fault: StoreError? { state.withLock { $0.fault } }

    /// Leaves what was wrong when all was served.
    func end(_ fault: StoreError?) {
        state.withLock { $0.fault = fault }
    }

    /// Adds a commit, or its refusal where too many records wait; `false` after ``close()``.
    func add(
        commit group: [ChannelWrite], answer: @escaping @Sendable (Result<Void, StoreError>) -> Void
    ) -> Bool {
        let count = group.reduce(0) { $0 + $1.records.count + $1.posts.count }
        return add { [maximumRecords] state in
            if state.recordCount > 0, state.recordCount + count > maximumRecords {
                let channels = group.map { ChannelWrite(channel: $0.channel, seq: $0.seq, records: []) }
                let reason = "\(state.recordCount) records wait already: the disk is too slow"
                return .refuse(channels, .unavailable(reason), answer: answer)
            }
            state.recordCount += count
            return .commit(group, answer: answer)
        }
    }

    /// Adds a load; `false` after ``close()``.
    func add(
        load channel: String, keysSince: Int64,
        answer: @escaping @Sendable (Result<ChannelImage, StoreError>) -> Void
    ) -> Bool {
        add { _ in .load(channel, keysSince: keysSince, answer: answer) }
    }

    /// Adds work that concerns no channel; `false` after ``close()``.
    func add(work: @escaping @Sendable (inout Engine) -> Void) -> Bool {
        add { _ in .work(work) }
    }

    /// Adds that changes are told before they are committed from now on.
    func addExpectLoss() {
        _ = add { _ in .expectLoss }
    }

    /// How many records wait.
    var recordCount: Int { state.withLock { $0.recordCount } }

    private func add(_ request: (inout State) -> StoreRequest) -> Bool {
        let (isTaken, mustWake) = state.withLock { state in
            if state.isClosed { return (false, false) }
            state.waiting.append(request(&state))
            return (true, state.stopSleeping())
        }
        if mustWake { wake.signal() }
        return isTaken
    }

    /// Lets nothing more in, while what waits is still taken; `false` where that was done already.
    func close() -> Bool {
        let (isFirst, mustWake) = state.withLock { state in
            defer { state.isClosed = true }
            return (!state.isClosed, state.stopSleeping())
        }
        if mustWake { wake.signal() }
        return isFirst
    }

    /// Takes all that waits into an empty array, and `waits` where there is nothing; `false` at the end.
    ///
    /// The array's room is used for what comes next.
    func take(_ requests: inout [StoreRequest], waits: Bool) -> Bool {
        while true {
            let isEnded = state.withLock { state in
                swap(&state.waiting, &requests)
                state.recordCount = 0
                state.isSleeping = waits && requests.isEmpty && !state.isClosed
                return requests.isEmpty && state.isClosed
            }
            if isEnded { return false }
            if !requests.isEmpty || !waits { return true }
            wake.wait()
        }
    }
}
