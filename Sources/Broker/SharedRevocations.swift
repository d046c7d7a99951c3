import Storage
import Transport

/// Reads who was revoked from the log that brokers share, whenever that may have been missed: again, until it was read.
final class SharedRevocations: Sendable {
    /// How long it waits after a read that failed.
    static let pause = Duration.seconds(1)

    private enum State {
        case idle
        case reading
        /// Something may have been missed since the read under way began.
        case readingTwice
    }

    private let state = Locked(State.idle)
    private let load: @Sendable (@escaping @Sendable (Result<[Revocation], StoreError>) -> Void) -> Void
    private let later: @Sendable (@escaping @Sendable () -> Void) -> Void
    private let heed: @Sendable (Revocation) -> Void

    /// Makes a reader.
    ///
    /// - Parameters:
    ///   - load: reads once.
    ///   - later: calls something after ``pause``.
    ///   - heed: is told of each revocation, of those that are known as well.
    init(
        load: @escaping @Sendable (@escaping @Sendable (Result<[Revocation], StoreError>) -> Void) -> Void,
        later: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void,
        heed: @escaping @Sendable (Revocation) -> Void
    ) {
        self.load = load
        self.later = later
        self.heed = heed
    }

    /// Something may have been missed.
    func read() {
        let begins = state.withLock { state in
            defer { state = state == .idle ? .reading : .readingTwice }
            return state == .idle
        }
        if begins { readNow() }
    }

    private func readNow() {
        load { [self] in answered($0) }
    }

    private func answered(_ result: Result<[Revocation], StoreError>) {
        switch result {
        case .success(let revocations):
            for revocation in revocations { heed(revocation) }
            let goesOn = state.withLock { state in
                defer { state = state == .readingTwice ? .reading : .idle }
                return state == .readingTwice
            }
            if goesOn { readNow() }
        // Whoever was revoked meanwhile would stay for good.
        case .failure: later { [self] in readNow() }
        }
    }
}
