import Foundation
import Testing

/// What operators install, and what a service manager does with it.
@Suite struct ServiceTests {
    @Test("a service manager: readiness, reloads, the watchdog, passed sockets, the journal")
    func serviceManager() async throws {
        try await runClient("service.py")
    }

    @Test("files of settings, secrets, keys and certificates that are none, or never answer")
    func stuckFiles() async throws {
        try await Places.withFolder { folder in
            let script = Places.repository.appending(path: "scripts/dev-cert").path()
            let made = await (try Program("/bin/bash", [script, folder.path()])).end()
            try #require(made.status == 0, "\(made.record.errors)")
            try await runClient("stuck.py", folder.path())
        }
    }

    @Test("bash, zsh and fish complete what --help names")
    func completion() async throws {
        try await runClient("completion.py")
    }

    /// Whether the binaries under test need no Swift runtime, as those of a package must.
    private static let areStatic: Bool = {
        guard let bytes = try? Data(contentsOf: URL(filePath: Places.fanfare), options: .mappedIfSafe) else {
            return false
        }
        return bytes.firstRange(of: Data("libswiftCore.so".utf8)) == nil
    }()

    @Test(
        "the packages have all that belongs into them, and an operator's walk: install, TLS, proxy, copy, update, restore",
        .enabled(if: areStatic, "the binaries of FANFARE_BIN_DIR need a Swift runtime"))
    func packages() async throws {
        try await Places.withFolder { folder in
            let script = Places.repository.appending(path: "scripts/package").path()
            let made = await
                (try Program(
                    "/bin/bash", [script, "--fast", "--binaries", Places.binaries.path(), "--out", folder.path()]
                )).end()
            try #require(made.status == 0, "\(made.record.errors)")
            try await runClient("package.py", folder.path())
            try await runClient("walk.py", folder.path())
        }
    }
}
