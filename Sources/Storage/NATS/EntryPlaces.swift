import Locks

/// Where the entries of followed channels stand in the log, so that those behind a snapshot can be deleted one by one.
///
/// To purge a subject would be one request, but servers older than 2.9.15 go on counting what it frees, until their limit
/// for storage is reached and they take nothing any more (nats-server's pull request 3876).
final class EntryPlaces: Sendable {
    /// The places of one channel's entries.
    final class Channel: Sendable {
        private let places = Locked<[UInt64]>([])

        /// Notes an entry that was told, and which one was before it.
        func note(_ place: UInt64, after previous: UInt64) {
            places.withLock { places in
                // What was there and is lost may be the place of something else now.
                if let last = places.last, last > previous { places.removeAll() }
                places.append(place)
                if places.count > EntryPlaces.most { places.removeFirst(places.count / 2) }
            }
        }

        /// Takes those before a place.
        func take(before end: UInt64) -> [UInt64] {
            places.withLock { places in
                let taken = places.filter { $0 < end }
                places.removeAll { $0 < end }
                return taken
            }
        }
    }

    /// How many are kept of a channel whose snapshots others write; the rest is found by reading.
    static let most = 32_768

    private let channels = Locked<[String: Channel]>([:])

    /// Begins to note those of a channel.
    func begin(_ channel: String) -> Channel {
        let places = Channel()
        channels.withLock { $0[channel] = places }
        return places
    }

    /// Forgets those of a channel.
    func end(_ channel: String) {
        channels.withLock { $0[channel] = nil }
    }

    /// Takes those of a channel that are known and stand before a place.
    func take(_ channel: String, before end: UInt64) -> [UInt64] {
        channels.withLock { $0[channel] }?.take(before: end) ?? []
    }
}
