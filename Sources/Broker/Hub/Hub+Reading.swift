import Reactions
import Storage
import Transport

// Channels that come into memory.
extension Hub {
    /// How long it takes until the store is looked at again that could not be read.
    private static let lookPause = Duration.seconds(1)

    /// Asks the store for a channel that is not read yet and for which it was not asked.
    func read(_ resident: Resident, _ name: String) {
        guard resident.isUnread, !resident.isBeingRead else { return }
        resident.isBeingRead = true
        resident.readBegan = loop.now
        let inbox = hubs[index]
        if let sharedLog { return sharedLog.read(name, after: nil) { inbox.post(.read(name, $0)) } }
        store.load(name, keysSince: now - Channel.keyLifetime) { inbox.post(.loaded(name, $0)) }
    }

    func loaded(_ name: String, _ result: Result<ChannelImage, StoreError>) {
        guard let resident = residents[name] else { return }
        resident.isBeingRead = false
        switch result {
        case .success: health.couldRead()
        case .failure(let error):
            log.say(.error, .store, "the store could not read a channel: \(error.reason)")
            if error != .closed {
                countFailedRead(of: name)
                look()
            }
        }
        let (group, moment) = (group, moment)
        let image = try? result.get()
        resident.isUnread = resident.channel.onLoop { channel in
            channel.loaded(image, group: group, at: moment)
            return channel.isUnread
        }
        mark(resident)
    }

    /// A channel could not be read.
    func countFailedRead(of name: String) {
        metrics.readFailures += 1
        health.couldNotRead(name, ofPart: sharedLog?.part(of: name) ?? 0, at: loop.now)
    }

    /// Asks the store for what was never there: where it cannot tell that either, it is not the channel that is at fault.
    ///
    /// One that cannot is asked again until it can, so that it is known when it is well although nobody comes.
    private func look() {
        guard !isLooking else { return }
        isLooking = true
        let inbox = hubs[index]
        // No channel has an empty name.
        store.load("", keysSince: .max) { inbox.post(.looked($0.map { _ in })) }
    }

    func looked(_ result: Result<Void, StoreError>) {
        isLooking = false
        if case .failure(.closed) = result { return }
        let isReadable = if case .success = result { true } else { false }
        health.looked(isReadable: isReadable, at: loop.now)
        if !isReadable { loop.schedule(Alarm { [unowned self] in look() }, after: Hub.lookPause) }
    }
}
