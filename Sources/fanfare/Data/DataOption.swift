import Broker
import CommandOptions
import Server
import Transport

/// The options of every subcommand that works on the store's file: they find it as `fanfare serve` does.
enum DataOption {
    private static let config = CommandSyntax.Option.value(
        "config", "FILE", "the settings file; its data, store and nats say where the channels are", environment: true)

    /// Where the store is, without the settings file.
    static let places: [CommandSyntax.Option] = [
        .value("data", "DIR", "the folder of the store's file, fanfare.db", default: "./data", environment: true),
        .value(
            "store", "KIND", "sqlite; channels in memory are in no file", default: "sqlite", environment: true,
            takes: .choice(["sqlite", "memory"])),
        .value("nats", "URL[,URL]", "refused: channels in NATS are in no file", environment: true),
    ]

    static let all = [config] + places

    static let quiet = CommandSyntax.Option.flag("quiet", "say nothing of how far it is")

    /// The path of the store's file.
    ///
    /// - Parameter words: The words of a command with these options.
    /// - Returns: The path, whether or not a file is there.
    /// - Throws: `UsageError` where the words, the environment or the settings file say that the channels are elsewhere.
    static func file(_ words: CommandWords) throws(UsageError) -> String {
        try file(words, try ConfigFile(words, defaults: .usual))
    }

    /// The path of the file of the audit, which each broker keeps for itself wherever the channels are.
    static func ownFile(_ words: CommandWords) throws(UsageError) -> String {
        let settings = try ConfigFile(words, defaults: .usual)?.settings
        guard try ServeSettings.nats(words, nil) == nil, settings?.nats == nil else {
            return try ServeSettings.data(words, settings) + "/fanfare.db"
        }
        return try file(words)
    }

    /// The path of the store's file, the settings file being read.
    static func file(_ words: CommandWords, _ config: ConfigFile?) throws(UsageError) -> String {
        let settings = config?.settings
        let given = try ServeSettings.nats(words, nil)
        if given != nil || settings?.nats != nil {
            let place = words.source(of: "nats") ?? config?.place(of: "nats") ?? "nats"
            throw UsageError(
                "the channels are in NATS (\(place)), and this works on the file of a store in SQLite; nats stream backup copies streams, and what this broker keeps for itself is worked on with --data alone, without --config and --nats"
            )
        }
        if try ServeSettings.store(words, settings) == .memory {
            let place = words.source(of: "store") ?? config?.place(of: "store.kind") ?? "store"
            throw UsageError("the channels are in memory (\(place)), and this works on the file of a store in SQLite")
        }
        return try ServeSettings.data(words, settings) + "/fanfare.db"
    }
}

/// Whether there is a folder at a path.
func isFolder(_ path: String) -> Bool {
    FileKind.at(path) == .other("a folder")
}

/// Says on standard error how far something is, at most once a second, and what came of it.
final class ProgressLine {
    private let name: String
    private let isQuiet: Bool
    private var next = MonotonicTime.now + .seconds(1)

    init(_ name: String, isQuiet: Bool) {
        self.name = name
        self.isQuiet = isQuiet
    }

    func tell(_ words: @autoclosure () -> String) {
        guard !isQuiet, MonotonicTime.now >= next else { return }
        next = .now + .seconds(1)
        complain("\(name): \(words())", .info)
    }

    func end(_ words: String) {
        if !isQuiet { complain("\(name): \(words)", .info) }
    }
}
