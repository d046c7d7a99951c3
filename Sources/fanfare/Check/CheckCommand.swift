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
            StandardOutput().write(SettingsReport(settings).text)
            warn(of: settings)
            return ExitCode.done
        }
    }

    /// Tells what serve would stumble over although each setting is right by itself.
    private static func warn(of settings: ServeSettings) {
        do throws(UsageError) { try settings.checkServable() } catch {
            complain("warning: serve needs more than these settings: \(error.message)")
        }
        for warning in settings.warnings { complain("warning: \(warning)") }
        for certificate in settings.server.listen.compactMap(\.certificate) {
            do throws(TransportError) {
                _ = try TLSServerContext(certificateFile: certificate.certificateFile, keyFile: certificate.keyFile)
            } catch {
                complain("warning: \(error)")
            }
        }
    }
}
