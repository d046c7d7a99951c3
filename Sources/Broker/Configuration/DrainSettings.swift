/// How a broker stops (`drain`).
public struct DrainSettings: Sendable, Equatable {
    /// For how long it says that it is not ready before anything ends, in milliseconds, 0–600,000 (`notice_ms`).
    public var noticeMilliseconds: Int
    /// How long connections have then to get their answers and to end, in milliseconds, 100–600,000 (`within_ms`).
    ///
    /// Requests under way are waited for during the first half of it.
    public var withinMilliseconds: Int
    /// Within how many milliseconds clients are asked to come back, each at a moment of its own, 0–600,000 (`spread_ms`).
    public var spreadMilliseconds: Int

    /// Makes settings.
    public init(
        noticeMilliseconds: Int = 0, withinMilliseconds: Int = 10_000, spreadMilliseconds: Int = 5_000
    ) {
        self.noticeMilliseconds = noticeMilliseconds
        self.withinMilliseconds = withinMilliseconds
        self.spreadMilliseconds = spreadMilliseconds
    }

    /// What `noticeMilliseconds` and `spreadMilliseconds` may be.
    public static let pauseRange = 0...600_000
    /// What `withinMilliseconds` may be.
    public static let withinRange = 100...600_000
}

extension DrainSettings {
    /// Reads the object of a settings file.
    init(_ entry: SettingsObject.Entry, lines: inout [String: Int]) throws(SettingsError) {
        self.init()
        let object = try entry.object(["notice_ms", "within_ms", "spread_ms"], lines: &lines)
        if let entry = object["notice_ms"] { noticeMilliseconds = try entry.whole(in: Self.pauseRange) }
        if let entry = object["within_ms"] { withinMilliseconds = try entry.whole(in: Self.withinRange) }
        if let entry = object["spread_ms"] { spreadMilliseconds = try entry.whole(in: Self.pauseRange) }
    }
}
