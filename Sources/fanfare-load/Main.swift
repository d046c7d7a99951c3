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
            let outcome =
                switch words.first {
                case "compare": try compare(rest)
                case "worker": try work(rest)
                default: try load(words)
                }
            exit(outcome.rawValue)
        } catch let error as Output.Failure {
            Output.write("fanfare-load: \(error)\n", to: STDERR_FILENO)
            exit(1)
        } catch {
            Output.write("fanfare-load: \(error)\n", to: STDERR_FILENO)
            exit(2)
        }
    }

    /// The exit codes.
    private enum Outcome: CInt {
        case good = 0
        case failed = 1
        /// Somebody ended it before its time; what cannot be run ends so as well.
        case interrupted = 2

        init(_ report: Report) {
            self = report.isInterrupted ? .interrupted : report.isOK ? .good : .failed
        }

        init(_ limit: Limit) {
            self = limit.isInterrupted ? .interrupted : limit.isFound ? .good : .failed
        }
    }

    /// Puts load on a server.
    private static func load(_ arguments: [String]) throws -> Outcome {
        let words = try syntax.parse(arguments, environment: Output.environment)
        if let text = words.textToPrint {
            try Output.print(text)
            return .good
        }
        let plan = try Plan(words)
        try Output.checkFiles(words)
        let (interruption, listening) = try Interruption.onSignals()
        defer { withExtendedLifetime(listening) {} }
        if words.isGiven("worker") { return try coordinate(plan, words, arguments, interruption) }
        if words.isGiven("find-limit") {
            return try findLimit(plan, words.choice("find-limit"), words, interruption)
        }
        let report = try plan.run(interruption: interruption, display: display(plan, words))
        try Output.print(words.flag("json") ? report.json + "\n" : report.text)
        try Output.save(report, words)
        return Outcome(report)
    }

    private static func findLimit(
        _ plan: Plan, _ subject: LimitSearch.Subject, _ words: CommandWords, _ interruption: Interruption
    ) throws -> Outcome {
        let limit = try LimitSearch(plan, raising: subject).run(interruption: interruption) { step in
            if !words.flag("quiet") { Output.write(step.line(subject) + "\n", to: STDERR_FILENO) }
        }
        try Output.print(words.flag("json") ? limit.json + "\n" : limit.text)
        try Output.save(limit, words)
        return Outcome(limit)
    }

    /// Has workers put load on a server together.
    private static func coordinate(
        _ plan: Plan, _ words: CommandWords, _ arguments: [String], _ interruption: Interruption
    ) throws -> Outcome {
        let report = try Coordinator(plan, workers: words.texts("worker")).run(
            interruption: interruption, words: { WorkerWords.words(for: $0, arguments, plan) }
        ) { line in
            if !words.flag("quiet") { Output.write(line + "\n", to: STDERR_FILENO) }
        }
        try Output.print(words.flag("json") ? report.json + "\n" : report.text)
        try Output.save(report, words)
        return Outcome(report)
    }

    /// Waits for coordinators and does what they ask for, until it is interrupted.
    private static func work(_ arguments: [String]) throws -> Outcome {
        let words = try workerSyntax.parse(arguments)
        if let text = words.textToPrint {
            try Output.print(text)
            return .good
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
        return .good
    }

    /// Compares two reports.
    private static func compare(_ arguments: [String]) throws -> Outcome {
        let words = try compareSyntax.parse(arguments)
        if let text = words.textToPrint {
            try Output.print(text)
            return .good
        }
        let comparison = try Comparison(
            Output.read(words.text("BEFORE")), Output.read(words.text("AFTER")), bounds: words.texts("fail-if"))
        try Output.print(comparison.text)
        return comparison.failures.isEmpty ? .good : .failed
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
