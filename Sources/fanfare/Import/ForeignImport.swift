import Broker
import CommandOptions
import Foundation
import Reactions
import Storage
import Transport

/// `fanfare import --from`: the reactions of another system's export go into a store, in one transaction.
struct ForeignImport {
    static let options: [CommandSyntax.Option] = [
        .value(
            "from", "SYSTEM",
            "FILE is an export of slack, discord (DiscordChatExporter's JSON), zulip or mattermost: a file, or the unpacked folder",
            takes: .choice(ForeignSource.allCases.map(\.rawValue))),
        .value("into", "PREFIX", "with --from: what stands before each channel's id, such as chat: or chat:slack-"),
        .flag("dev", "with --from: the namespaces of development mode, as serve --dev has them"),
        .repeated("channel", "ID", "with --from: this channel of the export alone"),
        .value(
            "users", "FILE", "with --from: a JSON object, whose names are the export's users and whose values yours"),
        .value("user-prefix", "PREFIX", "with --from: what stands before the ids of users that --users does not name"),
        .flag("skip-refused", "with --from: leave out what the namespace refuses, instead of importing nothing"),
        .flag("dry-run", "with --from: judge everything and change nothing, even beside a broker that runs"),
    ]

    private let source: ForeignSource
    private let path: String
    private let file: String
    private let settings: HarvestImport.Settings
    private let wanted: [String]
    private let skipsRefused: Bool
    private let isDry: Bool
    private let progress: ProgressLine

    /// Takes the words; `nil` where no other system's export is meant.
    init?(_ words: CommandWords, _ progress: ProgressLine) throws(UsageError) {
        guard words.isGiven("from") else {
            let own = ["into", "channel", "users", "user-prefix", "skip-refused", "dry-run", "dev"]
            if let name = own.first(where: { words.isGiven($0) }) {
                throw UsageError("--\(name) goes with --from SYSTEM, which says whose export it is")
            }
            return nil
        }
        guard !words.flag("replace") else {
            throw UsageError(
                "--replace and --from exclude each other: what is there stays, and the export is added to it")
        }
        source = try words.choice("from")
        path = try words.text("FILE")
        guard path != "-" else { throw UsageError("with --from FILE is a file or a folder, not standard input") }
        let config = try ConfigFile(words, defaults: words.flag("dev") ? Namespace() : .usual)
        file = try DataOption.file(words, config)
        settings = try Self.settings(words, config)
        wanted = words.texts("channel")
        skipsRefused = words.flag("skip-refused")
        isDry = words.flag("dry-run")
        self.progress = progress
    }

    private static func settings(
        _ words: CommandWords, _ config: ConfigFile?
    ) throws(UsageError) -> HarvestImport.Settings {
        let prefix = try words.text("into")
        guard let colon = prefix.firstIndex(of: ":"), colon != prefix.startIndex,
            BrokerOptions.isName(prefix, upTo: 199)
        else {
            throw UsageError("--into begins with the namespace and a colon, such as chat:, not \"\(brief(prefix))\"")
        }
        let namespaces = ServeSettings.namespaces(config?.settings, isDevelopment: words.flag("dev"))
        let name = String(prefix[..<colon])
        guard let namespace = namespaces[name] ?? namespaces["*"] else {
            throw UsageError(
                "--into: the settings have no namespace \"\(name)\"; there are \(namespaces.keys.sorted().joined(separator: ", "))"
            )
        }
        if namespace.rules.policy == .ephemeral {
            throw UsageError("--into: the namespace \"\(name)\" is ephemeral: it keeps no reactions")
        }
        let userPrefix = words.textIfAny("user-prefix") ?? ""
        guard userPrefix.isEmpty || BrokerOptions.isName(userPrefix, upTo: 127) else {
            throw UsageError("--user-prefix is visible ASCII characters, not \"\(brief(userPrefix))\"")
        }
        return HarvestImport.Settings(
            rules: namespace.rules, channelPrefix: prefix, userPrefix: userPrefix, users: try users(words))
    }

    private static func users(_ words: CommandWords) throws(UsageError) -> [String: String] {
        guard let path = words.textIfAny("users") else { return [:] }
        var users: [String: String] = [:]
        do throws(ForeignFailure) {
            try ForeignFiles(path) { _ in }.json("") { (reader) throws(JSONReader.Fault) in
                try reader.object { (reader, name) throws(JSONReader.Fault) in
                    let place = reader
                    let user = try reader.string()
                    guard BrokerOptions.isName(user, upTo: 128) else {
                        throw place.fault("a user has 1 to 128 visible ASCII characters")
                    }
                    guard users.updateValue(user, forKey: name) == nil else {
                        throw place.fault("the user \(brief(name)) stands here for the second time")
                    }
                }
            }
        } catch {
            throw UsageError("--users: \(error.place): \(error.words)")
        }
        return users
    }

