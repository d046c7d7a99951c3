import Wire

/// Where most happened at a hub since it was last asked, and who reads slowly; of several hubs the most of all.
struct HubActivity: Sendable {
    /// How many channels, messages and readers are told.
    static let most = 10

    var windowMilliseconds: Int64 = 0
    private(set) var channels: [BrokerStatus.Channel] = []
    private(set) var messages: [BrokerStatus.Message] = []
    private(set) var slowReaders: [BrokerStatus.SlowReader] = []

    /// Adds a channel, where it is one of the busiest.
    mutating func add(_ channel: BrokerStatus.Channel) {
        channels.keep(channel, HubActivity.most) {
            ($0.changes, $0.subscriptions, $1.channel) > ($1.changes, $1.subscriptions, $0.channel)
        }
    }

    /// Adds a message, where it is one of the busiest.
    mutating func add(_ message: BrokerStatus.Message) {
        messages.keep(message, HubActivity.most) { ($0.changes, $1.message) > ($1.changes, $0.message) }
    }

    /// Whether a reader for whom so much waits would be among those that are told.
    func tells(readerWith bytes: UInt64) -> Bool {
        slowReaders.count < HubActivity.most || (slowReaders.last.map { $0.waitingBytes < bytes } ?? true)
    }

    /// Adds a reader, where it is one of the slowest.
    mutating func add(_ reader: BrokerStatus.SlowReader) {
        slowReaders.keep(reader, HubActivity.most) { $0.waitingBytes > $1.waitingBytes }
    }

    static func += (sum: inout HubActivity, more: HubActivity) {
        sum.windowMilliseconds = max(sum.windowMilliseconds, more.windowMilliseconds)
        for channel in more.channels { sum.add(channel) }
        for message in more.messages { sum.add(message) }
        for reader in more.slowReaders { sum.add(reader) }
    }
}

extension Array {
    /// Puts an element in its place among those that are kept, and drops the last one where there are too many.
    fileprivate mutating func keep(_ element: Element, _ most: Int, _ comesBefore: (Element, Element) -> Bool) {
        if count == most, let last, !comesBefore(element, last) { return }
        let place = firstIndex { comesBefore(element, $0) } ?? endIndex
        insert(element, at: place)
        if count > most { removeLast() }
    }
}
