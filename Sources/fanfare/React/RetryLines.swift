import FanfareClient
import Transport

/// The lines of a command that waits for a connection: why there is none, and when it tries again.
///
/// The same reason is told again after some seconds only, with how often it came meanwhile.
struct RetryLines: Sendable {
    /// How long the same reason is not told again.
    static let pause = Duration.seconds(5)

    private var told: (loss: Loss, at: MonotonicTime)?
    private var untold = 0

    /// The line for a state of the connection; `nil`: nothing is to be said.
    mutating func line(for state: ConnectionState, at time: MonotonicTime) -> String? {
        guard case .waiting(let wait, let loss) = state else { return nil }
        if let told, told.loss == loss, time - told.at < Self.pause {
            untold += 1
            return nil
        }
        let more = untold > 0 ? " (and \(untold) more)" : ""
        (told, untold) = ((loss, time), 0)
        return "not connected: \(loss)\(more); next attempt in \(seconds(wait))"
    }
}
