import FanfareClient
import Glibc
import Transport

/// A board that the client fills and the thread that draws looks at, with a pipe that wakes the latter.
///
/// Only the change that finds nothing new to be drawn writes to the pipe, so it never fills.
final class BoardFeed: Sendable {
    /// Why there is no more.
    struct End {
        /// What went wrong; `nil` where someone wanted it.
        var error: ClientError?
    }

    private struct State {
        var board: Board
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
    init(_ board: Board) throws(TransportError) {
        var ends: [CInt] = [0, 0]
        // The array has the two elements that the call fills.
        guard unsafe pipe(&ends) == 0 else { throw .system(call: "pipe", errno: errno) }
        descriptor = ends[0]
        wakeUp = ends[1]
        state = Locked(State(board: board))
    }

    deinit {
        close(descriptor)
        close(wakeUp)
    }

    /// Puts an update on the board; from any thread.
    func take(_ update: ChannelUpdate) {
        change { $0.board.take(update) }
    }

    /// Ends the view; from any thread, and only the first time.
    func end(_ error: ClientError?) {
        change { state in
            if state.end == nil { state.end = End(error: error) }
        }
    }

    /// Whether the board has changed since it was taken.
    var isChanged: Bool { state.withLock { $0.isChanged } }

    /// The board as it is now, to be drawn.
    func takeBoard() -> Board {
        state.withLock { state in
            state.isChanged = false
            return state.board
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

    private func change(_ change: (inout State) -> Void) {
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
