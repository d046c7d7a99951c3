/// What is wrong with a settings file.
public struct SettingsError: Error, Sendable, Equatable {
    /// The line of the file, counted from 1.
    public var line: Int
    /// What is wrong, in words for a person.
    public var reason: String
    /// The word that is unknown, where one is.
    public var unknown: String?
    /// The words that are known in its place.
    public var known: [String]

    init(line: Int, _ reason: String, unknown: String? = nil, known: [String] = []) {
        self.line = line
        self.reason = reason
        self.unknown = unknown
        self.known = known
    }
}
