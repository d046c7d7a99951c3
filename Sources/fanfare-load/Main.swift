import CommandOptions
import Glibc
import LoadGenerator

/// The load-test command; everything that can be tested lies in `LoadGenerator` and `CommandOptions`.
@main
struct Main {
    static func main() {
        let plan: Plan
        let words: CommandWords
        do {
            words = try syntax.parse(Array(CommandLine.arguments.dropFirst()), environment: environment)
            if let text = words.textToPrint {
                write(text, to: STDOUT_FILENO)
                return
            }
            plan = try Plan(words)
        } catch {
            write("fanfare-load: \(error.message)\n", to: STDERR_FILENO)
            exit(2)
        }
        let showsProgress = words.flag("progress") || isatty(STDERR_FILENO) == 1
        do {
            let report = try plan.run(progress: showsProgress ? { write($0 + "\n", to: STDERR_FILENO) } : nil)
            write(words.flag("json") ? report.json + "\n" : report.text, to: STDOUT_FILENO)
            exit(report.isOK ? 0 : 1)
        } catch {
            write("fanfare-load: \(error)\n", to: STDERR_FILENO)
            exit(2)
        }
    }

    /// The variables that options may come from.
    private static var environment: [String: String] {
        var found: [String: String] = [:]
        // `getenv` gives a string that lives as long as nobody changes the environment; nobody does here.
        if let token = unsafe getenv("FANFARE_TOKEN") { found["FANFARE_TOKEN"] = unsafe String(cString: token) }
        return found
    }

    /// Writes all of a text; a reader that is gone ends it.
    private static func write(_ text: String, to descriptor: CInt) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            // The buffer is valid for the call, and no more than its count is read from it.
            let count = unsafe rest.withUnsafeBytes { unsafe Glibc.write(descriptor, $0.baseAddress, $0.count) }
            guard count > 0 || errno == EINTR else { return }
            rest = rest.dropFirst(max(0, count))
        }
    }
}
