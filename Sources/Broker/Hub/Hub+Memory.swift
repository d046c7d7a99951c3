import Reactions
import Transport
import Wire

// Which channels are in memory.
extension Hub {
    /// Sees to it that another channel may come into memory: each hub has its part of the bound.
    func makeRoom() throws(RequestRefusal) {
        let most = max(1, settings.limits.channels / max(1, hubs.count))
        guard residents.count >= most else { return }
        if loop.now >= madeRoom + .seconds(1) {
            madeRoom = loop.now
            sweepChannels(isUrgent: true)
        }
        guard residents.count >= most else { return }
        metrics.limits.count(.channels)
        throw RequestRefusal(.unavailable, "too many channels are in use; try later")
    }

    /// Lets channels that nobody has used for some time leave memory, and forgets old keys.
    func sweepChannels(isUrgent: Bool = false) {
        unsafe compressor.rest()
        let now = now
        for (name, resident) in residents {
            resident.channel.assumeIsolated { $0.forgetKeys(now: now) }
            let rest = isUrgent ? .zero : Duration.seconds(settings.namespace(of: name)?.historySeconds ?? 0)
            if isIdle(channel: name), !resident.isMarked, !resident.isBeingRead, resident.usedAt + rest < loop.now {
                residents[name] = nil
            }
        }
    }
}
