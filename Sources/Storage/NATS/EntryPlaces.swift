import Locks

/// Where the entries of followed channels stand in the log, so that those behind a snapshot can be deleted one by one.
///
/// To purge a subject would be one request, but servers older than 2.9.15 go on counting what it frees, until their limit
/// for storage is reached and they take nothing any more (nats-server's pull request 3876).
final class EntryPlaces: Sendable {
    /// The places of one channel's entries, in order.
    final class Channel: Sendable {
        private struct State {
            var places: [UInt64] = []
            /// The last one that was told.
            var last: UInt64 = 0
            /// Behind which places, up to which, some were not told yet: NATS tells now and then one before another.
            var gaps: [(after: UInt64, through: UInt64)] = []

            mutating func note(_ place: UInt64, after previous: UInt64) {
                if previous < last {
                    if noteLate(place, after: previous) { return }
                    // What was there and is lost may be the place of something else now.
                    self = State()
                } else if previous > last, last > 0 {
                    if gaps.count == Channel.mostGaps { forgetUnproven() }
                    gaps.append((last, previous))
                }
                last = place
                places.append(place)
                if places.count > EntryPlaces.most { places.removeFirst(places.count / 2) }
            }

            private mutating func noteLate(_ place: UInt64, after previous: UInt64) -> Bool {
                guard let index = gaps.firstIndex(where: { $0.after < place && place <= $0.through }) else {
                    return false
                }
                let gap = gaps.remove(at: index)
                if place < gap.through { gaps.insert((place, gap.through), at: index) }
                if gap.after < previous { gaps.insert((gap.after, previous), at: index) }
                places.insert(place, at: (places.lastIndex { $0 < place } ?? -1) + 1)
                return true
            }

            /// Forgets what stands before something that was not told: each entry tells by the one before it that this is
            /// there still, and where NATS has lost what it had, others' entries stand in its place.
            mutating func forgetUnproven() {
                guard let gap = gaps.last else { return }
                places.removeFirst(places.firstIndex { $0 > gap.after } ?? places.count)
                gaps = []
            }
        }

        private static let mostGaps = 64

        private let state = Locked(State())

        /// Notes an entry that was told, and which one was before it.
        func note(_ place: UInt64, after previous: UInt64) {
            state.withLock { $0.note(place, after: previous) }
        }

        /// Takes those before a place that are known to be the channel's still, and forgets the others.
        func take(before end: UInt64) -> [UInt64] {
            state.withLock { state in
                state.forgetUnproven()
                let count = state.places.firstIndex { $0 >= end } ?? state.places.count
                defer { state.places.removeFirst(count) }
                return Array(state.places.prefix(count))
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
