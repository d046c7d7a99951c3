public import Reactions
public import Wire

/// A channel's counts, message by message, as far as a client has heard: a pure value.
///
/// All numbers that a broker sends are absolute, so applying the same event twice, or an older one after a newer one,
/// changes nothing: each group keeps the numbers of the highest seq heard.
public struct ChannelView: Sendable, Equatable {
    /// How many messages are kept; past it, those with the oldest changes are forgotten.
    public static let maxMessages = 10_000

    /// The highest seq heard.
    public private(set) var seq: UInt64 = 0
    /// Whether the channel is frozen.
    public var isFrozen = false
    /// Whether every message with a reaction is here; a whole channel's snapshot holds the 100 changed last.
    public private(set) var isComplete = false
    private var messages: [String: MessageView] = [:]
    /// Changes of messages that are not kept count only above this seq.
    private var floor: UInt64 = 0
    /// The place of messages in the snapshot, which is newest change first; they all have its seq.
    private var ranks: [String: Int] = [:]

    /// Makes an empty view, of a fresh channel.
    public init() {}

    /// Makes the view that a broker's snapshot shows.
    ///
    /// - Parameters:
    ///   - summaries: The messages.
    ///   - seq: What they are as of.
    ///   - isComplete: Whether there are no others.
    ///   - isFrozen: Whether the channel is frozen.
    public init(_ summaries: [Summary], seq: UInt64, isComplete: Bool, isFrozen: Bool = false) {
        self.seq = seq
        self.isFrozen = isFrozen
        self.isComplete = isComplete
        floor = seq
        for (order, summary) in summaries.enumerated() where order < Self.maxMessages {
            messages[summary.message] = MessageView(summary, seq: seq)
            ranks[summary.message] = order
        }
    }

    /// One message's counts; `nil` where nothing is known of it, which in a complete view means that it is bare.
    public subscript(message: String) -> MessageView? { messages[message] }

    /// How many messages are known.
    public var count: Int { messages.count }

    /// The messages with the newest change first.
    ///
    /// - Complexity: O(n log n) in the number of messages.
    public var newestFirst: [MessageView] {
        messages.values.sorted { left, right in
            if left.seq != right.seq { return left.seq > right.seq }
            let ranks = (ranks[left.message] ?? .max, ranks[right.message] ?? .max)
            return ranks.0 != ranks.1 ? ranks.0 < ranks.1 : left.message < right.message
        }
    }

    /// Applies one event.
    ///
    /// - Returns: Whether anything of it was news.
    @discardableResult
    public mutating func apply(_ change: Change) -> Bool {
        let isDeletion = if case .cleared(_, _, _, _, _, let isDeletion) = change.kind { isDeletion } else { false }
        return apply(
            change.kind.groups, to: change.message, total: change.total, isDeletion: isDeletion, seq: change.seq)
    }

    /// Applies one summary.
    ///
    /// - Parameters:
    ///   - deltas: The groups that changed, message by message.
    ///   - seq: What they are as of.
    /// - Returns: Whether anything of it was news.
    @discardableResult
    public mutating func apply(_ deltas: [SummaryDelta], seq: UInt64) -> Bool {
        var isNews = false
        for delta in deltas {
            let applied = apply(
                delta.groups, to: delta.message, total: delta.total, isDeletion: delta.isDeleted, seq: seq)
            isNews = isNews || applied
        }
        return isNews
    }

    private mutating func apply(
        _ groups: [GroupCount], to message: String, total: UInt64, isDeletion: Bool, seq: UInt64
    ) -> Bool {
        self.seq = max(self.seq, seq)
        if let isNews = messages[message]?.apply(groups, total: total, isDeletion: isDeletion, seq: seq) {
            return isNews
        }
        guard seq > floor else { return false }
        if messages.count >= Self.maxMessages { forgetOldest() }
        var view = MessageView(message, floor: floor)
        let isNews = view.apply(groups, total: total, isDeletion: isDeletion, seq: seq)
        messages[message] = view
        return isNews
    }

    /// Forgets the tenth with the oldest changes, so that a full view does not search at each event.
    private mutating func forgetOldest() {
        for oldest in newestFirst.suffix(Self.maxMessages / 10) {
            messages[oldest.message] = nil
            ranks[oldest.message] = nil
        }
        isComplete = false
    }
}

extension Change.Kind {
    /// The groups whose numbers the change tells.
    var groups: [GroupCount] {
        switch self {
        case .added(let group, _, _), .removed(let group, _), .updated(let group, _): [group]
        case .replaced(let group, let previous, _): [previous, group]
        case .cleared(let groups, _, _, _, _, _): groups
        }
    }
}
