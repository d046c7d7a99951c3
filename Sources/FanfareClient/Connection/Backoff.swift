/// How long to wait before the next attempt to connect: exponential, with full jitter.
///
/// The wait is drawn evenly from zero to a ceiling that doubles with each attempt, so that many clients that lost
/// one broker do not come back in step.
struct Backoff: Sendable, Equatable {
    /// The ceiling of the first wait.
    static let first = Duration.milliseconds(500)
    /// What the ceiling does not grow past.
    static let last = Duration.seconds(20)

    /// The ceiling of the next wait.
    private(set) var ceiling = Backoff.first

    /// Draws the next wait and doubles the ceiling.
    mutating func next(using generator: inout some RandomNumberGenerator) -> Duration {
        let milliseconds = ceiling.components.seconds * 1000 + ceiling.components.attoseconds / 1_000_000_000_000_000
        ceiling = min(ceiling * 2, Backoff.last)
        return .milliseconds(Int64.random(in: 0...milliseconds, using: &generator))
    }

    /// Starts again from the first ceiling.
    mutating func reset() {
        ceiling = Backoff.first
    }
}
