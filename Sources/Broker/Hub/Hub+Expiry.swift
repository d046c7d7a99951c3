import Storage
import Transport

// Channels that nobody has changed for so long that their namespace lets them go.
extension Hub {
    /// How long the store is left alone between two searches.
    private static let expiryInterval = 600
    /// How many seconds older than an interval channels may grow in one: a day an hour.
    private static let catchingUp = 86_400 * expiryInterval / 3_600

    /// Has the store looked through, now and from time to time; one hub does so for all.
    func scheduleExpiry() {
        followClock(byAtMost: 0)
    }

    private func followClock(byAtMost most: Int) {
        guard index == 0 else { return }
        let inbox = hubs[index]
        store.follow(clock: now / 1_000, byAtMost: Int64(most)) { inbox.post(.timed($0)) }
        loop.schedule(
            Alarm { [unowned self] in followClock(byAtMost: Self.expiryInterval + Self.catchingUp) },
            after: .seconds(Self.expiryInterval))
    }

    /// Goes by the time of the store from here on.
    func timed(_ result: Result<Int64, StoreError>) {
        do throws(StoreError) { storeTime = try result.get() } catch {
            return log.say(.error, .store, "the store could not follow the clock: \(error.reason)")
        }
        let days = (now / 1_000 - storeTime) / 86_400
        if days > 0, !isClockAhead {
            log.warning(
                "the clock is \(counted(days, "day")) ahead of when this store was last in use: channels grow old by a day an hour until that is made up for; set the clock if it is wrong"
            )
        }
        isClockAhead = days > 0
        lookForAged(after: 0)
    }

    private func lookForAged(after place: Int64) {
        let days = settings.namespaces.values.compactMap(\.expiryDays)
        guard let fewest = days.min() else { return }
        let inbox = hubs[index]
        store.agedChannels(AgedChannels.Query(unchangedSince: moment(before: fewest), after: place)) {
            inbox.post(.aged($0))
        }
    }

    /// The moment so many days ago, in Unix seconds.
    private func moment(before days: Int) -> Int64 { storeTime - Int64(days) * 86_400 }

    /// Passes a page of old channels on to the hubs on which they would live.
    func aged(_ result: Result<AgedChannels, StoreError>) {
        let page: AgedChannels
        do throws(StoreError) { page = try result.get() } catch {
            return log.say(.error, .store, "the store could not be looked through for old channels: \(error.reason)")
        }
        var expired: [Int: [Int: [String]]] = [:]
        for channel in page.channels {
            guard let days = settings.namespace(of: channel.name)?.expiryDays,
                channel.changed <= moment(before: days)
            else { continue }
            expired[home(of: channel.name, among: hubs.count), default: [:]][days, default: []].append(channel.name)
        }
        for (hub, byAge) in expired {
            for (days, channels) in byAge { hubs[hub].post(.expire(channels, unchangedSince: moment(before: days))) }
        }
        if let next = page.next { lookForAged(after: next) }
    }

    /// Has the store let go of those channels that are not in memory: whoever asks for one from here on gets what is left.
    func expire(_ channels: [String], unchangedSince moment: Int64) {
        let unused = channels.filter { residents[$0] == nil }
        guard !unused.isEmpty else { return }
        let inbox = hubs[index]
        store.expire(unused, unchangedSince: moment) { inbox.post(.expired($0)) }
    }

    /// Counts what the store has let go.
    func expired(_ result: Result<Int, StoreError>) {
        switch result {
        case .success(let count): metrics.expired += UInt64(count)
        case .failure(let error):
            log.say(.error, .store, "the store could not let go of old channels: \(error.reason)")
        }
    }
}
