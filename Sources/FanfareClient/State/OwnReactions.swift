import Reactions

/// What a user has on one message: reactions with their counts, in the order in which they were given.
struct OwnReactions: Sendable, Equatable {
    /// What a count is cut to, so that no sum of a message's can overflow.
    static let maxCount = 1 << 32

    private(set) var list: [OwnReaction] = []
    private var places: [Reactions.Reaction: Int] = [:]

    init() {}

    /// Takes over what a broker says; one named twice counts once.
    init(_ own: [OwnReaction]) {
        for one in own { self[one.reaction] = Int(clamping: one.count) }
    }

    var reactions: [Reactions.Reaction] { list.map(\.reaction) }

    var isEmpty: Bool { list.isEmpty }

    func contains(_ reaction: Reactions.Reaction) -> Bool { self[reaction] > 0 }

    /// How many of a reaction; 0: it is not there.
    ///
    /// A new one goes to the end, one that is there keeps its place.
    subscript(reaction: Reactions.Reaction) -> Int {
        get { places[reaction].map { Int(clamping: list[$0].count) } ?? 0 }
        set {
            let count = UInt64(min(max(newValue, 0), Self.maxCount))
            switch (places[reaction], count) {
            case (let place?, 0): remove(at: place)
            case (let place?, _): list[place].count = count
            case (nil, 0): break
            case (nil, _):
                places[reaction] = list.count
                list.append(OwnReaction(reaction: reaction, count: count))
            }
        }
    }

    private mutating func remove(at place: Int) {
        places[list.remove(at: place).reaction] = nil
        for later in place..<list.count { places[list[later].reaction] = later }
    }
}
