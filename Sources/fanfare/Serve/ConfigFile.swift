import Broker
import CommandOptions
import Transport

/// The settings file that a command was given, read.
struct ConfigFile: Sendable {
    /// As it was given.
    var path: String
    var settings: SettingsFile

    /// Reads the file that the words name, with these defaults for namespaces; `nil` where they name none.
    init?(_ words: CommandWords, defaults: Namespace) throws(UsageError) {
        guard let path = words.textIfAny("config") else { return nil }
        self.path = path
        let bytes: [UInt8]
        do throws(RegularFile.Failure) { bytes = try RegularFile.bytes(at: path) } catch {
            throw UsageError("the settings file '\(path)' cannot be read: \(error)")
        }
        do throws(SettingsError) {
            settings = try SettingsFile(bytes, defaults: defaults)
        } catch {
            throw UsageError("\(path):\(error.line): \(error.reason)\(error.hint)")
        }
    }

    /// Where a setting stands, `settings.json:7`; `nil` where the file does not have it.
    func place(of setting: String) -> String? {
        settings.line(of: setting).map { "\(path):\($0)" }
    }
}

extension SettingsError {
    /// What was meant.
    fileprivate var hint: String {
        guard let unknown else { return "" }
        if let near = nearest(to: unknown, among: known) { return "; did you mean \"\(near)\"?" }
        // The reason for a wrong choice lists them already.
        return isChoice ? "" : "; there are \(known.joined(separator: ", "))"
    }
}
