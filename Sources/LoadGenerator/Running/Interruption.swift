private import Glibc
internal import Transport

/// Somebody's wish that a run ends early, with a report of what it has found by then.
public final class Interruption: Sendable {
    private struct State {
        var count = 0
        var observers: [@Sendable () -> Void] = []
    }

    private let state = Locked(State())

    /// Makes one that nobody has asked for yet.
    public init() {}

    /// Whether somebody has asked for it.
    public var isRequested: Bool { state.withLock { $0.count > 0 } }

    /// Asks for it.
    ///
    /// - Returns: How often that was done by now.
    @discardableResult
    public func request() -> Int {
        let (count, observers) = state.withLock { state in
            // Taken out, so that nobody has the same array as who adds to it.
            let observers = state.observers
            state.observers = []
            state.count += 1
            return (state.count, observers)
        }
        for observer in observers { observer() }
        return count
    }

    /// Has something done once, when somebody asks; at once, where that was done before.
    func observe(_ observer: @escaping @Sendable () -> Void) {
        let isRequested = state.withLock { state in
            if state.count == 0 { state.observers.append(observer) }
            return state.count > 0
        }
        if isRequested { observer() }
    }

    /// Takes SIGINT and SIGTERM of the process for requests, and ends it at the second one with 130.
    ///
    /// Call it in `main` before any thread is started.
    ///
    /// - Returns: The interruption, and what must live as long as signals shall be heard.
    /// - Throws: A ``LoadError`` where the system has no descriptor left.
    public static func onSignals() throws(LoadError) -> (Interruption, listening: AnyObject) {
        let interruption = Interruption()
        blockSignals([SIGINT, SIGTERM])
        do {
            let loop = try EventLoop(name: "signals")
            _ = try SignalSource(on: loop, signals: [SIGINT, SIGTERM]) { _ in
                if interruption.request() > 1 { _exit(130) }
            }
            loop.start()
            return (interruption, loop)
        } catch {
            throw .system("\(error)")
        }
    }
}
