import Foundation
import Testing

/// Runs one of the scripts in Clients/ and passes on what its checks say.
///
/// A name that begins with `Browser/` is one of the scripts there, which drive Chromium.
/// Each line `not ok` is an issue. A script that makes no check, or ends before its plan `1..N`, has failed as well.
/// A script that goes on for longer than `seconds` is ended, and has failed.
func runClient(
    _ script: String, _ words: String..., lives seconds: Int = 300, sourceLocation: SourceLocation = #_sourceLocation
) async throws {
    let isBrowser = script.hasPrefix("Browser/")
    let path = (isBrowser ? Places.endToEnd : Places.clients).appending(path: script).path()
    let program =
        script.hasSuffix(".js")
        ? try Program(
            "/usr/bin/node", [path] + words, environment: ["NODE_PATH": "/usr/share/nodejs"], lives: seconds)
        : try Program(
            "/usr/bin/python3", ["-B", path] + words, environment: ["PYTHONPATH": Places.clients.path()], lives: seconds
        )
    let (status, record) = await program.end()
    let lines = record.output.split(separator: "\n")
    let passed = lines.count { $0.hasPrefix("ok ") }
    let failed = lines.filter { $0.hasPrefix("not ok ") }
    for line in failed {
        Issue.record("\(script): \(line)", sourceLocation: sourceLocation)
    }
    if failed.isEmpty {
        #expect(
            status == 0 && passed > 0 && lines.last == "1..\(passed)",
            "\(script) ended with \(status) after \(passed) checks: \(record.errors)", sourceLocation: sourceLocation)
    }
    for line in lines where line.hasPrefix("# seed") && !failed.isEmpty {
        Issue.record("\(script): \(line)", sourceLocation: sourceLocation)
    }
}
