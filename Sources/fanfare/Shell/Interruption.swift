import Glibc
import Transport

/// Has SIGINT, SIGTERM and SIGHUP end the command: the first one in order, the second at once.
///
/// - Parameters:
///   - loop: Where `end` is called.
///   - end: Begins to end in order.
func onInterruption(_ loop: EventLoop, _ end: @escaping @Sendable () -> Void) {
    loop.execute {
        let isFirstOver = Flag()
        do throws(TransportError) {
            // The loop keeps the source for as long as it runs.
            _ = try SignalSource(on: loop, signals: [SIGINT, SIGTERM, SIGHUP]) { signal in
                if isFirstOver.isSet { exit(128 + signal) }
                isFirstOver.set()
                end()
            }
        } catch {
            complain("fanfare: signals cannot be heard: \(error)")
            end()
        }
    }
}