    /// Reads the export and adds it.
    ///
    /// - Parameter end: Hears whether it is to end before it is done.
    /// - Returns: The exit code; what happened is said on standard error.
    func run(_ end: EndRequest) -> Int32 {
        do {
            var harvest = Harvest(wanted: Set(wanted))
            try source.read(path, into: &harvest) { progress.tell("reading \($0)") }
            if let problem = problem(of: harvest) {
                complain("fanfare import: \(problem); nothing was imported")
                return ExitCode.failed
            }
            return tell(try isDry ? judge(harvest) : add(harvest, end))
        } catch is Ended {
            return end.finish()
        } catch let error as ForeignFailure {
            complain("fanfare import: \(error.place): \(error.words); nothing was imported")
        } catch let error as StoreError {
            complain("fanfare import: \(error.reason); nothing was imported")
        } catch {
            complain("fanfare import: \(error); nothing was imported")
        }
        return ExitCode.failed
    }

    /// Somebody wanted it to end.
    private struct Ended: Error {}

    /// Why these reactions cannot be imported at all.
    private func problem(of harvest: Harvest) -> String? {
        if harvest.isTooMuch {
            return "there are more than \(Harvest.maxCount) reactions; take some of the channels at a time (--channel)"
        }
        if let missing = harvest.missing.first { return "the export has no channel \(brief(missing))" }
        let names = harvest.channels.lazy.map { settings.channelPrefix + $0.id }
        return names.first { !BrokerOptions.isName($0, upTo: 200) }.map {
            "\"\(brief($0))\" cannot be a channel: 1 to 200 visible ASCII characters"
        }
    }

    private func add(_ harvest: Harvest, _ end: EndRequest) throws -> HarvestImport.Outcome {
        end.beginChanging()
        let store = try StoreMerge(file: file)
        var work = HarvestImport(harvest, settings)
        for channel in harvest.channels {
            let name = work.name(of: channel)
            tellProgress(work, of: harvest)
            try work.add(channel, to: try store.read(name)) { seq, records in
                if end.isMade { throw Ended() }
                try store.write(name, seq: seq, records)
                progress.tell("\(name) is at \(seq)")
            }
        }
        guard end.beDone() else { throw Ended() }
        if skipsRefused || work.outcome.refusals.isEmpty { try store.finish() }
        return work.outcome
    }

    /// Does as ``add(_:_:)`` does, with what the store has read beside whoever uses it.
    private func judge(_ harvest: Harvest) throws -> HarvestImport.Outcome {
        let store = FileManager.default.fileExists(atPath: file) ? try StoreSnapshot(file: file) : nil
        var work = HarvestImport(harvest, settings)
        for channel in harvest.channels {
            tellProgress(work, of: harvest)
            let image = try store?.read(work.name(of: channel))
            try work.add(channel, to: image ?? ChannelImage()) { _, _ in }
        }
        return work.outcome
    }

    private func tellProgress(_ work: HarvestImport, of harvest: Harvest) {
        let outcome = work.outcome
        progress.tell(
            "channel \(outcome.channels) of \(harvest.channels.count), \(outcome.added + outcome.known) of \(counted(harvest.count, "reaction"))"
        )
    }

    /// Says what came of it; what was not taken is said in any case.
    private func tell(_ outcome: HarvestImport.Outcome) -> Int32 {
        let isDone = skipsRefused || outcome.refusals.isEmpty
        for refused in outcome.refused { complain("fanfare import: \(refused.line)", isDone ? .info : .error) }
        for (why, count) in outcome.refusals.sorted(by: { $0.key < $1.key }) {
            complain("fanfare import: \(count) refused: \(why)", isDone ? .info : .error)
        }
        if outcome.unnamed > 0 {
            complain(
                "fanfare import: \(outcome.unnamed) not taken: the export counts them and does not name who reacted",
                .warning)
        }
        guard isDone else {
            complain(
                "fanfare import: \(counted(outcome.refusalCount, "reaction")) refused; --skip-refused leaves out what is refused; nothing was imported"
            )
            return ExitCode.failed
        }
        let words = isDry ? "would be added, " : "added, "
        progress.end(
            "\(counted(outcome.channels, "channel")): \(counted(outcome.added, "reaction")) \(words)\(outcome.known) there already, \(outcome.refusalCount) left out"
        )
        return ExitCode.done
    }
}
