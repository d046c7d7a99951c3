import Broker
import CommandOptions
import Glibc
import Storage
import Transport

/// The options of every subcommand that works on the store's file.
enum DataOption {
    static let folder = CommandSyntax.Option.value(
        "data", "DIR", "the folder of the store's file, fanfare.db", default: "./data", environment: true)

    static let quiet = CommandSyntax.Option.flag("quiet", "say nothing of how far it is")

    /// The path of the store's file.
    static func file(_ words: CommandWords) throws(StoreError) -> String {
        guard let folder = words.textIfAny("data") else { throw .unavailable("there is no folder of data") }
        return folder + "/fanfare.db"
    }
}

/// Whether there is a folder at a path.
func isFolder(_ path: String) -> Bool {
    var status = stat()
    return unsafe stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
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
