import CommandOptions
import Glibc
import Transport
import Wire

/// The command `fanfare`: its first word picks one of ``commands``.
@main
struct Main {
    static func main() {
        keepStandardDescriptors()
        ignoreFileSizeSignal()
        exit(run(Array(CommandLine.arguments.dropFirst())))
    }

    private static func run(_ words: [String]) -> Int32 {
        let set = CommandSet(
            name: "fanfare", summary: "Fanfare, a real-time reaction broker: people react, everyone sees it at once.",
            commands: commands.map { $0.options }, version: ReleaseVersion.current, date: ReleaseVersion.date,
            pages: [SettingsManual.page])
        do {
            switch try set.select(words) {
            case .print(let text):
                try StandardOutput().write(text)
                return ExitCode.done
            case .command(let name, let words):
                return run(name, words)
            }
        } catch let error as UsageError {
            complain("fanfare: \(error.message)")
            return ExitCode.wrongWords
        } catch {
            complain("fanfare: \(error)")
            return ExitCode.failed
        }
    }

    private static func run(_ name: String, _ words: [String]) -> Int32 {
        guard let command = commands.first(where: { $0.options.name == "fanfare \(name)" }) else {
            return ExitCode.wrongWords
        }
        // Before the first thread, which the others inherit it from.
        if command.takesSignals { blockSignals([SIGINT, SIGTERM, SIGHUP]) }
        return command.run(words)
    }
}

/// The subcommands, in the order of the help text.
let commands: [any Command.Type] = [
    ServeCommand.self,
    CheckCommand.self,
    WatchCommand.self,
    ReactCommand.self,
    TokenCommand.self,
    RevokeCommand.self,
    AuditCommand.self,
    TopCommand.self,
    BackupCommand.self,
    CheckDataCommand.self,
    ExportCommand.self,
    ImportCommand.self,
]
