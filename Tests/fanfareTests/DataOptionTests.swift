import CommandOptions
import Foundation
import Testing

@testable import fanfare

/// Commands on the store find it as `fanfare serve` does.
@Suite struct DataOptionTests {
    private static let commands: [(syntax: CommandSyntax, words: [String])] = [
        (BackupCommand.options, ["x.db"]), (CheckDataCommand.options, []), (ExportCommand.options, []),
        (ImportCommand.options, ["x.jsonl"]), (AuditCommand.options, []),
    ]

    /// The path, or the words of the refusal.
    private func file(
        _ syntax: CommandSyntax, _ words: [String], _ environment: [String: String], file: String? = nil
    ) throws -> String {
        let path = FileManager.default.temporaryDirectory.appending(path: "settings-\(UUID().uuidString).json").path()
        if let file { try Data(file.utf8).write(to: URL(filePath: path)) }
        defer { try? FileManager.default.removeItem(atPath: path) }
        let words = words + (file == nil ? [] : ["--config", path])
        let parsed = try syntax.parse(words, environment: environment)
        do throws(UsageError) { return try DataOption.file(parsed) } catch {
            return error.message.replacing(path, with: "FILE").components(separatedBy: ", and this").first ?? ""
        }
    }

    @Test("the audit is in each broker's own folder, also where the channels are in NATS")
    func ownFile() throws {
        let environment = ["FANFARE_NATS": "nats://a", "FANFARE_DATA": "b"]
        let words = try AuditCommand.options.parse([], environment: environment)
        #expect(try DataOption.ownFile(words) == "b/fanfare.db")
        let inMemory = try AuditCommand.options.parse(["--store", "memory"], environment: [:])
        #expect(throws: UsageError.self) { try DataOption.ownFile(inMemory) }
    }

    @Test(
        "flag over environment over file over default",
        arguments: [
            ([], [:], nil, "./data/fanfare.db"), (["--data", "a"], ["FANFARE_DATA": "b"], nil, "a/fanfare.db"),
            ([], ["FANFARE_DATA": "b"], #"{"data": "c"}"#, "b/fanfare.db"),
            ([], [:], #"{"data": "c"}"#, "c/fanfare.db"),
            (["--store", "sqlite"], ["FANFARE_STORE": "memory"], nil, "./data/fanfare.db"),
            ([], ["FANFARE_STORE": "sqlite"], #"{"store": {"kind": "memory"}}"#, "./data/fanfare.db"),
            ([], ["FANFARE_STORE": "memory"], nil, "the channels are in memory (FANFARE_STORE)"),
            (["--store", "memory"], [:], nil, "the channels are in memory (--store)"),
            ([], [:], #"{"store": {"kind": "memory"}}"#, "the channels are in memory (FILE:1)"),
            ([], ["FANFARE_NATS": "nats://a"], nil, "the channels are in NATS (FANFARE_NATS)"),
            (["--nats", "nats://a"], ["FANFARE_STORE": "sqlite"], nil, "the channels are in NATS (--nats)"),
            ([], [:], #"{"nats": {"servers": ["nats://a:1"]}}"#, "the channels are in NATS (FILE:1)"),
            ([], [:], #"{"nats": {"partitions": 4}}"#, "the channels are in NATS (FILE:1)"),
        ] as [([String], [String: String], String?, String)])
    func places(words: [String], environment: [String: String], text: String?, expected: String) throws {
        for (syntax, operands) in Self.commands {
            #expect(try file(syntax, operands + words, environment, file: text) == expected, "\(syntax.name)")
            // As serve has it, where there is such a file.
            guard expected.hasSuffix("/fanfare.db") else { continue }
            #expect(Set(environment.keys).isSubset(of: syntax.environmentNames), "\(syntax.name)")
        }
    }
}
