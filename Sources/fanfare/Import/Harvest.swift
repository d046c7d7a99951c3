/// The reactions that were read out of an export, by channel.
///
/// Names are kept once each, so that a reaction takes 24 bytes however often they come.
struct Harvest {
    /// A reaction as the export tells it.
    struct Given: Hashable {
        /// The emoji; `nil` for one of the export's own.
        var emoji: String?
        /// Its name there.
        var name: String
    }

    /// The place of a message.
    struct Message: Hashable {
        var id: String
        /// The file that has it, as a person finds it.
        var file: String
    }

    /// Who gave which reaction to which message, and when: numbers of the tables of the harvest.
    struct Entry {
        var message: Int32
        var reaction: Int32
        var user: Int32
        /// In Unix milliseconds.
        var at: Int64
    }

    /// A channel's reactions, in the order of the export.
    struct Channel {
        var id: String
        var entries: [Entry] = []
        /// How many reactions are counted without anybody's name.
        var unnamed: Int64 = 0
    }

    private(set) var channels: [Channel] = []
    private(set) var messages = Names<Message>()
    private(set) var reactions = Names<Given>()
    private(set) var users = Names<String>()
    /// How many reactions there are.
    private(set) var count = 0
    /// Whether there were more than it holds; what came then is not in it.
    private(set) var isTooMuch = false
    private var positions: [String: Int] = [:]
    private let wanted: Set<String>
    private let maxCount: Int

    /// How many reactions are held at most: with their names a few gigabytes.
    static let maxCount = 50_000_000

    /// Makes an empty one.
    ///
    /// - Parameters:
    ///   - wanted: The ids of the channels that are kept; empty: all.
    ///   - maxCount: How many reactions it holds.
    init(wanted: Set<String> = [], maxCount: Int = Harvest.maxCount) {
        self.wanted = wanted
        self.maxCount = maxCount
    }

    /// Whether a channel is kept.
    func isWanted(_ channel: String) -> Bool { wanted.isEmpty || wanted.contains(channel) }

    /// Those that were wanted and not found.
    var missing: [String] { wanted.filter { positions[$0] == nil }.sorted() }

    /// Notes that there is a channel.
    mutating func note(_ channel: String) {
        _ = position(of: channel)
    }

    /// Adds people's reactions to a message.
    ///
    /// - Parameters:
    ///   - given: The reaction.
    ///   - users: Who gave it; one named twice counts once.
    ///   - count: How many the export counts; `nil`: as many as there are users.
    ///   - message: The message.
    ///   - channel: The id of its channel.
    ///   - at: When, in Unix milliseconds.
    mutating func add(
        _ given: Given, by users: [String], count: Int64? = nil, to message: Message, in channel: String, at: Int64
    ) {
        guard let position = position(of: channel) else { return }
        if let count, count > users.count {
            channels[position].unnamed = channels[position].unnamed.addingUpToMost(count - Int64(users.count))
        }
        guard !users.isEmpty else { return }
        guard users.count <= maxCount - self.count else { return isTooMuch = true }
        self.count += users.count
        let reaction = reactions.number(of: given)
        let message = messages.number(of: message)
        for user in users {
            channels[position].entries.append(
                Entry(message: message, reaction: reaction, user: self.users.number(of: user), at: at))
        }
    }

    private mutating func position(of channel: String) -> Int? {
        guard isWanted(channel) else { return nil }
        if let position = positions[channel] { return position }
        positions[channel] = channels.count
        channels.append(Channel(id: channel))
        return channels.count - 1
    }
}

/// Values that are known by their number.
struct Names<Value: Hashable> {
    private(set) var values: [Value] = []
    private var numbers: [Value: Int32] = [:]

    subscript(number: Int32) -> Value { values[Int(number)] }

    mutating func number(of value: Value) -> Int32 {
        if let number = numbers[value] { return number }
        let number = Int32(clamping: values.count)
        numbers[value] = number
        values.append(value)
        return number
    }
}

extension Int64 {
    /// The sum, or the largest number where that is larger: what an export counts need not be true.
    func addingUpToMost(_ other: Int64) -> Int64 {
        let (sum, isOver) = addingReportingOverflow(other)
        return isOver ? .max : sum
    }
}
