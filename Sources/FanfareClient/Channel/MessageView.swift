public import Reactions

/// One message's counts, as far as a client has heard.
public struct MessageView: Sendable, Equatable {
    /// The message, `""` for the channel itself.
    public let message: String
    /// The seq of the newest change heard of.
    public private(set) var seq: UInt64
    /// The sum of all groups' counts.
    public private(set) var total: UInt64 = 0
    /// Whether the message was deleted.
    public private(set) var isDeleted = false
    private var slots: [Slot] = []
    /// Changes of groups without a slot count only above this seq.
    private var floor: UInt64

    /// A group's numbers and the seq they are of; a group that is gone stays for a while, so that an old event does not
    /// bring it back.
    private struct Slot: Sendable, Equatable {
        var numbers: GroupCount
        var seq: UInt64
    }

    /// How many groups that are gone a message remembers.
    private static let maxGone = 64

    /// Makes a bare message of which nothing up to a seq is news.
    init(_ message: String, floor: UInt64) {
        self.message = message
        self.floor = floor
        seq = floor
    }

    /// Makes the view that a summary shows as of a seq.
    init(_ summary: Summary, seq: UInt64) {
        self.init(summary.message, floor: seq)
        total = summary.total
        isDeleted = summary.isDeleted
        slots = summary.groups.map { group in
            Slot(numbers: GroupCount(reaction: group.reaction, count: group.count, users: group.users), seq: seq)
        }
    }

    /// The groups that are there, in order of first use.
    public var groups: [GroupCount] {
        slots.lazy.filter { $0.numbers.count > 0 }.map(\.numbers)
    }

    /// Applies what a change or a summary says as of a seq.
    ///
    /// - Returns: Whether anything of it was news.
    mutating func apply(_ groups: [GroupCount], total: UInt64, isDeletion: Bool, seq: UInt64) -> Bool {
        if isDeletion { return delete(seq: seq) }
        guard !isDeleted else { return false }
        var isNews = false
        for numbers in groups where update(numbers, seq: seq) { isNews = true }
        if seq > self.seq {
            self.seq = seq
            self.total = total
            isNews = true
        }
        return isNews
    }

    private mutating func update(_ numbers: GroupCount, seq: UInt64) -> Bool {
        let place = slots.firstIndex { $0.numbers.reaction == numbers.reaction }
        guard seq > place.map({ slots[$0].seq }) ?? floor else { return false }
        let slot = Slot(numbers: numbers, seq: seq)
        guard let place else {
            slots.append(slot)
            forgetGone()
            return true
        }
        if slots[place].numbers.count == 0 {
            // A group that was empty starts anew at the end.
            slots.remove(at: place)
            slots.append(slot)
        } else {
            slots[place] = slot
        }
        return true
    }

    private mutating func delete(seq: UInt64) -> Bool {
        guard !isDeleted else { return false }
        isDeleted = true
        self.seq = max(self.seq, seq)
        total = 0
        slots = []
        return true
    }

    private mutating func forgetGone() {
        let gone = slots.lazy.filter { $0.numbers.count == 0 }
        guard gone.count > Self.maxGone else { return }
        floor = gone.map(\.seq).reduce(floor, max)
        slots.removeAll { $0.numbers.count == 0 }
    }
}
