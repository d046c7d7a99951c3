import CommandOptions
import Glibc
import LoadGenerator

/// The load-test command; everything that can be tested lies in `LoadGenerator` and `CommandOptions`.
@main
struct Main {
    static func main() {
        keepStandardDescriptors()
        // A report that may not grow further (ulimit -f) is an error of the write, and not the end of the program.
        _ = signal(SIGXFSZ, SIG_IGN)
        let words = Array(CommandLine.arguments.dropFirst())
        do {
            if let text = try program.text(askedBy: words) {
                try Output.print(text)
                exit(0)
            }
            let rest = Array(words.dropFirst())
            let isGood =
                switch words.first {
                case "compare": try compare(rest)
                case "worker": try work(rest)
                default: try load(words)
                }
            exit(isGood ? 0 : 1)
        } catch let error as Output.Failure {
            Output.write("fanfare-load: \(error)\n", to: STDERR_FILENO)
            exit(1)
        } catch {
            Output.write("fanfare-load: \(error)\n", to: STDERR_FILENO)
            exit(2)
        }
    }

    /// Puts load on a server.
    ///
    /// - Returns: Whether all was well.
    private static func load(_ arguments: [String]) throws -> Bool {
        let words = try syntax.parse(arguments, environment: Output.environment)
        if let text = words.textToPrint {
            try Output.print(text)
            return true
        }
        let plan = try Plan(words)
        let (interruption, listening) = try Interruption.onSignals()
        defer { withExtendedLifetime(listening) {} }
        if words.isGiven("worker") { return try coordinate(plan, words, arguments, interruption) }
        if words.isGiven("find-limit") {
            return try findLimit(plan, words.choice("find-limit"), words, interruption)
        }
        try Output.checkFiles(words)
        let report = try plan.run(interruption: interruption, display: display(plan, words))
        try Output.print(words.flag("json") ? report.json + "\n" : report.text)
        try Output.save(report, words)
        return report.isOK
    }

    private static func findLimit(
        _ plan: Plan, _ subject: LimitSearch.Subject, _ words: CommandWords, _ interruption: Interruption
    ) throws -> Bool {
        let limit = try LimitSearch(plan, raising: subject).run(interruption: interruption) { step in
            if !words.flag("quiet") { Output.write(step.line(subject) + "\n", to: STDERR_FILENO) }
        }
        try Output.print(words.flag("json") ? limit.json + "\n" : limit.text)
        return limit.isFound
    }

    /// Has workers put load on a server together.
    ///
    /// - Returns: Whether all was well.
    private static func coordinate(
        _ plan: Plan, _ words: CommandWords, _ arguments: [String], _ interruption: Interruption
    ) throws -> Bool {
        for name in ["find-limit", "server-pid", "metrics"] where words.isGiven(name) {
            throw UsageError("--worker and --\(name) exclude each other")
        }
        try Output.checkFiles(words)
        let report = try Coordinator(plan, workers: words.texts("worker")).run(
            interruption: interruption, words: { WorkerWords.words(for: $0, arguments, plan) }
        ) { line in
            if !words.flag("quiet") { Output.write(line + "\n", to: STDERR_FILENO) }
        }
        try Output.print(words.flag("json") ? report.json + "\n" : report.text)
        try Output.save(report, words)
        return report.isOK
    }

    /// Waits for coordinators and does what they ask for, until it is interrupted.
    private static func work(_ arguments: [String]) throws -> Bool {
        let words = try workerSyntax.parse(arguments)
        if let text = words.textToPrint {
            try Output.print(text)
            return true
        }
        let (interruption, listening) = try Interruption.onSignals()
        defer { withExtendedLifetime(listening) {} }
        let worker = try Worker(listening: words.text("listen"))
        Output.write("listening on \(worker.address)\n", to: STDERR_FILENO)
        let mayGoFar = words.flag("allow-remote")
        worker.run(interruption: interruption) { asked in
            var plan = try Plan(syntax.parse(asked))
            // Whose machine is loaded is this machine's owner's decision, not the coordinator's.
            plan.allowsRemote = mayGoFar
            return plan
        }
        return true
    }

    /// Compares two reports.
    ///
    /// - Returns: Whether no bound broke.
    private static func compare(_ arguments: [String]) throws -> Bool {
        let words = try compareSyntax.parse(arguments)
        if let text = words.textToPrint {
            try Output.print(text)
            return true
        }
        let comparison = try Comparison(
            Output.read(words.text("BEFORE")), Output.read(words.text("AFTER")), bounds: words.texts("fail-if"))
        try Output.print(comparison.text)
        return comparison.failures.isEmpty
    }

    /// What shows the seconds of a run as they pass: a live view on a terminal, lines elsewhere.
    private static func display(_ plan: Plan, _ words: CommandWords) -> ((Row) -> Void)? {
        guard !words.flag("quiet") else { return nil }
        if isatty(STDERR_FILENO) == 1, !words.flag("progress") {
            let hasColor = (Output.environment["NO_COLOR"] ?? "").isEmpty
            var view = LiveView(plan, width: Output.terminalWidth, hasColor: hasColor)
            return { Output.write(view.show($0), to: STDERR_FILENO) }
        }
        Output.write(Row.heading + "\n", to: STDERR_FILENO)
        return { Output.write($0.text + "\n", to: STDERR_FILENO) }
    }
}
