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
    private struct Waiting {
        var number: Int
        var condition: @Sendable (Value) -> Bool
        var continuation: CheckedContinuation<Value, Never>
    }

    private struct State {
        var value: Value
        var waiting: [Waiting] = []
        var lastNumber = 0
        var givenUp: Set<Int> = []
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

    /// Waits until the condition holds, or until the suite's time limit cancels the test: then it gives what is known,
    /// so that the test fails and does not hang.
    @discardableResult
    func wait(until condition: @escaping @Sendable (Value) -> Bool) async -> Value {
        let number = state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let known: Value? = state.withLock { state in
                    if condition(state.value) || state.givenUp.contains(number) { return state.value }
                    state.waiting.append(Waiting(number: number, condition: condition, continuation: continuation))
                    return nil
                }
                if let known { continuation.resume(returning: known) }
            }
        } onCancel: {
            let given: (CheckedContinuation<Value, Never>, Value)? = state.withLock { state in
                state.givenUp.insert(number)
                guard let index = state.waiting.firstIndex(where: { $0.number == number }) else { return nil }
                return (state.waiting.remove(at: index).continuation, state.value)
            }
            if let (continuation, value) = given { continuation.resume(returning: value) }
        }
    }
}
