/// Where the broker's own words go.
public struct BrokerLog: Sendable {
    /// How much a line matters.
    public enum Level: String, Sendable, CaseIterable {
        case info, warning, error
    }

    private let write: @Sendable (Level, String) -> Void

    /// Makes a log that hands each line to `write`, from any thread.
    public init(write: @escaping @Sendable (Level, String) -> Void) {
        self.write = write
    }

    /// Says what happens in normal running.
    public func info(_ line: String) { write(.info, line) }
    /// Says what an operator should look at.
    public func warning(_ line: String) { write(.warning, line) }
    /// Says what went wrong.
    public func error(_ line: String) { write(.error, line) }
}
