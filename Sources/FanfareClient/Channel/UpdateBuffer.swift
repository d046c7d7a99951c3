import Locks

/// What waits for one reader of a ``ChannelUpdates``, bounded.
///
/// Filled on the client's loop, emptied in batches by the reader wherever it runs. At the bound all that waits is merged
/// into one snapshot of the state now: a slow reader loses single events, never the right counts.
final class UpdateBuffer: Sendable {
    /// How many updates may wait.
    static let capacity = 4096

    private struct State {
        var waiting: [ChannelUpdate] = []
        var reader: CheckedContinuation<Void, Never>?
        var isFinished = false
    }

    private let state = Locked(State())
    private let onAbandon: @Sendable () -> Void

    /// Makes a buffer.
    ///
    /// - Parameter onAbandon: Called when the reader has gone, from any thread; twice at most.
    init(onAbandon: @escaping @Sendable () -> Void) {
        self.onAbandon = onAbandon
    }

    deinit { onAbandon() }

    /// Adds an update; past the bound, it and what waits become what `merged` gives.
    func push(_ update: ChannelUpdate, merged: () -> ChannelSnapshot?) {
        let reader = state.withLock { state in
            guard !state.isFinished else { return nil as CheckedContinuation<Void, Never>? }
            state.waiting.append(update)
            if state.waiting.count > Self.capacity {
                state.waiting = Self.merge(state.waiting, into: merged())
            }
            return state.reader.take()
        }
        reader?.resume()
    }

    /// Lets the reader end after what waits, and after being told why, where that is an error.
    func finish(_ error: ClientError? = nil) {
        let reader = state.withLock { state in
            guard !state.isFinished else { return nil as CheckedContinuation<Void, Never>? }
            state.isFinished = true
            if let error { state.waiting.append(.ended(error)) }
            return state.reader.take()
        }
        reader?.resume()
    }

    /// Whether nothing more will be read.
    var isFinished: Bool { state.withLock { $0.isFinished } }

    /// Takes all that waits; waits for something where there is nothing.
    ///
    /// - Returns: At least one update; none at the end.
    func takeBatch() async -> [ChannelUpdate] {
        while true {
            let (batch, isFinished) = state.withLock { state in
                let batch = state.waiting
                state.waiting = []
                return (batch, state.isFinished)
            }
            if !batch.isEmpty { return batch }
            if isFinished { return [] }
            await wait()
        }
    }

    private func wait() async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { reader in
                let isReady = state.withLock { state in
                    guard state.waiting.isEmpty, !state.isFinished else { return true }
                    precondition(state.reader == nil, "a ChannelUpdates has one reader")
                    state.reader = reader
                    return false
                }
                if isReady { reader.resume() }
            }
        } onCancel: {
            finish()
            onAbandon()
        }
    }

    private static func merge(_ waiting: [ChannelUpdate], into snapshot: ChannelSnapshot?) -> [ChannelUpdate] {
        let connection = waiting.last { update in
            if case .connection = update { true } else { false }
        }
        return [connection, snapshot.map(ChannelUpdate.snapshot)].compactMap { $0 }
    }
}
