import Broker
import CommandOptions
import Server
import Transport

/// `fanfare check`: says which settings are in force and where each comes from, without serving.
enum CheckCommand: Command {
    static let takesSignals = false

    static let options = CommandSyntax(
        name: "fanfare check", summary: "Checks the settings, and says what is in force and from where.",
        options: ServeOptions.all,
        examples: [
            .init("fanfare check --config settings.json", "judges a settings file before serve or SIGHUP takes it"),
            .init("fanfare check --dev", "shows what development mode comes to"),
        ])

    static func run(_ words: [String]) -> Int32 {
        run(words, variables: options.environmentNames) { words in
            let settings = try ServeSettings(words)
            try StandardOutput().write(SettingsReport(settings).text)
            // As the start judges them; addresses and the store are not tried, for a broker may be using them.
            try settings.checkServable()
            try settings.checkNATSFiles()
            // Listeners may have one certificate in common.
            var told: Set<String> = []
            for warning in try settings.warnings + settings.variableWarnings + settings.checkCertificates()
            where told.insert(warning).inserted {
                complain("warning: \(warning)", .warning)
            }
            return ExitCode.done
        }
    }
}
