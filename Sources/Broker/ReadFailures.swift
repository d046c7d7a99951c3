import Transport

/// Whether channels can be read from one part of what keeps them, judged by the reads that failed lately.
///
/// That a channel cannot be read is that channel's own, as where a page of a large file is damaged. It is that of all
/// where several channels in a row cannot be read, or where not even a channel can that was never there.
struct ReadFailures: Sendable {
    /// How many different channels in a row say that it is not theirs.
    static let most = 3
    /// How far apart they may be.
    static let pause = Duration.seconds(60)
    /// How long a failure counts where nothing was tried since: that is how others come back to find out.
    static let memory = Duration.seconds(10)

    private var channels: Set<String> = []
    private var failedAt: MonotonicTime?
    private var lookFailedAt: MonotonicTime?

    /// A channel could not be read.
    mutating func failed(_ channel: String, at time: MonotonicTime) {
        if let failedAt, failedAt + Self.pause < time { channels = [] }
        failedAt = time
        if channels.count < Self.most { channels.insert(channel) }
    }

    /// A channel that was never there was asked for.
    mutating func looked(isReadable: Bool, at time: MonotonicTime) {
        lookFailedAt = isReadable ? nil : time
    }

    /// Whether nothing is left of what failed.
    var isEmpty: Bool { channels.isEmpty && lookFailedAt == nil }

    /// Whether channels may not be expected to be read.
    func areOfAll(at time: MonotonicTime) -> Bool {
        if let lookFailedAt, lookFailedAt + Self.memory >= time { return true }
        guard let failedAt, failedAt + Self.memory >= time else { return false }
        return channels.count >= Self.most
    }
}
