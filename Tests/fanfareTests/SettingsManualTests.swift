import Broker
import CommandOptions
import Testing

@testable import fanfare

/// The manual of the settings file against the reader of the file.
@Suite struct SettingsManualTests {
    /// What must stand somewhere for the reader to look at the rest.
    private static let required = [
        "listen[]": #""address": "127.0.0.1:1", "#, "tls": #""cert": "c", "key": "k", "#,
    ]

    /// The names that may stand at a place of the file, by the error of one that may not; `nil`: no object stands there.
    private func names(at path: String) -> [String]? {
        var text = #"{"no such setting": 1}"#
        for part in path.split(separator: ".").reversed() {
            let isList = part.hasSuffix("[]")
            text = "{" + Self.required[String(part), default: ""] + text.dropFirst()
            text = #"{"\#(isList ? part.dropLast(2) : part)": \#(isList ? "[\(text)]" : text)}"#
        }
        do throws(SettingsError) {
            _ = try SettingsFile(Array(text.utf8), defaults: .usual)
            return nil
        } catch {
            return error.unknown == "no such setting" ? error.known : nil
        }
    }

    /// All settings that the reader knows, by asking it at each name that it gives for the names below.
    private func known(below path: String = "") -> Set<String> {
        if path == "namespaces" { return known(below: "namespaces.NAMESPACE") }
        var all: Set<String> = []
        for name in names(at: path) ?? [] {
            let place = path.isEmpty ? name : path + "." + name
            if place == "namespaces" || names(at: place) != nil {
                all.formUnion(known(below: place))
            } else if names(at: place + "[]") != nil {
                all.formUnion(known(below: place + "[]"))
            } else {
                all.insert(place)
            }
        }
        return all
    }

    @Test("it explains each setting that the file may have, once, and no other")
    func complete() {
        let known = known()
        #expect(known.contains("namespaces.NAMESPACE.hooks.react.cache_ms_max"), "the search does not find all")
        let explained = SettingHelp.all.map(\.path)
        #expect(Set(explained) == known)
        #expect(explained.count == Set(explained).count)
    }

    @Test(
        "it says what is in force where nobody says anything",
        arguments: [
            "\\fBdata\\fR \\fIDIR\\fR\nthe folder of the store\\(aqs file, fanfare.db (default ./data)\n",
            "\\fBlimits.stall_ms\\fR \\fI100 to 3600000\\fR\nin which a reader takes nothing of what waits, in milliseconds (default 30000)\n",
            "\\fBdrain.within_ms\\fR \\fImilliseconds\\fR\nhow long connections have to get their answers and to end (default 10000)\n",
        ])
    func defaults(entry: String) throws {
        let set = CommandSet(
            name: "fanfare", summary: "A broker.", commands: [ServeCommand.options], version: "1", date: "2026-11-30",
            pages: [SettingsManual.page])
        guard case .print(let text) = try set.select(["help", "--man", "settings"]) else {
            Issue.record("nothing to print")
            return
        }
        #expect(text.contains(".TP\n" + entry))
    }
}
