/// Which badges a message shows, and how many are behind the last one, `+N`.
///
/// Up to a limit all are shown; beyond it one fewer, since `+N` takes a place.
public struct BadgeSplit<Badge: Sendable>: Sendable {
    /// How many badges a message shows where nobody has said otherwise.
    public static var defaultLimit: Int { 5 }

    /// The badges to show, newest first as they were given.
    public let shown: [Badge]
    /// The badges behind `+N`; none where all are shown.
    public let hidden: [Badge]

    /// Splits badges.
    ///
    /// - Parameters:
    ///   - badges: All badges, newest first.
    ///   - limit: How many places there are; below 1 counts as 1.
    public init(_ badges: [Badge], limit: Int = BadgeSplit.defaultLimit) {
        let places = max(limit, 1)
        let count = badges.count <= places ? badges.count : places - 1
        shown = Array(badges[..<count])
        hidden = Array(badges[count...])
    }

    /// What stands on the overflow badge, such as `+3`; `nil` where there is none.
    public var overflow: String? { hidden.isEmpty ? nil : "+\(hidden.count)" }
}

extension BadgeSplit: Equatable where Badge: Equatable {}

extension BadgeSplit where Badge == ReactionGroup {
    /// Whether one of the person's own is behind `+N`, which is then tinted.
    public var hidesOwn: Bool { hidden.contains(where: \.isOwn) }
}

/// How a bar of reactions comes up: they pop in one after the other, as a wave.
public enum PopIn {
    /// How long the reaction at an index waits, in seconds: 0.03 for each before it, 0.18 at most.
    public static func delay(at index: Int) -> Double {
        min(Double(max(index, 0)) * 0.03, 0.18)
    }
}
