import Foundation

@testable import fanfare

/// The exports that the tests have, in the forms of those systems.
enum SampleExport {
    static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Imports")

    /// The path of a system's one.
    static func path(_ source: ForeignSource) -> String { folder.appending(path: source.rawValue).path() }

    /// Hands over a folder with these files, and removes it.
    static func withFiles<Value>(_ files: [String: String], _ body: (String) throws -> Value) throws -> Value {
        let folder = FileManager.default.temporaryDirectory.appending(path: "fanfare-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for (name, text) in files {
            let file = folder.appending(path: name)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: file)
        }
        return try body(folder.path())
    }
}

extension Harvest {
    /// Each reaction as a line: channel, message, emoji or name, user, time.
    var lines: [String] {
        channels.flatMap { channel in
            channel.entries.map { entry in
                let given = reactions[entry.reaction]
                return
                    "\(channel.id) \(messages[entry.message].id) \(given.emoji ?? ":" + given.name) \(users[entry.user]) \(entry.at)"
            }
        }
    }
}
