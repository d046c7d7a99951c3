import CommandOptions
import FanfareClient

/// A subcommand of `fanfare`.
protocol Command: SendableMetatype {
    /// Its words.
    static var options: CommandSyntax { get }
    /// Whether SIGINT, SIGTERM and SIGHUP are blocked before the first thread, for a `SignalSource` to receive.
    static var takesSignals: Bool { get }
    /// Runs it, on the thread of `main`.
    ///
    /// - Parameter words: What follows the subcommand's name.
    /// - Returns: The exit code.
    static func run(_ words: [String]) -> Int32
}

extension Command {
    static var takesSignals: Bool { true }

    /// Sorts the words, runs the body with them, and tells what went wrong in one line on standard error.
    ///
    /// - Parameters:
    ///   - words: What follows the subcommand's name.
    ///   - variables: The environment variables that may stand for options.
    ///   - body: What the subcommand does; it gives the exit code.
    /// - Returns: The exit code.
    static func run(
        _ words: [String], variables: [String] = ["FANFARE_URL"], body: (CommandWords) throws -> Int32
    ) -> Int32 {
        do {
            let words = try options.parse(words, environment: environment(variables))
            if let text = words.textToPrint {
                try StandardOutput().write(text)
                return ExitCode.done
            }
            return try body(words)
        } catch let error as UsageError {
            complain("\(options.name): \(error.message)")
            return ExitCode.wrongWords
        } catch let error as ClientError {
            complain("\(options.name): \(advice(for: error))")
            return ExitCode.failed
        } catch {
            complain("\(options.name): \(error)")
            return ExitCode.failed
        }
    }
}

/// What the command ends with.
enum ExitCode {
    /// It is done.
    static let done: Int32 = 0
    /// It failed.
    static let failed: Int32 = 1
    /// The words were wrong.
    static let wrongWords: Int32 = 2
}
