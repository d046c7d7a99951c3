import Glibc
import Transport

/// What a live view shows: others change it, the thread that draws looks at it, and a pipe wakes the latter.
///
/// Only the change that finds nothing new to be drawn writes to the pipe, so it never fills.
final class LiveFeed<Content: Sendable>: Sendable {
    /// Why there is no more.
    struct End {
        /// What went wrong; `nil` where someone wanted it.
        var error: (any Error)?
    }

    private struct State {
        var content: Content
        var isChanged = true
        var end: End?
    }

    private let state: Locked<State>
    /// Becomes readable when something has changed.
    let descriptor: CInt
    private let wakeUp: CInt

    /// Makes a feed.
    ///
    /// - Throws: `TransportError.system` where there is no descriptor left.
    init(_ content: Content) throws(TransportError) {
        var ends: [CInt] = [0, 0]
        // The array has the two elements that the call fills.
        guard unsafe pipe(&ends) == 0 else { throw .system(call: "pipe", errno: errno) }
        descriptor = ends[0]
        wakeUp = ends[1]
        state = Locked(State(content: content))
    }

    deinit {
        close(descriptor)
        close(wakeUp)
    }

    /// Changes what is shown; from any thread.
    func change(_ change: (inout Content) -> Void) {
        changeState { change(&$0.content) }
    }

    /// Ends the view; from any thread, and only the first time.
    func end(_ error: (any Error)?) {
        changeState { state in
            if state.end == nil { state.end = End(error: error) }
        }
    }

    /// Whether it has changed since it was taken.
    var isChanged: Bool { state.withLock { $0.isChanged } }

    /// What is to be drawn now.
    func take() -> Content {
        state.withLock { state in
            state.isChanged = false
            return state.content
        }
    }

    /// Why there is no more; `nil`: there is.
    func takeEnd() -> End? { state.withLock { $0.end } }

    /// Takes the wake-ups out of the pipe.
    func drain() {
        var ready = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        var bytes: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0]
        // The pointers hold for the calls, and the count is that of the array.
        while unsafe poll(&ready, 1, 0) > 0, unsafe read(descriptor, &bytes, bytes.count) > 0 {}
    }

    private func changeState(_ change: (inout State) -> Void) {
        let mustWake = state.withLock { state in
            change(&state)
            defer { state.isChanged = true }
            return !state.isChanged || state.end != nil
        }
        guard mustWake else { return }
        var byte: UInt8 = 1
        _ = unsafe write(wakeUp, &byte, 1)
    }
}

extension LiveFeed {
    /// Waits for the end as long as that; `false` where it has not come.
    func isOver(within time: Duration) -> Bool {
        let deadline = MonotonicTime.now + time
        while takeEnd() == nil {
            let left = deadline - .now
            guard left > .zero else { return false }
            var end = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            _ = unsafe poll(&end, 1, CInt(clamping: Int(left / .milliseconds(1)) + 1))
            drain()
        }
        return true
    }
}
