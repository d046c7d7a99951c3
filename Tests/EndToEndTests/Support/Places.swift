import Foundation

/// Where things lie.
enum Places {
    static let repository = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    static let endToEnd = repository.appending(path: "Tests/EndToEndTests")

    static let clients = endToEnd.appending(path: "Clients")

    /// The folder of the binaries to test: `FANFARE_BIN_DIR`, or the release build.
    static let binaries =
        ProcessInfo.processInfo.environment["FANFARE_BIN_DIR"].map { URL(filePath: $0) }
        ?? repository.appending(path: ".build/release")

    static var fanfare: String { binaries.appending(path: "fanfare").path() }

    /// Debian has it where only root looks.
    static var natsServer: String { "/usr/sbin/nats-server" }

    static var fanfareLoad: String { binaries.appending(path: "fanfare-load").path() }

    /// Runs the body with a new folder that is gone afterwards.
    static func withFolder<Result>(_ body: (URL) async throws -> Result) async throws -> Result {
        let folder = FileManager.default.temporaryDirectory.appending(path: "fanfare-test-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        return try await body(folder)
    }
}
