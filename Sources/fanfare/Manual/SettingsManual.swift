import CommandOptions

/// The manual page of the settings file, `fanfare-settings(5)`.
enum SettingsManual {
    static let page = Program.Page(
        "settings", section: 5, summary: "the settings file of the reaction broker Fanfare", body: { text })

    private static let example = """
        {
          "listen": [{"address": "127.0.0.1:8080"}],
          "data": "/var/lib/fanfare",
          "origins": ["https://example.org"],
          "namespaces": {
            "chat": {"policy": "distinct"},
            "live": {"policy": "ephemeral", "summary_interval_ms": 250}
          }
        }
        """

    private static var text: String {
        var page = ManualText()
        page.heading("Description")
        page.paragraph(
            "fanfare serve --config FILE, or FANFARE_CONFIG, names the file, which is JSON. All of it may be left out; a name "
                + "that is unknown, or a value that cannot be, stops the start with its line. An option wins over the "
                + "environment, that over the file, and that over the default. SIGHUP has the broker read the file again: "
                + "listen, data, store and nats need a restart. fanfare check shows what is in force, and from where.")
        page.paragraph(
            "A channel is NAMESPACE:NAME, and the namespace picks its settings; \"*\" stands for every namespace that is "
                + "not named. Without namespaces there is \"*\" with the defaults.")
        page.heading("Settings")
        page.paragraph("[] stands for each element of a list.")
        let defaults = self.defaults
        for setting in SettingHelp.all {
            let value = defaults[setting.reported].map { " (default \($0))" } ?? ""
            page.entry(setting.path, value: setting.form, setting.help + value)
        }
        page.heading("Examples")
        page.example(example)
        page.heading("Files")
        page.entry("/etc/fanfare/settings.json", "the settings of the service that packages install")
        return page.text
    }

    /// What is in force where nobody says anything, by the names of `fanfare check`.
    private static var defaults: [String: String] {
        guard let words = try? ServeCommand.options.parse([]), let settings = try? ServeSettings(words) else {
            return [:]
        }
        return SettingsReport(settings).values.filter { !["none", "never", "off"].contains($0.value) }
    }
}

extension SettingHelp {
    /// What `fanfare check` calls it.
    var reported: String {
        path.replacing("[]", with: "[0]").replacing("NAMESPACE", with: "*")
    }
}
