import Reactions
import Storage
import Transport
import Wire

// Which channels are in memory.
extension Hub {
    /// How many channels are in memory here.
    var channelCount: Int { residents.count }

    /// Whether a channel could leave memory, or is not there.
    func isIdle(channel name: String) -> Bool {
        residents[name].map { resident in resident.channel.onLoop { $0.isIdle } } ?? true
    }

    /// How many channels are looked at to make room for one.
    private static let looksForRoom = 32

    /// Sees to it that another channel may come into memory: each hub has its part of the bound.
    ///
    /// Every request that needs room looks at a few channels, so that one that has become idle is found without looking at
    /// all of them again and again.
    func makeRoom() throws(RequestRefusal) {
        let most = max(1, settings.limits.channels / max(1, hubs.count))
        guard residents.count >= most else { return }
        if candidates.isEmpty { candidates = Array(residents.keys) }
        for _ in 0..<Self.looksForRoom where residents.count >= most {
            guard let name = candidates.popLast() else { break }
            if let resident = residents[name] { letGo(resident, name, unusedFor: .zero) }
        }
        guard residents.count >= most else { return }
        metrics.limits.count(.channels)
        throw RequestRefusal(.unavailable, "too many channels are in use; try later")
    }

    /// How many records of this hub the store has not been given yet, or gave back.
    var heldRecords: Int {
        residents.values.reduce(writes.reduce(0) { $0 + $1.records.count }) { sum, resident in
            sum + resident.channel.onLoop { $0.heldRecords }
        }
    }

    /// Looks through the channels from time to time.
    func scheduleSweep() {
        loop.schedule(
            Alarm { [unowned self] in
                sweepChannels()
                scheduleSweep()
            }, after: .seconds(60))
    }

    /// Lets channels that nobody has used for some time leave memory, and forgets old keys.
    func sweepChannels() {
        unsafe compressor.rest()
        candidates = []
        let now = now
        for (name, resident) in residents {
            resident.channel.onLoop { $0.forgetKeys(now: now) }
            letGo(resident, name, unusedFor: .seconds(settings.namespace(of: name)?.historySeconds ?? 0))
        }
    }

    /// Lets a channel leave memory where nothing needs it.
    private func letGo(_ resident: Resident, _ name: String, unusedFor rest: Duration) {
        if resident.channel.onLoop({ $0.isIdle }), !resident.isMarked, !resident.isBeingRead,
            resident.usedAt + rest < loop.now
        {
            residents[name] = nil
            sharedLog?.unfollow(name)
        }
    }
}
