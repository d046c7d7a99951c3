import Foundation
import Testing

/// `scripts/setup` on machines that lack packages: what dpkg knows is a folder of the test's own, and nothing is installed.
@Suite struct SetupTests {
    /// Runs it where only the packages named are installed, and says what it said.
    ///
    /// echo stands for apt-get, and env for sudo: the line that echo writes are the words that apt-get would have had.
    private func setUp(_ words: String..., have installed: [String]) async throws -> (status: Int32?, lines: [String]) {
        try await Places.withFolder { folder in
            for place in ["dpkg/info", "dpkg/updates", "bin"] {
                try FileManager.default.createDirectory(
                    at: folder.appending(path: place), withIntermediateDirectories: true)
            }
            let entries = installed.map { name in
                "Package: \(name)\nStatus: install ok installed\nArchitecture: all\nVersion: 1\n"
                    + "Maintainer: nobody\nDescription: none\n"
            }
            let database = folder.appending(path: "dpkg")
            try Data(entries.joined(separator: "\n").utf8).write(to: database.appending(path: "status"))
            let programs = folder.appending(path: "bin").path()
            try FileManager.default.createSymbolicLink(
                atPath: programs + "/apt-get", withDestinationPath: "/bin/echo")
            try FileManager.default.createSymbolicLink(
                atPath: programs + "/sudo", withDestinationPath: "/usr/bin/env")
            let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
            let script = Places.repository.appending(path: "scripts/setup").path()
            let (status, record) = await
                (try Program(
                    "/bin/bash", [script] + words,
                    environment: ["DPKG_ADMINDIR": database.path(), "PATH": programs + ":" + path])).end()
            return (status, record.errors.split(separator: "\n").map(String.init))
        }
    }

    private static let toBuild = ["g++", "libnats-dev", "libsqlite3-dev", "libssl-dev", "pkg-config", "zlib1g-dev"]

    @Test(
        "only what is missing is installed, and all of it on a new machine, whose dpkg has never heard of it",
        arguments: [[], ["g++", "libssl-dev", "pkg-config", "zlib1g-dev"], ["libnats-dev"]])
    func missing(installed: [String]) async throws {
        let (status, lines) = try await setUp(have: installed)
        let names = Self.toBuild.filter { !installed.contains($0) }.joined(separator: " ")
        #expect(status == 0)
        #expect(
            lines == [
                "scripts/setup: installing \(names)",
                "-q -y -o DPkg::Lock::Timeout=300 install --no-install-recommends \(names)",
            ])
    }

    @Test("where all is there nothing is asked for")
    func complete() async throws {
        let (status, lines) = try await setUp(have: Self.toBuild)
        #expect(status == 0 && lines.isEmpty, "\(lines)")
    }

    @Test("words that it does not know")
    func unknownWords() async throws {
        let (status, lines) = try await setUp("--tests", have: [])
        #expect(status == 2 && lines.count == 1 && lines.joined().contains("--tests"), "\(lines)")
    }
}
