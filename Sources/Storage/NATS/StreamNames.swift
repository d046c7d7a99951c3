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

    // MARK: Subjects

    /// What stands before a stream's life in the subjects of a partition.
    func logBegin(_ partition: Int) -> String { "\(name).log.\(partition)." }

    /// Where a partition's stream tells what it takes, by channel.
    func told(in life: String) -> String { "\(name).channel.\(life).{{wildcard(1)}}.log" }

    /// With what all that the stream of snapshots takes begins.
    var stateBegin: String { "\(name).state." }

    /// All that the stream of snapshots takes.
    var allState: String { stateBegin + ">" }

    /// Where it stands which broker makes streams.
    var maker: String { stateBegin + "maker" }

    /// Where brokers put what tells them the servers' time.
    var clock: String { stateBegin + "clock" }

    // MARK: How many there are

    private static let countBegin = "a partition of a log of Fanfare in "

    /// What stands in a partition's stream for people, and for brokers that begin.
    var description: String { Self.countBegin + String(partitions.count) }

    /// Into how many streams the log is divided that one of them belongs to; `nil`: it is no such stream.
    func partitionCount(in answer: StreamAnswer) -> Int? {
        answer.text(between: #""description":""# + Self.countBegin, and: "\"").flatMap { Int($0) }
    }
}
