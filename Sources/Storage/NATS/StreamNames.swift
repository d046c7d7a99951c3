/// What the streams are called and made of, whichever lives they have.
struct StreamNames: Sendable {
    private let name: String
    /// The partitions, by number.
    let partitions: Range<Int>

    init(_ settings: NATSSettings) {
        name = settings.name
        partitions = 0..<max(1, settings.partitions)
    }

    /// The streams of the log.
    var logs: [String] { partitions.map(log) }

    /// The stream of a partition.
    func log(_ partition: Int) -> String { "\(name)-log-\(partition)" }

    /// The stream of snapshots and revocations.
    var state: String { "\(name)-state" }

    // MARK: Subjects, around the stream's life

    /// What stands before the life in all that a partition's stream takes, and what behind it.
    func logBegin(_ partition: Int) -> String { "\(name).log.\(partition)." }
    let logEnd = ".*"

    /// The same of the stream of snapshots.
    var stateBegin: String { "\(name).state." }
    let stateEnd = ".>"

    /// All that a partition's stream takes in one life.
    func logSource(_ partition: Int) -> (String) -> String {
        { [self] life in logBegin(partition) + life + logEnd }
    }

    /// Where a partition's stream tells what it takes, by channel.
    func told(_ partition: Int) -> (String) -> String {
        { [name] life in "\(name).channel.\(life).{{wildcard(1)}}.log" }
    }

    // MARK: How many there are

    private static let countBegin = "a partition of a log of Fanfare in "

    /// What stands in a partition's stream for people, and for brokers that begin.
    func description(_ partition: Int) -> String { Self.countBegin + String(partitions.count) }

    /// Into how many streams the log is divided that one of them belongs to; `nil`: it is no such stream.
    func partitionCount(in answer: StreamAnswer) -> Int? {
        answer.text(between: #""description":""# + Self.countBegin, and: "\"").flatMap { Int($0) }
    }
}
