#if TSAN

// Where a continuation is resumed before its task has begun to wait, the task goes on at once. The runtime orders the two
// threads by an atomic, of which the thread sanitizer knows nothing, as the runtime is not built with it: it then calls
// what the one thread wrote and the other reads a race. A program of ten lines that resumes from another thread, and
// waits until that is done before it waits for the continuation, shows it every time; one that resumes later, never.
// So for that sanitizer there is a continuation that takes the value through a lock.

/// A continuation that the thread sanitizer understands; `CheckedContinuation` in all other builds.
@safe
public struct CheckedContinuation<Value, Failure: Error>: Sendable {
    // @unchecked: the result is reached under the lock only.
    fileprivate final class Slot: @unchecked Sendable {
        private let lock = Locked(())
        private var result: Result<Value, Failure>?

        func put(_ result: Result<Value, Failure>) {
            pass { self.result = result }
        }

        /// Gives the result, of which whoever resumed keeps no hold.
        func take() -> sending Result<Value, Failure> {
            // Written once, by the closure that runs within the next call, and by nobody else.
            nonisolated(unsafe) var taken: Result<Value, Failure>?
            pass { unsafe taken = self.result }
            guard let taken = unsafe taken else { fatalError("resumed without a result") }
            return taken
        }

        private func pass(_ body: () -> Void) {
            lock.withLock { _ in body() }
        }
    }

    fileprivate let slot: Slot
    fileprivate let waiter: UnsafeContinuation<Void, Never>

    /// Lets the task go on with a result.
    public func resume(with result: sending Result<Value, Failure>) {
        slot.put(result)
        unsafe waiter.resume()
    }

    /// Lets the task go on with a value.
    public func resume(returning value: sending Value) {
        resume(with: .success(value))
    }

    /// Lets the task go on with an error.
    public func resume(throwing error: Failure) {
        resume(with: .failure(error))
    }
}

extension CheckedContinuation where Value == Void {
    /// Lets the task go on.
    public func resume() {
        resume(with: .success(()))
    }
}

private func wait<Value, Failure: Error>(
    _ isolation: isolated (any Actor)?, _ slot: CheckedContinuation<Value, Failure>.Slot,
    _ body: (CheckedContinuation<Value, Failure>) -> Void
) async {
    unsafe await withUnsafeContinuation(isolation: isolation) { waiter in
        body(unsafe CheckedContinuation(slot: slot, waiter: waiter))
    }
}

/// Waits until the continuation is resumed.
public func withCheckedContinuation<Value>(
    isolation: isolated (any Actor)? = #isolation, _ body: (CheckedContinuation<Value, Never>) -> Void
) async -> sending Value {
    let slot = CheckedContinuation<Value, Never>.Slot()
    await wait(isolation, slot, body)
    return slot.take().get()
}

/// Waits until the continuation is resumed.
///
/// - Throws: What it was resumed with.
public func withCheckedThrowingContinuation<Value>(
    isolation: isolated (any Actor)? = #isolation, _ body: (CheckedContinuation<Value, any Error>) -> Void
) async throws -> sending Value {
    let slot = CheckedContinuation<Value, any Error>.Slot()
    await wait(isolation, slot, body)
    return try slot.take().get()
}

#endif
