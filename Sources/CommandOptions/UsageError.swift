/// Words on a command line, or settings in its environment, that cannot be used.
///
/// A command that catches one writes ``message`` as one line on standard error and exits with 2.
public struct UsageError: Error, Sendable, Equatable, CustomStringConvertible {
    /// One line for a person: which word was wrong, and what was meant or expected.
    public let message: String

    /// Makes an error from its one line.
    public init(_ message: String) {
        self.message = message
    }

    /// The line for a person.
    public var description: String { message }
}
