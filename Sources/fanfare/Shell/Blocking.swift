import Dispatch
import Transport

/// Runs an asynchronous body elsewhere while this thread waits for it.
///
/// The thread of `main` must not suspend instead: it would go to the dispatch library, which opens it to signals again,
/// and a signal would end the process before a `SignalSource` hears of it.
func blocking<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) throws -> Value {
    let done = DispatchSemaphore(value: 0)
    let outcome = Locked<Result<Value, any Error>?>(nil)
    Task {
        let result: Result<Value, any Error>
        do { result = .success(try await body()) } catch { result = .failure(error) }
        outcome.withLock { $0 = result }
        done.signal()
    }
    done.wait()
    guard let result = outcome.withLock({ $0 }) else { preconditionFailure("the body has an outcome") }
    return try result.get()
}
