import Transport
import Wire

// What other settings do to what is here already.
extension Hub {
    /// Goes on with other settings; connections keep the limits with which they came.
    func adopt(_ settings: BrokerSettings) {
        unsafe settingsOnLoop = SettingsInForce(settings)
        adoptWebhooks()
        boundClosing()
        let moment = moment
        for (name, resident) in residents {
            guard let namespace = settings.namespace(of: name) else { continue }
            let entry = settings.namespaceEntry(of: name)
            resident.channel.onLoop { $0.adopt(namespace, entry: entry, at: moment) }
            mark(resident)
        }
        for (name, audience) in audiences {
            audience.adopt(isAnonymous: settings.isAnonymous(name))
        }
        for recipient in recipients.elements {
            for request in recipient.session.revoked(by: settings) { pass(request, from: recipient) }
        }
    }

    /// Bounds how long connections may take to close, and what they may send over TLS that carries no data.
    func boundClosing() {
        loop.closing.linger = .milliseconds(limits.closeMilliseconds)
        loop.closing.drain = .milliseconds(limits.drainMilliseconds)
        loop.closing.controlRecordsPerSecond = limits.controlFramesPerSecond
    }

    /// Refuses a request whose channel cannot be had: it is one too many, or a hub let it through whose settings are older
    /// or newer than those here.
    func refuse(_ request: ChannelRequest, _ refusal: RequestRefusal) {
        var reply = Reply(
            request.origin,
            .error(
                id: request.origin.id, code: refusal.code, message: refusal.message,
                retryAfterMilliseconds: refusal.retryAfterMilliseconds))
        switch request.body {
        case .subscribe, .refusedSubscription: reply.effect = .refuseSubscription
        default: break
        }
        var outbox = ChannelOutbox(channel: request.channel, hubs: hubs.count, namespace: Namespace())
        outbox.emit(reply, at: moment)
        for (hub, delivery) in outbox.take(at: moment) { send(delivery, to: hub) }
    }
}
