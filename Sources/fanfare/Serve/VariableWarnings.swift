import CommandOptions

/// Environment variables that are named as if they were Fanfare's, and are not: most often one that was meant is misspelt.
enum VariableWarnings {
    private static let prefix = "FANFARE_"

    /// The variables of Fanfare's that are no option of the commands.
    private static let others = ["FANFARE_URL", "FANFARE_TOKEN", "FANFARE_SERVER_KEY"]
    /// Those of its own tests, which start brokers.
    private static let ofTests = [
        "FANFARE_AUTOBAHN", "FANFARE_BIN_DIR", "FANFARE_FUZZ", "FANFARE_MEMORY_TIMES", "FANFARE_SANITIZER",
        "FANFARE_SEED", "FANFARE_SLOWER_TIMES", "FANFARE_URLSESSION", "FANFARE_WEB_DIR",
    ]

    /// One line for each of them.
    ///
    /// - Parameters:
    ///   - names: The variables that are set.
    ///   - secrets: Those that the settings file names.
    /// - Returns: The lines, in the order of the names.
    static func lines(for names: some Sequence<String>, secrets: Set<String> = []) -> [String] {
        let known = Set(commands.flatMap { $0.options.environmentNames } + others)
        let unknown = names.filter {
            $0.hasPrefix(prefix) && !known.contains($0) && !secrets.contains($0) && !ofTests.contains($0)
                && !isOfKubernetes($0)
        }
        return unknown.sorted().map { name in
            let near = nearest(to: withoutPrefix(name), among: known.map(withoutPrefix).sorted())
            let hint = near.map { "; did you mean \(prefix)\($0)?" } ?? ""
            return "the environment variable \(name) is none of Fanfare's, and does nothing\(hint)"
        }
    }

    private static func withoutPrefix(_ name: String) -> String { String(name.dropFirst(prefix.count)) }

    /// Whether it tells where a service called `fanfare` is, which Kubernetes puts into every container.
    private static func isOfKubernetes(_ name: String) -> Bool {
        let name = withoutPrefix(name)
        return name == "PORT" || name.hasPrefix("PORT_") || name.contains("SERVICE_HOST")
            || name.contains("SERVICE_PORT")
    }
}
