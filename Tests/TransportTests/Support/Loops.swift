import Transport

/// Runs the body with a loop that runs, and stops it afterwards.
func withLoop<Result>(
    _ body: (EventLoop) async throws -> Result
) async throws -> Result {
    let loop = try EventLoop(name: "test")
    loop.start()
    defer { loop.stop() }
    return try await body(loop)
}

extension EventLoop {
    /// Runs the closure on the loop and hands back what it returns.
    func run<Result: Sendable>(_ work: @escaping @Sendable () throws -> Result) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            execute { continuation.resume(with: Swift.Result { try work() }) }
        }
    }
}

/// Facts that a test waits for.
final class Facts<Value: Sendable>: Sendable {
    private struct State {
        var value: Value
        var waiting: [(condition: @Sendable (Value) -> Bool, continuation: CheckedContinuation<Value, Never>)] = []
    }

    private let state: Locked<State>

    init(_ value: Value) {
        state = Locked(State(value: value))
    }

    /// What is known now.
    var value: Value { state.withLock { $0.value } }

    /// Changes what is known, from any thread, and wakes those whose condition holds now.
    func change(_ body: (inout Value) -> Void) {
        let ready = state.withLock { state in
            body(&state.value)
            let value = state.value
            let ready = state.waiting.filter { $0.condition(value) }
            state.waiting.removeAll { $0.condition(value) }
            return ready.map { ($0.continuation, value) }
        }
        for (continuation, value) in ready { continuation.resume(returning: value) }
    }

    /// Waits until the condition holds; the suite's time limit bounds it.
    @discardableResult
    func wait(until condition: @escaping @Sendable (Value) -> Bool) async -> Value {
        await withCheckedContinuation { continuation in
            let known: Value? = state.withLock { state in
                if condition(state.value) { return state.value }
                state.waiting.append((condition, continuation))
                return nil
            }
            if let known { continuation.resume(returning: known) }
        }
    }
}
