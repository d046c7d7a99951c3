import Foundation
import Testing

/// One run of the load test's binary, with its JSON report.
struct LoadRun {
    let status: Int32
    let output: String
    let errors: String
    let report: [String: Any]

    /// Runs it with `--json`, a second long unless the words say otherwise.
    static func run(_ url: String, _ words: [String]) async throws -> LoadRun {
        let program = try Program(Places.fanfareLoad, [url] + words + ["--json", "--seed", "7"])
        return try await end(program)
    }

    /// Waits for the end of one that was started.
    static func end(_ program: Program) async throws -> LoadRun {
        let (status, record) = await program.end()
        let json = try? JSONSerialization.jsonObject(with: Data(record.output.utf8))
        return LoadRun(
            status: status, output: record.output, errors: record.errors, report: json as? [String: Any] ?? [:])
    }

    /// A number of the report, by its name with points; -1 where there is none.
    subscript(_ name: String) -> Double {
        let parts = name.split(separator: ".", maxSplits: 1).map(String.init)
        let value = parts.count == 2 ? (report[parts[0]] as? [String: Any])?[parts[1]] : report[name]
        return (value as? NSNumber)?.doubleValue ?? -1
    }

    var failures: [String] { report["failures"] as? [String] ?? [] }

    /// All that is needed to understand a run that went wrong.
    var account: String { "status \(status): \(output) \(errors)" }
}

/// A broker that is wrong in one way (Clients/faulty.py).
func withFaultyBroker<Result>(_ fault: String, _ body: (String) async throws -> Result) async throws -> Result {
    let path = Places.clients.appending(path: "faulty.py").path()
    let server = try Program("/usr/bin/python3", ["-B", path, fault])
    defer { server.send(SIGKILL) }
    let url = try await server.wait { record in
        record.errors.split(separator: "\n").first { $0.hasPrefix("listening on ") }.map { String($0.dropFirst(13)) }
    }
    return try await body(url)
}
